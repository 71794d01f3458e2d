#include "Apart.h"
#include "Flows.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace loadstone {

// How often a load that differs is repeated before it counts as a fault. Another thread that writes the same memory in
// between needs one or two; a value that stays different never agrees.
static const unsigned mostAttempts = 1000;

static LoadInst *loadOnceMore(IRBuilderBase &at, LoadInst &load, Value *address) {
    LoadInst *again = at.CreateAlignedLoad(load.getType(), address, load.getAlign());
    again->setVolatile(true);
    return again;
}

// Volatile where the address is the same: the compiler would read once.
static LoadInst *loadBeside(IRBuilderBase &at, LoadInst &load, Value *address) {
    return at.CreateAlignedLoad(load.getType(), address, load.getAlign(), address == load.getPointerOperand());
}

namespace {
// The blocks around a comparison of loads:
//
//   compared: equal -> rest, otherwise -> differing
//   differing: settled -> healed, otherwise -> again
//   again: reads once more -> differing, too often -> stop
//   healed: counts -> rest
class Comparison {
  public:
    Comparison(LoadInst &load, Copies loads, ArrayRef<Value *> addresses, const Options &options, StopBlock &stop)
        : load(load), loads(std::move(loads)), addresses(addresses), options(options), stop(stop) {}

    Value *settle(Copies &copies);

  private:
    PHINode *phi(IRBuilderBase &at, Value *first) {
        PHINode *made = at.CreatePHI(load.getType(), 2);
        made->addIncoming(first, compared);
        return made;
    }
    BasicBlock *blockBefore(BasicBlock *next) {
        return BasicBlock::Create(load.getContext(), "", load.getFunction(), next);
    }

    LoadInst &load;
    Copies loads; // of the other flows
    ArrayRef<Value *> addresses;
    const Options &options;
    StopBlock &stop;
    BasicBlock *compared = nullptr;
};
} // namespace

Value *Comparison::settle(Copies &copies) {
    auto *lastLoad = cast<Instruction>(loads.back());
    compared = load.getParent();
    BasicBlock *rest = compared->splitBasicBlock(std::next(lastLoad->getIterator()));
    BasicBlock *differing = blockBefore(rest), *again = blockBefore(rest), *healed = blockBefore(rest);
    MDNode *rare = MDBuilder(load.getContext()).createUnlikelyBranchWeights();
    IRBuilder<> at(rest, rest->begin());
    at.SetCurrentDebugLocation(load.getDebugLoc());
    PHINode *result = at.CreatePHI(load.getType(), 2);
    load.replaceAllUsesWith(result);
    result->addIncoming(&load, compared);
    for (Value *each : loads)
        copies.push_back(phi(at, each));

    compared->getTerminator()->eraseFromParent();
    at.SetInsertPoint(compared);
    at.CreateCondBr(differs(at, &load, loads[0]), differing, rest, rare);

    at.SetInsertPoint(differing);
    PHINode *attempt = at.CreatePHI(at.getInt32Ty(), 2);
    attempt->addIncoming(at.getInt32(0), compared);
    PHINode *first = phi(at, &load);
    SmallVector<PHINode *, 2> second;
    for (Value *each : loads)
        second.push_back(phi(at, each));
    Value *settled, *agreed = first;
    if (second.size() == 2) {
        Value *othersAgree = at.CreateNot(differs(at, second[0], second[1]));
        settled = at.CreateOr(othersAgree, at.CreateNot(differs(at, first, second[1])));
        settled = at.CreateOr(settled, at.CreateNot(differs(at, first, second[0])));
        agreed = at.CreateSelect(othersAgree, second[0], first);
    } else {
        settled = at.CreateNot(differs(at, first, second[0]));
    }
    at.CreateCondBr(settled, healed, again);

    at.SetInsertPoint(again);
    Value *next = at.CreateAdd(attempt, at.getInt32(1));
    attempt->addIncoming(next, again);
    first->addIncoming(loadOnceMore(at, load, load.getPointerOperand()), again);
    for (unsigned flow = 0; flow < second.size(); flow++)
        second[flow]->addIncoming(loadOnceMore(at, load, addresses[flow]), again);
    at.CreateCondBr(at.CreateICmpULT(next, at.getInt32(mostAttempts)), differing, stop.get());

    at.SetInsertPoint(healed);
    bump(at, options.mode == Mode::Tmr ? "__loadstone_corrected" : "__loadstone_reloaded");
    result->addIncoming(agreed, healed);
    for (unsigned flow = 0; flow < copies.size(); flow++)
        cast<PHINode>(copies[flow])->addIncoming(apart(at, agreed, flow), healed);
    at.CreateBr(rest);
    return result;
}

Value *loadAgain(LoadInst &load, ArrayRef<Value *> addresses, const Options &options, StopBlock &stop,
                 Copies &copies) {
    // Behind the copies of the addresses.
    Instruction *behind = &load;
    for (Value *each : addresses)
        if (auto *made = dyn_cast<Instruction>(each); made && made->getParent() == load.getParent() &&
                                                       behind->comesBefore(made))
            behind = made;
    IRBuilder<> at(load.getParent(), std::next(behind->getIterator()));
    at.SetCurrentDebugLocation(load.getDebugLoc());
    Copies loads;
    for (Value *address : addresses)
        loads.push_back(loadBeside(at, load, address));
    if (options.mode != Mode::Tmr && options.loads == Loads::Dup) {
        copies = loads;
        return &load;
    }
    return Comparison(load, loads, addresses, options, stop).settle(copies);
}

} // namespace loadstone
