// What the pass cannot protect, in words.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"

#include <string>

namespace loadstone {

// The construct for which the whole function has to stay as it is; empty if there is none.
std::string reasonToSkip(const llvm::Function &function);

// The construct for which this instruction is protected only in part; empty if there is none.
std::string partOnly(const llvm::Instruction &instruction);

// Whether rustc made the module.
bool isFromRustc(const llvm::Module &module);

// The compilation fails, saying this.
void fail(const llvm::Module &module, const llvm::Twine &text);

} // namespace loadstone
