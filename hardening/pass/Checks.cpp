#include "Checks.h"

#include "Apart.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace loadstone {

static StringRef kindOf(const Instruction &instruction, const Options &options) {
    if (isa<StoreInst>(instruction))
        return "store";
    if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
        bool once = !load->isSimple() || (options.mode != Mode::Tmr && options.loads == Loads::Move);
        return once ? "load" : "";
    }
    if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
        return "atomic";
    if (isa<ReturnInst>(instruction))
        return "return";
    if (isa<ResumeInst>(instruction))
        return "resume";
    if (isa<VAArgInst>(instruction))
        return "va_arg";
    if (const auto *memory = dyn_cast<AllocaInst>(&instruction))
        return memory->isStaticAlloca() ? "" : "alloca";
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || onlyComputes(instruction) || isa<DbgInfoIntrinsic>(instruction) ||
        isa<LifetimeIntrinsic>(instruction) || isa<AssumeInst>(instruction))
        return "";
    return "call";
}

// `return f(…)` gives back at once what `f` returned. A check between the two would need the stack frame that a tail
// call does without.
static bool returnsTailCall(const Instruction &instruction) {
    const auto *end = dyn_cast<ReturnInst>(&instruction);
    const auto *call = end ? dyn_cast_or_null<CallInst>(end->getReturnValue()) : nullptr;
    if (!call || !call->isTailCall() || call->getParent() != end->getParent())
        return false;
    for (const Instruction *each = call->getNextNode(); each != end; each = each->getNextNode()) {
        const auto *copy = dyn_cast<CallInst>(each);
        if (!copy || !copy->isInlineAsm() || !copy->doesNotAccessMemory())
            return false;
    }
    return true;
}

SmallVector<Leaving, 64> leavings(Function &function, const Options &options) {
    SmallVector<Leaving, 64> found;
    for (Instruction &each : instructions(function))
        if (StringRef kind = kindOf(each, options); !kind.empty() && !returnsTailCall(each))
            found.push_back({&each, kind});
    return found;
}

// An address with a constant distance from another one is compared by that other one, when only memory is reached by
// it: it is in no register, the processor adds the distance.
static GetElementPtrInst *withinInstruction(Value *address) {
    auto *moved = dyn_cast<GetElementPtrInst>(address);
    if (!moved || !moved->hasAllConstantIndices() || moved->getType()->isVectorTy())
        return nullptr;
    for (const User *user : moved->users()) {
        const auto *store = dyn_cast<StoreInst>(user);
        if (!(store && store->getValueOperand() != moved) && !isa<LoadInst>(user) &&
            !(isa<GetElementPtrInst>(user) && cast<GetElementPtrInst>(user)->hasAllConstantIndices()))
            return nullptr;
    }
    return moved;
}

static bool isAddressOfMemory(const Use &use) {
    return (isa<StoreInst>(use.getUser()) && use.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
           isa<LoadInst>(use.getUser());
}

// Splits the block before `at` and goes to `otherwise` (made by the caller) where the condition holds.
static BasicBlock *branchOff(Instruction &at, Value *condition, BasicBlock *otherwise) {
    BasicBlock *before = at.getParent();
    BasicBlock *rest = before->splitBasicBlock(at.getIterator());
    before->getTerminator()->eraseFromParent();
    IRBuilder<> branch(before);
    branch.SetCurrentDebugLocation(at.getDebugLoc());
    MDNode *rare = MDBuilder(at.getContext()).createUnlikelyBranchWeights();
    branch.CreateCondBr(condition, otherwise, rest, rare);
    return rest;
}

static void stopIfDifferent(Instruction &at, Value *value, Value *other, StopBlock &stop) {
    IRBuilder<> before(&at);
    Value *different = differs(before, value, other);
    if (!hasFloats(value->getType())) {
        branchOff(at, different, stop.get());
        return;
    }
    BasicBlock *doubtful = BasicBlock::Create(at.getContext(), "", at.getFunction());
    BasicBlock *rest = branchOff(at, different, doubtful);
    IRBuilder<> within(doubtful);
    within.SetCurrentDebugLocation(at.getDebugLoc());
    within.CreateCondBr(differsButForNaN(within, value, other), stop.get(), rest);
}

// The value that two of three flows have.
static Value *vote(Instruction &at, Value *value, const Copies &others, StopBlock &stop) {
    IRBuilder<> before(&at);
    BasicBlock *from = at.getParent();
    BasicBlock *voting = BasicBlock::Create(at.getContext(), "", at.getFunction());
    BasicBlock *counted = BasicBlock::Create(at.getContext(), "", at.getFunction());
    BasicBlock *rest = branchOff(at, differs(before, value, others[0]), voting);
    IRBuilder<> within(voting);
    within.SetCurrentDebugLocation(at.getDebugLoc());
    // Two NaNs pass for equal here: then nothing is wrong with the first flow.
    Value *firstIsRight = within.CreateNot(differsButForNaN(within, value, others[1]));
    if (hasFloats(value->getType()))
        firstIsRight = within.CreateOr(firstIsRight, within.CreateNot(differsButForNaN(within, value, others[0])));
    Value *firstIsWrong = within.CreateNot(differs(within, others[0], others[1]));
    within.CreateCondBr(within.CreateOr(firstIsRight, firstIsWrong), counted, stop.get());
    within.SetInsertPoint(counted);
    bump(within, "__loadstone_corrected");
    Value *right = within.CreateSelect(firstIsRight, value, others[0]);
    within.CreateBr(rest);
    IRBuilder<> result(rest, rest->begin());
    result.SetCurrentDebugLocation(at.getDebugLoc());
    PHINode *voted = result.CreatePHI(value->getType(), 2);
    voted->addIncoming(value, from);
    voted->addIncoming(right, counted);
    return voted;
}

// Puts the checked value where the old one was; `path` are the constant distances between the two.
static void use(Use &where, Value *checked, ArrayRef<GetElementPtrInst *> path) {
    auto &user = *cast<Instruction>(where.getUser());
    for (GetElementPtrInst *each : reverse(path)) {
        Instruction *again = each->clone();
        again->setOperand(0, checked);
        again->insertBefore(user.getIterator());
        checked = again;
    }
    where.set(checked);
}

void check(const Leaving &leaving, const Flows &flows, Report &report, StopBlock &stop) {
    Instruction &instruction = *leaving.instruction;
    DenseMap<Value *, Value *> checked;
    for (Use &each : instruction.operands()) {
        Value *value = each.get();
        SmallVector<GetElementPtrInst *, 2> path;
        if (isAddressOfMemory(each))
            while (GetElementPtrInst *moved = withinInstruction(value)) {
                path.push_back(moved);
                value = moved->getPointerOperand();
            }
        const Copies *others = flows.of(value);
        if (!others)
            continue;
        Value *&right = checked[value];
        if (!right) {
            report.count(leaving.kind);
            IRBuilder<> before(&instruction);
            right = kept(before, value);
            if (flows.count() == 2)
                right = vote(instruction, right, *others, stop);
            else
                stopIfDifferent(instruction, right, (*others)[0], stop);
        }
        use(each, right, path);
    }
}

} // namespace loadstone
