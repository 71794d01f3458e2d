// Comparison of the flows before anything that leaves them: stores, calls, returns, atomics.
#pragma once

#include "Flows.h"

namespace loadstone {

// An instruction whose operands are compared before it runs.
struct Leaving {
    llvm::Instruction *instruction;
    llvm::StringRef kind; // for the statistics
};

// Those of the function, to be collected before any check is made.
llvm::SmallVector<Leaving, 64> leavings(llvm::Function &function, const Options &options);

// ILR stops where the flows differ; TMR uses the value that two of them have.
void check(const Leaving &leaving, const Flows &flows, Report &report, StopBlock &stop);

// Both edges of a conditional branch test the condition of the other flows; with TMR these decide where to go.
llvm::SmallVector<llvm::BranchInst *, 32> branches(llvm::Function &function);
void checkBranch(llvm::BranchInst &branch, const Flows &flows, Report &report, StopBlock &stop);

} // namespace loadstone
