// Divisions by constants in the other flows. The compiler divides by a multiplication with a constant that it finds
// itself, so late that one register serves all flows.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace loadstone {

// Whether the compiler would multiply here.
bool isDivisionByConstant(const llvm::Instruction &instruction);

// The quotient or the remainder of `value` by the same constant, with a factor of its own for each flow.
llvm::Value *divided(llvm::IRBuilderBase &at, llvm::Value *value, const llvm::BinaryOperator &division, unsigned flow);

} // namespace loadstone
