// Values that the compiler cannot tell to be equal, and the comparison of two of them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace loadstone {

// Whether `apart` knows values of this type.
bool canBeApart(llvm::Type *type);

// A copy of `value` that no later pass merges with it, nor with the copy of another flow: it goes through an empty
// inline assembly that only has the register as its operand. It costs at most a move. A constant is made anew.
llvm::Value *apart(llvm::IRBuilderBase &at, llvm::Value *value, unsigned flow);

// The value of the first flow in the register that it leaves from: what is compared is what is used then, and not
// computed once more, nor only afterwards. The same value where one register does not hold it.
llvm::Value *kept(llvm::IRBuilderBase &at, llvm::Value *value);

// An i1: whether any bit differs. Floating-point numbers are compared as bits.
llvm::Value *differs(llvm::IRBuilderBase &at, llvm::Value *one, llvm::Value *other);

// Whether values of the type hold floating-point numbers.
bool hasFloats(llvm::Type *type);

// As `differs`, but two NaNs do not differ: which of two NaNs an addition returns depends on the order in which the
// compiler happens to put its operands.
llvm::Value *differsButForNaN(llvm::IRBuilderBase &at, llvm::Value *one, llvm::Value *other);

} // namespace loadstone
