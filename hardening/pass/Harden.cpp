#include "Harden.h"

#include "Checks.h"
#include "Prepare.h"
#include "Refuse.h"
#include "Transactions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

namespace loadstone {

// What was true of the function before it could stop, read twice and use assembly.
static void dropAttributes(Function &function) {
    for (Attribute::AttrKind each : {Attribute::Memory, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                                     Attribute::Speculatable, Attribute::MustProgress})
        function.removeFnAttr(each);
    // Should a later pass make a switch again: a table of jumps would be read with an index that nothing checks.
    function.addFnAttr("no-jump-tables", "true");
}

void harden(Function &function, const Options &options, Report &report, FunctionAnalysisManager &analyses) {
    if (std::string reason = reasonToSkip(function); !reason.empty()) {
        report.notProtected(function, reason);
        return;
    }
    for (const Instruction &each : instructions(function))
        if (std::string construct = partOnly(each); !construct.empty())
            report.inPartOnly(each, construct);
    // The compiler would compare and jump by itself, in one flow; branches are tested in all of them.
    LowerSwitchPass().run(function, analyses);
    analyses.clear(function, function.getName());
    prepare(function);
    SmallVector<Leaving, 64> leaving = leavings(function, options);
    SmallVector<BranchInst *, 32> branching = branches(function);
    SmallVector<Instruction *, 8> loops;
    if (options.mode == Mode::Tx)
        loops = endsOfLoops(function);
    StopBlock stop(function, options.mode);
    Flows flows(function, options, report, stop);
    flows.make();
    for (const Leaving &each : leaving)
        check(each, flows, report, stop);
    for (BranchInst *each : branching)
        checkBranch(*each, flows, report, stop);
    if (options.mode == Mode::Tx)
        transact(function, loops);
    dropAttributes(function);
    function.addFnAttr("loadstone-hardened", nameOf(options.mode));
    report.hardened(options.mode);
    std::string wrong;
    raw_string_ostream says(wrong);
    if (verifyFunction(function, &says))
        fail(*function.getParent(), "a defect of the pass in function `" + function.getName() +
                                        "`; report it, and leave the function out meanwhile with "
                                        "LOADSTONE_HARDEN_EXCEPT: " + wrong);
}

} // namespace loadstone
