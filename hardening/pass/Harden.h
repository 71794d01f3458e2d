// The transformation of one function.
#pragma once

#include "Options.h"
#include "Report.h"

#include "llvm/IR/PassManager.h"

namespace loadstone {

// Hardens the function as the options say, or reports why not. It must have a body.
void harden(llvm::Function &function, const Options &options, Report &report,
            llvm::FunctionAnalysisManager &analyses);

} // namespace loadstone
