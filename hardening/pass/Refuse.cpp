#include "Refuse.h"

#include "Apart.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace loadstone {

std::string reasonToSkip(const Function &function) {
    if (function.hasFnAttribute(Attribute::Naked))
        return "the attribute `naked`, so that it may hold nothing but its own assembly";
    if (function.isPresplitCoroutine())
        return "a coroutine that is not split yet";
    for (const Instruction &each : instructions(function)) {
        if (isa<CallBrInst>(each))
            return "`asm goto` (callbr)";
        if (isa<IndirectBrInst>(each))
            return "a computed goto (indirectbr)";
        if (isa<FuncletPadInst>(each) || isa<CatchSwitchInst>(each))
            return "exception handling by funclets";
        const auto *call = dyn_cast<CallBase>(&each);
        if (call && call->hasFnAttr(Attribute::ReturnsTwice)) {
            const Function *callee = call->getCalledFunction();
            return "a call that may return twice" + (callee ? ": `" + callee->getName().str() + "`" : "");
        }
    }
    return "";
}

std::string partOnly(const Instruction &instruction) {
    if (const auto *call = dyn_cast<CallBase>(&instruction)) {
        const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
        // An empty one only holds the compiler back.
        if (assembly && !StringRef(assembly->getAsmString()).trim().empty())
            return "inline assembly runs once; only its operands are checked";
    }
    Type *type = instruction.getType();
    if (type->isVoidTy() || type->isTokenTy() || type->isMetadataTy() || instruction.use_empty() ||
        isa<LandingPadInst>(instruction) || canBeApart(type))
        return "";
    std::string name;
    raw_string_ostream(name) << *type;
    return "values of type " + name + " have no second copy";
}

} // namespace loadstone
