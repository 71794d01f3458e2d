#include "Divide.h"

#include "Apart.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/DivisionByConstantInfo.h"

using namespace llvm;

namespace loadstone {

bool isDivisionByConstant(const Instruction &instruction) {
    unsigned code = instruction.getOpcode();
    bool isSigned = code == Instruction::SDiv || code == Instruction::SRem;
    if (!isSigned && code != Instruction::UDiv && code != Instruction::URem)
        return false;
    const auto *divisor = dyn_cast<ConstantInt>(instruction.getOperand(1));
    unsigned bits = instruction.getType()->getScalarSizeInBits();
    if (!divisor || bits < 8 || bits > 64 || divisor->isZero())
        return false;
    // These become shifts.
    const APInt &value = divisor->getValue();
    return !value.isPowerOf2() && !(isSigned && (value.isNegatedPowerOf2() || value.isAllOnes()));
}

// The upper half of the product.
static Value *upper(IRBuilderBase &at, Value *value, Value *factor, bool isSigned) {
    Type *type = value->getType(), *wide = at.getIntNTy(2 * type->getIntegerBitWidth());
    auto widened = [&](Value *one) { return isSigned ? at.CreateSExt(one, wide) : at.CreateZExt(one, wide); };
    Value *product = at.CreateMul(widened(value), widened(factor));
    return at.CreateTrunc(at.CreateLShr(product, type->getIntegerBitWidth()), type);
}

// Hacker's Delight, chapter 10, as the compiler does it: TargetLowering::BuildUDIV and BuildSDIV.
static Value *unsignedQuotient(IRBuilderBase &at, Value *value, const APInt &divisor, unsigned flow) {
    UnsignedDivisionByConstantInfo info = UnsignedDivisionByConstantInfo::get(divisor);
    Value *factor = apart(at, ConstantInt::get(value->getType(), info.Magic), flow);
    Value *quotient = upper(at, at.CreateLShr(value, info.PreShift), factor, /*isSigned=*/false);
    if (info.IsAdd)
        quotient = at.CreateAdd(at.CreateLShr(at.CreateSub(value, quotient), 1), quotient);
    return at.CreateLShr(quotient, info.PostShift);
}

static Value *signedQuotient(IRBuilderBase &at, Value *value, const APInt &divisor, unsigned flow) {
    SignedDivisionByConstantInfo info = SignedDivisionByConstantInfo::get(divisor);
    Value *factor = apart(at, ConstantInt::get(value->getType(), info.Magic), flow);
    Value *quotient = upper(at, value, factor, /*isSigned=*/true);
    if (divisor.isStrictlyPositive() && info.Magic.isNegative())
        quotient = at.CreateAdd(quotient, value);
    else if (divisor.isNegative() && info.Magic.isStrictlyPositive())
        quotient = at.CreateSub(quotient, value);
    quotient = at.CreateAShr(quotient, info.ShiftAmount);
    return at.CreateAdd(quotient, at.CreateLShr(quotient, value->getType()->getIntegerBitWidth() - 1));
}

Value *divided(IRBuilderBase &at, Value *value, const BinaryOperator &division, unsigned flow) {
    auto *divisor = cast<ConstantInt>(division.getOperand(1));
    unsigned code = division.getOpcode();
    bool isSigned = code == Instruction::SDiv || code == Instruction::SRem;
    Value *quotient = isSigned ? signedQuotient(at, value, divisor->getValue(), flow)
                               : unsignedQuotient(at, value, divisor->getValue(), flow);
    if (code == Instruction::UDiv || code == Instruction::SDiv)
        return quotient;
    Value *factor = divisor->getValue().getSignificantBits() > 32 ? apart(at, divisor, flow) : divisor;
    return at.CreateSub(value, at.CreateMul(quotient, factor));
}

} // namespace loadstone
