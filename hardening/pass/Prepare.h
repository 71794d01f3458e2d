// Brings a function into the form from which flows are made.
#pragma once

#include "llvm/IR/Function.h"

namespace loadstone {

// - Undefined values become zero, and flags that make results undefined are dropped, as are the fast-math flags: each
//   flow could choose another value for them, and all comparisons would stop a program without any fault.
// - Static allocas stand first, so that the entry block can be split behind them.
// - The result of an invoke has a block of its own behind it, in which copies are made.
// - Unreachable blocks are gone.
void prepare(llvm::Function &function);

} // namespace loadstone
