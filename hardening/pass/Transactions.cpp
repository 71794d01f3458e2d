#include "Transactions.h"

#include "Stop.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace loadstone {

// Passes through the ends of loops before a transaction is cut. HAFT cuts after at most 5,000 instructions; with its
// copies and checks, a body of ours seldom has more than 50.
static const unsigned mostPasses = 100;
static const unsigned mostAttempts = 3;

static const char needsRtm[] =
    "loadstone: this program was hardened in mode tx, and this processor has no transactions (RTM); "
    "build it in mode tmr or ilr\n";

// void(): refuses to start a program on a processor without RTM (CPUID leaf 7, EBX bit 11).
static Function *refusal(Module &module) {
    LLVMContext &context = module.getContext();
    Function *made = ownFunction(module, "__loadstone_tx_needs_rtm", FunctionType::get(Type::getVoidTy(context), false));
    BasicBlock *entry = BasicBlock::Create(context, "", made), *none = BasicBlock::Create(context, "none", made);
    BasicBlock *fine = BasicBlock::Create(context, "fine", made);
    IRBuilder<> at(entry);
    Type *word = at.getInt32Ty();
    auto *registers = StructType::get(word, word, word, word);
    InlineAsm *cpuid = InlineAsm::get(FunctionType::get(registers, {word, word}, false), "cpuid",
                                      "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}", true);
    Value *most = at.CreateExtractValue(at.CreateCall(cpuid, {at.getInt32(0), at.getInt32(0)}), 0);
    Value *leaf = at.CreateSelect(at.CreateICmpUGE(most, at.getInt32(7)), at.getInt32(7), at.getInt32(0));
    Value *features = at.CreateExtractValue(at.CreateCall(cpuid, {leaf, at.getInt32(0)}), 1);
    Value *has = at.CreateAnd(at.CreateICmpEQ(leaf, at.getInt32(7)),
                              at.CreateICmpNE(at.CreateAnd(features, at.getInt32(1 << 11)), at.getInt32(0)));
    at.CreateCondBr(has, fine, none);
    at.SetInsertPoint(none);
    Type *size = at.getInt64Ty();
    at.CreateCall(module.getOrInsertFunction("write", size, word, at.getPtrTy(), size),
                  {at.getInt32(2), at.CreateGlobalString(needsRtm, ".loadstone.needs"), at.getInt64(sizeof needsRtm - 1)});
    at.CreateCall(module.getOrInsertFunction("_exit", at.getVoidTy(), word), {at.getInt32(2)});
    at.CreateUnreachable();
    at.SetInsertPoint(fine);
    at.CreateRetVoid();
    appendToGlobalCtors(module, made, 101, made);
    return made;
}

// void(): begins a transaction unless one is under way; after three attempts the code runs without one, and is then as
// ILR is.
static Function *beginning(Module &module) {
    const char name[] = "__loadstone_tx_begin";
    if (Function *known = module.getFunction(name))
        return known;
    refusal(module);
    LLVMContext &context = module.getContext();
    Function *made = ownFunction(module, name, FunctionType::get(Type::getVoidTy(context), false));
    made->addFnAttr("target-features", "+rtm");
    BasicBlock *entry = BasicBlock::Create(context, "", made), *attempt = BasicBlock::Create(context, "attempt", made);
    BasicBlock *aborted = BasicBlock::Create(context, "aborted", made);
    BasicBlock *detected = BasicBlock::Create(context, "detected", made);
    BasicBlock *again = BasicBlock::Create(context, "again", made), *done = BasicBlock::Create(context, "done", made);
    IRBuilder<> at(entry);
    Value *under = at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::x86_xtest, {});
    at.CreateCondBr(at.CreateICmpNE(under, at.getInt32(0)), done, attempt);
    at.SetInsertPoint(attempt);
    PHINode *times = at.CreatePHI(at.getInt32Ty(), 2);
    times->addIncoming(at.getInt32(1), entry);
    Value *status = at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::x86_xbegin, {});
    at.CreateCondBr(at.CreateICmpEQ(status, at.getInt32(-1)), done, aborted);
    // Bit 0: aborted by the program, with the code in bits 24 to 31.
    at.SetInsertPoint(aborted);
    Value *code = at.CreateAnd(status, at.getInt32(int(0xff000001)));
    at.CreateCondBr(at.CreateICmpEQ(code, at.getInt32(stopCode << 24 | 1)), detected, again);
    at.SetInsertPoint(detected);
    bump(at, "__loadstone_corrected");
    at.CreateBr(again);
    at.SetInsertPoint(again);
    Value *next = at.CreateAdd(times, at.getInt32(1));
    times->addIncoming(next, again);
    at.CreateCondBr(at.CreateICmpULE(next, at.getInt32(mostAttempts)), attempt, done);
    at.SetInsertPoint(done);
    at.CreateRetVoid();
    return made;
}

static Function *ending(Module &module) {
    const char name[] = "__loadstone_tx_end";
    if (Function *known = module.getFunction(name))
        return known;
    LLVMContext &context = module.getContext();
    Function *made = ownFunction(module, name, FunctionType::get(Type::getVoidTy(context), false));
    made->addFnAttr("target-features", "+rtm");
    BasicBlock *entry = BasicBlock::Create(context, "", made), *within = BasicBlock::Create(context, "within", made);
    BasicBlock *done = BasicBlock::Create(context, "done", made);
    IRBuilder<> at(entry);
    Value *under = at.CreateIntrinsic(at.getInt32Ty(), Intrinsic::x86_xtest, {});
    at.CreateCondBr(at.CreateICmpNE(under, at.getInt32(0)), within, done);
    at.SetInsertPoint(within);
    at.CreateIntrinsic(at.getVoidTy(), Intrinsic::x86_xend, {});
    at.CreateBr(done);
    at.SetInsertPoint(done);
    at.CreateRetVoid();
    return made;
}

SmallVector<Instruction *, 8> endsOfLoops(Function &function) {
    SmallVector<Instruction *, 8> found;
    DenseMap<BasicBlock *, unsigned> order;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
        unsigned number = order.size();
        order[block] = number;
    }
    for (BasicBlock &block : function)
        for (unsigned i = 0; i < block.getTerminator()->getNumSuccessors(); i++)
            if (order[block.getTerminator()->getSuccessor(i)] <= order[&block]) {
                found.push_back(block.getTerminator());
                break;
            }
    return found;
}

static bool leavesTransaction(const Instruction &instruction) {
    if (isa<ReturnInst>(instruction) || isa<ResumeInst>(instruction))
        return true;
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
        return load->isAtomic();
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
        return !store->isSimple();
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->getCalledFunction() == nullptr)
        return call && !(call->isInlineAsm() && call->doesNotAccessMemory());
    const Function &callee = *call->getCalledFunction();
    return !callee.isIntrinsic() && callee.getFnAttribute("loadstone-hardened").getValueAsString() != "runtime";
}

void transact(Function &function, ArrayRef<Instruction *> loops) {
    Module &module = *function.getParent();
    Function *begin = beginning(module), *end = ending(module);
    SmallVector<Instruction *, 32> leaving;
    for (Instruction &each : instructions(function))
        if (leavesTransaction(each))
            leaving.push_back(&each);
    auto callAt = [&](BasicBlock *block, BasicBlock::iterator where, Function *callee) {
        IRBuilder<> at(block, where);
        at.SetCurrentDebugLocation(placeWithoutLine(function));
        at.CreateCall(callee);
    };
    for (Instruction *each : leaving) {
        callAt(each->getParent(), each->getIterator(), end);
        auto *call = dyn_cast<CallBase>(each);
        if (each->isTerminator() && !call)
            continue;
        if (call && (call->isMustTailCall() || call->doesNotReturn()))
            continue;
        if (auto *invoke = dyn_cast<InvokeInst>(each)) {
            for (BasicBlock *next : {invoke->getNormalDest(), invoke->getUnwindDest()})
                callAt(next, next->getFirstInsertionPt(), begin);
        } else {
            callAt(each->getParent(), std::next(each->getIterator()), begin);
        }
    }
    BasicBlock &entry = function.getEntryBlock();
    BasicBlock::iterator first = entry.begin();
    while (isa<AllocaInst>(*first))
        ++first;
    IRBuilder<> at(&entry, first);
    at.SetCurrentDebugLocation(placeWithoutLine(function));
    AllocaInst *passes = loops.empty() ? nullptr : new AllocaInst(at.getInt32Ty(), 0, "", entry.begin());
    if (passes)
        at.CreateStore(at.getInt32(0), passes);
    at.CreateCall(begin);
    for (Instruction *loop : loops) {
        // The terminator may be a block further on by now, never another instruction.
        BasicBlock *before = loop->getParent(), *rest = before->splitBasicBlock(loop->getIterator());
        BasicBlock *cut = BasicBlock::Create(function.getContext(), "", &function, rest);
        before->getTerminator()->eraseFromParent();
        IRBuilder<> back(before);
        back.SetCurrentDebugLocation(placeWithoutLine(function));
        Value *count = back.CreateAdd(back.CreateLoad(back.getInt32Ty(), passes), back.getInt32(1));
        back.CreateStore(count, passes);
        back.CreateCondBr(back.CreateICmpUGE(count, back.getInt32(mostPasses)), cut, rest);
        back.SetInsertPoint(cut);
        back.CreateStore(back.getInt32(0), passes);
        back.CreateCall(end);
        back.CreateCall(begin);
        back.CreateBr(rest);
    }
}

} // namespace loadstone
