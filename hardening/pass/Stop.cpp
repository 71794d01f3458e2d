#include "Stop.h"

#include "llvm/IR/Comdat.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace loadstone {

static void makeOwn(Module &module, GlobalObject &object) {
    object.setVisibility(GlobalValue::HiddenVisibility);
    object.setComdat(module.getOrInsertComdat(object.getName()));
}

Function *ownFunction(Module &module, StringRef name, FunctionType *type) {
    Function *made = Function::Create(type, GlobalValue::LinkOnceODRLinkage, name, module);
    makeOwn(module, *made);
    made->setDoesNotThrow();
    made->addFnAttr(Attribute::NoInline);
    made->addFnAttr(Attribute::Cold);
    made->addFnAttr("loadstone-hardened", "runtime");
    made->setUWTableKind(UWTableKind::Default);
    return made;
}

static const char message[] = "loadstone: a fault was detected in hardened code; the program stops (exit code 86)\n";

Function *detectedHandler(Module &module, Mode mode) {
    StringRef name = "__loadstone_detected";
    if (Function *known = module.getFunction(name))
        return known;
    LLVMContext &context = module.getContext();
    Type *nothing = Type::getVoidTy(context), *number = Type::getInt32Ty(context), *size = Type::getInt64Ty(context);
    Function *handler = ownFunction(module, name, FunctionType::get(nothing, false));
    handler->setDoesNotReturn();
    IRBuilder<> at(BasicBlock::Create(context, "", handler));
    if (mode == Mode::Tx) {
        handler->addFnAttr("target-features", "+rtm");
        BasicBlock *within = BasicBlock::Create(context, "within", handler);
        BasicBlock *outside = BasicBlock::Create(context, "outside", handler);
        Value *tested = at.CreateIntrinsic(number, Intrinsic::x86_xtest, {});
        at.CreateCondBr(at.CreateICmpNE(tested, at.getInt32(0)), within, outside);
        at.SetInsertPoint(within);
        at.CreateIntrinsic(nothing, Intrinsic::x86_xabort, {at.getInt8(stopCode)});
        at.CreateBr(outside);
        at.SetInsertPoint(outside);
    }
    FunctionCallee write = module.getOrInsertFunction("write", size, number, at.getPtrTy(), size);
    FunctionCallee end = module.getOrInsertFunction("_exit", nothing, number);
    at.CreateCall(write, {at.getInt32(2), at.CreateGlobalString(message, ".loadstone.stops"),
                          at.getInt64(sizeof message - 1)});
    at.CreateCall(end, {at.getInt32(stopCode)});
    at.CreateUnreachable();
    return handler;
}

void bump(IRBuilderBase &at, StringRef counter) {
    Module &module = *at.GetInsertBlock()->getModule();
    GlobalVariable *known = module.getGlobalVariable(counter, /*AllowInternal=*/true);
    if (!known) {
        known = new GlobalVariable(module, at.getInt64Ty(), /*isConstant=*/false, GlobalValue::LinkOnceODRLinkage,
                                   at.getInt64(0), counter);
        makeOwn(module, *known);
        known->setDSOLocal(true);
    }
    at.CreateAtomicRMW(AtomicRMWInst::Add, known, at.getInt64(1), MaybeAlign(8), AtomicOrdering::Monotonic);
}

void nameVariant(Module &module, const Options &options) {
    if (module.getGlobalVariable("__loadstone_hardened", /*AllowInternal=*/true))
        return;
    std::string text = nameOf(options.mode).str();
    if (options.mode != Mode::Tmr)
        text += " " + nameOf(options.loads).str();
    Constant *bytes = ConstantDataArray::getString(module.getContext(), text);
    auto *variant = new GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                       GlobalValue::LinkOnceODRLinkage, bytes, "__loadstone_hardened");
    makeOwn(module, *variant);
    appendToUsed(module, {variant});
}

BasicBlock *StopBlock::get() {
    if (block)
        return block;
    block = BasicBlock::Create(function.getContext(), "loadstone.stop", &function);
    IRBuilder<> at(block);
    at.SetCurrentDebugLocation(placeWithoutLine(function));
    at.CreateCall(detectedHandler(*function.getParent(), mode))->setDoesNotReturn();
    at.CreateUnreachable();
    return block;
}

DebugLoc placeWithoutLine(const Function &function) {
    DISubprogram *known = function.getSubprogram();
    return known ? DebugLoc(DILocation::get(function.getContext(), 0, 0, known)) : DebugLoc();
}

} // namespace loadstone
