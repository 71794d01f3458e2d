#include "Prepare.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace loadstone {

// The constant with zero for all that is undefined in it.
static Constant *defined(Constant *constant) {
    if (isa<UndefValue>(constant))
        return Constant::getNullValue(constant->getType());
    if (!isa<ConstantAggregate>(constant))
        return constant;
    SmallVector<Constant *, 8> elements;
    bool changed = false;
    for (Value *each : constant->operands()) {
        elements.push_back(defined(cast<Constant>(each)));
        changed |= elements.back() != each;
    }
    if (!changed)
        return constant;
    if (auto *structure = dyn_cast<StructType>(constant->getType()))
        return ConstantStruct::get(structure, elements);
    if (auto *array = dyn_cast<ArrayType>(constant->getType()))
        return ConstantArray::get(array, elements);
    return ConstantVector::get(elements);
}

static void defineOperands(Instruction &instruction) {
    if (isa<DbgInfoIntrinsic>(instruction) || isa<AssumeInst>(instruction))
        return;
    for (Use &each : instruction.operands()) {
        auto *constant = dyn_cast<Constant>(each.get());
        if (constant && constant->getType()->isFirstClassType() && !constant->getType()->isTokenTy() &&
            !constant->getType()->isTargetExtTy())
            each.set(defined(constant));
    }
}

static void defineShuffle(ShuffleVectorInst &shuffle) {
    SmallVector<int, 16> mask(shuffle.getShuffleMask());
    for (int &lane : mask)
        lane = lane < 0 ? 0 : lane;
    if (isa<FixedVectorType>(shuffle.getType()))
        shuffle.setShuffleMask(mask);
}

static void dropFlags(Instruction &instruction) {
    instruction.dropPoisonGeneratingFlags();
    instruction.dropPoisonGeneratingMetadata();
    if (isa<FPMathOperator>(instruction))
        instruction.copyFastMathFlags(FastMathFlags());
}

static void gatherAllocas(Function &function) {
    BasicBlock &entry = function.getEntryBlock();
    Instruction *last = nullptr;
    SmallVector<AllocaInst *, 16> allocas;
    for (Instruction &each : entry)
        if (auto *memory = dyn_cast<AllocaInst>(&each); memory && memory->isStaticAlloca())
            allocas.push_back(memory);
    for (AllocaInst *memory : allocas) {
        if (last)
            memory->moveAfter(last);
        else
            memory->moveBefore(entry, entry.begin());
        last = memory;
    }
}

static void splitInvokes(Function &function) {
    SmallVector<InvokeInst *, 8> invokes;
    for (Instruction &each : instructions(function))
        if (auto *invoke = dyn_cast<InvokeInst>(&each); invoke && !invoke->use_empty())
            invokes.push_back(invoke);
    for (InvokeInst *invoke : invokes) {
        BasicBlock *from = invoke->getParent(), *to = invoke->getNormalDest();
        BasicBlock *between = BasicBlock::Create(function.getContext(), "", &function, to);
        BranchInst::Create(to, between)->setDebugLoc(invoke->getDebugLoc());
        invoke->setNormalDest(between);
        to->replacePhiUsesWith(from, between);
    }
}

void prepare(Function &function) {
    removeUnreachableBlocks(function);
    for (Instruction &each : instructions(function)) {
        if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&each))
            defineShuffle(*shuffle);
        defineOperands(each);
        dropFlags(each);
    }
    gatherAllocas(function);
    splitInvokes(function);
}

} // namespace loadstone
