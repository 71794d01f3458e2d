#include "Flows.h"

#include "Apart.h"
#include "Checks.h"
#include "Divide.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace loadstone {

bool isFixedAddress(const Value *value) {
    if (isa<GlobalValue>(value))
        return true;
    if (const auto *address = dyn_cast<ConstantExpr>(value))
        return address->getType()->isPointerTy();
    if (const auto *argument = dyn_cast<Argument>(value))
        return argument->hasByValAttr();
    const auto *memory = dyn_cast<AllocaInst>(value);
    return memory && memory->isStaticAlloca();
}

static bool onlyComputes(const IntrinsicInst &call) {
    switch (call.getIntrinsicID()) {
    case Intrinsic::abs: case Intrinsic::smax: case Intrinsic::smin: case Intrinsic::umax: case Intrinsic::umin:
    case Intrinsic::scmp: case Intrinsic::ucmp: case Intrinsic::bswap: case Intrinsic::bitreverse:
    case Intrinsic::ctpop: case Intrinsic::ctlz: case Intrinsic::cttz: case Intrinsic::fshl: case Intrinsic::fshr:
    case Intrinsic::sadd_with_overflow: case Intrinsic::uadd_with_overflow: case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow: case Intrinsic::smul_with_overflow: case Intrinsic::umul_with_overflow:
    case Intrinsic::sadd_sat: case Intrinsic::uadd_sat: case Intrinsic::ssub_sat: case Intrinsic::usub_sat:
    case Intrinsic::sshl_sat: case Intrinsic::ushl_sat: case Intrinsic::fptosi_sat: case Intrinsic::fptoui_sat:
    case Intrinsic::fabs: case Intrinsic::copysign: case Intrinsic::sqrt: case Intrinsic::fma: case Intrinsic::fmuladd:
    case Intrinsic::floor: case Intrinsic::ceil: case Intrinsic::trunc: case Intrinsic::rint:
    case Intrinsic::nearbyint: case Intrinsic::round: case Intrinsic::roundeven: case Intrinsic::minnum:
    case Intrinsic::maxnum: case Intrinsic::minimum: case Intrinsic::maximum: case Intrinsic::is_fpclass:
    case Intrinsic::ptrmask: case Intrinsic::vector_reduce_add: case Intrinsic::vector_reduce_mul:
    case Intrinsic::vector_reduce_and: case Intrinsic::vector_reduce_or: case Intrinsic::vector_reduce_xor:
    case Intrinsic::vector_reduce_smax: case Intrinsic::vector_reduce_smin: case Intrinsic::vector_reduce_umax:
    case Intrinsic::vector_reduce_umin:
        return true;
    default:
        // SSE and AVX: those that touch neither memory nor the machine's state.
        return call.getCalledFunction()->getName().starts_with("llvm.x86.") && call.doesNotAccessMemory() &&
               call.hasFnAttr(Attribute::WillReturn);
    }
}

bool onlyComputes(const Instruction &instruction) {
    if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
        return !call->hasOperandBundles() && onlyComputes(*call);
    return isa<BinaryOperator>(instruction) || isa<UnaryOperator>(instruction) || isa<CastInst>(instruction) ||
           isa<GetElementPtrInst>(instruction) || isa<CmpInst>(instruction) || isa<SelectInst>(instruction) ||
           isa<ExtractElementInst>(instruction) || isa<InsertElementInst>(instruction) ||
           isa<ShuffleVectorInst>(instruction) || isa<ExtractValueInst>(instruction) ||
           isa<InsertValueInst>(instruction) || isa<FreezeInst>(instruction);
}

// Whether the compiler would keep this constant operand in a register, which then would serve both flows.
static bool wantsRegister(const Instruction &user, unsigned index, const Constant &constant) {
    if (const auto *number = dyn_cast<ConstantInt>(&constant)) {
        if (isa<GetElementPtrInst>(user) || isa<ExtractElementInst>(user) ||
            (isa<InsertElementInst>(user) && index == 2))
            return false;
        bool immediate = !isa<SelectInst>(user) && !isa<PHINode>(user) && !isa<InsertElementInst>(user) &&
                         !(isa<BinaryOperator>(user) && index == 0);
        return !immediate || number->getValue().getSignificantBits() > 32;
    }
    return !constant.isNullValue() || isa<PHINode>(user) || isa<SelectInst>(user);
}

Value *Flows::operand(IRBuilderBase &at, Instruction &user, unsigned index, unsigned flow) {
    Value *value = user.getOperand(index);
    if (const Copies *known = of(value))
        return (*known)[flow];
    if (isFixedAddress(value))
        return apart(at, value, flow);
    auto *constant = dyn_cast<Constant>(value);
    if (!constant || !canBeApart(value->getType()) || !wantsRegister(user, index, *constant))
        return value;
    const auto *call = dyn_cast<CallBase>(&user);
    return call && call->paramHasAttr(index, Attribute::ImmArg) ? value : apart(at, value, flow);
}

const Copies *Flows::of(Value *value) const {
    auto known = copies.find(value);
    return known == copies.end() ? nullptr : &known->second;
}

void Flows::make() {
    SmallVector<Instruction *, 256> order;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
        for (Instruction &each : *block)
            order.push_back(&each);
    copyArguments();
    for (Instruction *each : order)
        follow(*each);
    for (Instruction *each : order)
        if (auto *phi = dyn_cast<PHINode>(each); phi && phis.count(phi))
            finishPhi(*phi);
}

void Flows::copyArguments() {
    BasicBlock::iterator first = function.getEntryBlock().begin();
    while (isa<AllocaInst>(*first) && cast<AllocaInst>(*first).isStaticAlloca())
        ++first;
    IRBuilder<> at(&function.getEntryBlock(), first);
    at.SetCurrentDebugLocation(placeWithoutLine(function));
    for (Argument &each : function.args()) {
        if (each.use_empty() || each.hasSwiftErrorAttr() || each.hasByValAttr() || !canBeApart(each.getType()))
            continue;
        for (unsigned flow = 0; flow < others; flow++)
            copies[&each].push_back(apart(at, &each, flow));
    }
}

void Flows::follow(Instruction &instruction) {
    report.count("instructions");
    if (instruction.getType()->isVoidTy() || !canBeApart(instruction.getType()))
        return;
    if (auto *phi = dyn_cast<PHINode>(&instruction))
        startPhi(*phi);
    else if (auto *read = dyn_cast<LoadInst>(&instruction))
        load(*read);
    else if (onlyComputes(instruction))
        repeat(instruction);
    else
        copyResult(instruction);
}

void Flows::repeat(Instruction &instruction) {
    report.count("repeated");
    IRBuilder<> at(instruction.getParent(), std::next(instruction.getIterator()));
    at.SetCurrentDebugLocation(instruction.getDebugLoc());
    Copies made;
    for (unsigned flow = 0; flow < others; flow++) {
        if (isDivisionByConstant(instruction)) {
            made.push_back(divided(at, operand(at, instruction, 0, flow), cast<BinaryOperator>(instruction), flow));
            continue;
        }
        Instruction *copy = instruction.clone();
        for (unsigned i = 0; i < instruction.getNumOperands(); i++)
            if (!isa<CallBase>(instruction) || i < cast<CallBase>(instruction).arg_size())
                copy->setOperand(i, operand(at, instruction, i, flow));
        made.push_back(at.Insert(copy));
    }
    copies[&instruction] = made;
}

void Flows::copyResult(Instruction &instruction) {
    if (instruction.use_empty() || isFixedAddress(&instruction))
        return;
    const auto *call = dyn_cast<CallInst>(&instruction);
    if (call && call->isMustTailCall())
        return;
    report.count("copied");
    IRBuilder<> at(instruction.getContext());
    if (auto *invoke = dyn_cast<InvokeInst>(&instruction))
        at.SetInsertPoint(invoke->getNormalDest(), invoke->getNormalDest()->getFirstInsertionPt());
    else
        at.SetInsertPoint(instruction.getParent(), std::next(instruction.getIterator()));
    at.SetCurrentDebugLocation(instruction.getDebugLoc());
    Copies made;
    for (unsigned flow = 0; flow < others; flow++)
        made.push_back(apart(at, &instruction, flow));
    copies[&instruction] = made;
}

void Flows::load(LoadInst &load) {
    if (!load.isSimple() || (others == 1 && options.loads == Loads::Move)) {
        copyResult(load);
        return;
    }
    report.count("loads");
    if (others == 2)
        check({&load, "address"}, *this, report, stop);
    IRBuilder<> at(load.getParent(), std::next(load.getIterator()));
    at.SetCurrentDebugLocation(load.getDebugLoc());
    SmallVector<Value *, 2> addresses;
    // Three addresses would be three ways to a crash: TMR reads three times from the one that was voted on.
    for (unsigned flow = 0; flow < others; flow++)
        addresses.push_back(others == 2 ? load.getPointerOperand() : operand(at, load, 0, flow));
    Copies made;
    Value *now = loadAgain(load, addresses, options, stop, made);
    copies[now] = made;
}

void Flows::startPhi(PHINode &phi) {
    report.count("repeated");
    BasicBlock &block = *phi.getParent();
    Copies made;
    for (unsigned flow = 0; flow < others; flow++) {
        PHINode *copy = PHINode::Create(phi.getType(), phi.getNumIncomingValues(), "", phi.getIterator());
        copy->setDebugLoc(phi.getDebugLoc());
        phis[&phi].push_back(copy);
        IRBuilder<> at(&block, block.getFirstInsertionPt());
        at.SetCurrentDebugLocation(phi.getDebugLoc());
        // Without this the compiler may find that both phis count alike and drop one.
        made.push_back(apart(at, copy, flow));
    }
    copies[&phi] = made;
}

void Flows::finishPhi(PHINode &phi) {
    for (unsigned flow = 0; flow < others; flow++) {
        DenseMap<BasicBlock *, Value *> incoming; // a branch may come from one block twice
        for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
            BasicBlock *from = phi.getIncomingBlock(i);
            Value *&value = incoming[from];
            if (!value) {
                IRBuilder<> at(from->getTerminator());
                value = operand(at, phi, i, flow);
            }
            phis[&phi][flow]->addIncoming(value, from);
        }
    }
}

} // namespace loadstone
