// What hardened code does at a fault: stops the program, or counts that it went on.
#pragma once

#include "Options.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace loadstone {

const int stopCode = 86; // exit code of a program that stopped at a fault

// The module's own function that ends the program: `__loadstone_detected`. In transactions it aborts these instead.
llvm::Function *detectedHandler(llvm::Module &module, Mode mode);

// A counter of the module: `__loadstone_corrected` or `__loadstone_reloaded`, eight bytes.
void bump(llvm::IRBuilderBase &at, llvm::StringRef counter);

// Leaves `__loadstone_hardened` in the module, a C string such as `ilr cmp` or `tmr`: CONTRACT.md.
void nameVariant(llvm::Module &module, const Options &options);

// The block of the function that ends the program; made when it is asked for first.
class StopBlock {
  public:
    StopBlock(llvm::Function &function, Mode mode) : function(function), mode(mode) {}
    llvm::BasicBlock *get();

  private:
    llvm::Function &function;
    Mode mode;
    llvm::BasicBlock *block = nullptr;
};

// Both are linkonce_odr and hidden: one copy for each program and shared library, whatever modules it has.
llvm::Function *ownFunction(llvm::Module &module, llvm::StringRef name, llvm::FunctionType *type);

// The function's location without a line, as the verifier wants it of calls that no one wrote.
llvm::DebugLoc placeWithoutLine(const llvm::Function &function);

} // namespace loadstone
