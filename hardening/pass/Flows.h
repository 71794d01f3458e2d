// The flows: beside each value of a function stand one or two copies, computed from copies.
//
// The first flow is the function as it is. Instructions that only compute are repeated for each other flow; what may
// happen only once (calls, atomics, memory that is volatile) happens once, and the other flows get copies of its result
// (`apart`). Constants and addresses of variables are copied where they are used, so that no register serves two flows.
#pragma once

#include "Options.h"
#include "Report.h"
#include "Stop.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace loadstone {

using Copies = llvm::SmallVector<llvm::Value *, 2>;

class Flows {
  public:
    Flows(llvm::Function &function, const Options &options, Report &report, StopBlock &stop)
        : function(function), options(options), report(report), stop(stop),
          others(options.mode == Mode::Tmr ? 2 : 1) {}

    // Makes all copies. Afterwards `of` knows them.
    void make();

    // The value in the other flows; null where it has no copies of its own.
    const Copies *of(llvm::Value *value) const;

    // One for ILR, two for TMR.
    unsigned count() const { return others; }

  private:
    void copyArguments();
    void follow(llvm::Instruction &instruction);
    void repeat(llvm::Instruction &instruction);
    void copyResult(llvm::Instruction &instruction);
    void load(llvm::LoadInst &load);
    void startPhi(llvm::PHINode &phi);
    void finishPhi(llvm::PHINode &phi);
    llvm::Value *operand(llvm::IRBuilderBase &at, llvm::Instruction &user, unsigned index, unsigned flow);

    llvm::Function &function;
    const Options &options;
    Report &report;
    StopBlock &stop;
    unsigned others;
    llvm::DenseMap<llvm::Value *, Copies> copies;
    llvm::DenseMap<llvm::PHINode *, llvm::SmallVector<llvm::PHINode *, 2>> phis;
};

// Whether the value is an address that code has without a register of its own: a variable, a static alloca.
bool isFixedAddress(const llvm::Value *value);

// Whether the instruction only computes, so that it can be repeated.
bool onlyComputes(const llvm::Instruction &instruction);

// The load again in the other flows, and what the mode wants done when they differ. Returns what stands for the load in
// the first flow from now on, and fills in `copies`. `addresses` are those of the other flows.
llvm::Value *loadAgain(llvm::LoadInst &load, llvm::ArrayRef<llvm::Value *> addresses, const Options &options,
                       StopBlock &stop, Copies &copies);

} // namespace loadstone
