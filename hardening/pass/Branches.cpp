#include "Checks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace loadstone {

SmallVector<BranchInst *, 32> branches(Function &function) {
    SmallVector<BranchInst *, 32> found;
    for (Instruction &each : instructions(function))
        if (auto *branch = dyn_cast<BranchInst>(&each); branch && branch->isConditional() &&
                                                         branch->getSuccessor(0) != branch->getSuccessor(1))
            found.push_back(branch);
    return found;
}

// A block on the way from the branch to its successor.
static BasicBlock *edge(BranchInst &branch, unsigned which) {
    BasicBlock *from = branch.getParent(), *to = branch.getSuccessor(which);
    BasicBlock *between = BasicBlock::Create(branch.getContext(), "", branch.getFunction(), to);
    to->replacePhiUsesWith(from, between);
    branch.setSuccessor(which, between);
    return between;
}

static void alsoFrom(BasicBlock *to, BasicBlock *known, BasicBlock *added) {
    for (PHINode &phi : to->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(known), added);
}

void checkBranch(BranchInst &branch, const Flows &flows, Report &report, StopBlock &stop) {
    const Copies *others = flows.of(branch.getCondition());
    if (!others)
        return;
    report.count("branch");
    BasicBlock *targets[] = {branch.getSuccessor(0), branch.getSuccessor(1)};
    BasicBlock *edges[] = {edge(branch, 0), edge(branch, 1)};
    BasicBlock *elsewhere = nullptr;
    IRBuilder<> at(branch.getContext());
    at.SetCurrentDebugLocation(branch.getDebugLoc());
    if (flows.count() == 2) {
        // The first two flows do not agree: the third one decides, and both targets can be reached from here.
        elsewhere = BasicBlock::Create(branch.getContext(), "", branch.getFunction());
        at.SetInsertPoint(elsewhere);
        bump(at, "__loadstone_corrected");
        at.CreateCondBr((*others)[1], targets[0], targets[1]);
        for (unsigned i = 0; i < 2; i++)
            alsoFrom(targets[i], edges[i], elsewhere);
    } else {
        elsewhere = stop.get();
    }
    MDBuilder weights(branch.getContext());
    at.SetInsertPoint(edges[0]);
    at.CreateCondBr((*others)[0], targets[0], elsewhere, weights.createLikelyBranchWeights());
    at.SetInsertPoint(edges[1]);
    at.CreateCondBr((*others)[0], elsewhere, targets[1], weights.createUnlikelyBranchWeights());
}

} // namespace loadstone
