// Hardware transactions around hardened code, for processors with RTM: a fault that ILR detects within one aborts it, and
// the processor starts again from the registers and the memory at its beginning.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace loadstone {

// The terminators from which a loop goes back, to be collected before checks split blocks.
llvm::SmallVector<llvm::Instruction *, 8> endsOfLoops(llvm::Function &function);

// A transaction begins at the function's entry and behind each call, and ends before calls, volatile and atomic
// accesses, inline assembly and the end of the function. Long loops are cut at `loops`.
void transact(llvm::Function &function, llvm::ArrayRef<llvm::Instruction *> loops);

} // namespace loadstone
