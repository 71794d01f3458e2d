#include "Refuse.h"

#include "Apart.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace loadstone {

bool isFromRustc(const Module &module) {
    const NamedMDNode *idents = module.getNamedMetadata("llvm.ident");
    return idents && any_of(idents->operands(), [](const MDNode *each) {
               const auto *text = each->getNumOperands() ? dyn_cast<MDString>(each->getOperand(0)) : nullptr;
               return text && text->getString().starts_with("rustc ");
           });
}

void fail(const Module &module, const Twine &text) {
    // rustc ignores errors of passes, and would go on to a program that is not hardened.
    if (isFromRustc(module))
        report_fatal_error("loadstone: " + text, /*gen_crash_diag=*/false);
    module.getContext().emitError("loadstone: " + text);
}

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
