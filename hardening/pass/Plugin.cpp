// The plugin: for `clang -fpass-plugin=`, for `opt -load-pass-plugin= -passes=loadstone-harden`, and for rustc.
#include "Harden.h"
#include "Refuse.h"
#include "Stop.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace loadstone;

namespace {

// The annotations `loadstone-harden:MODE` of the module's functions, as `__attribute__((annotate("…")))` leaves them.
DenseMap<const Function *, StringRef> annotationsOf(const Module &module) {
    DenseMap<const Function *, StringRef> found;
    const GlobalVariable *all = module.getGlobalVariable("llvm.global.annotations");
    if (!all || !all->hasInitializer())
        return found;
    for (const Value *each : cast<ConstantArray>(all->getInitializer())->operands()) {
        const auto *entry = cast<ConstantStruct>(each);
        const auto *function = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts());
        const auto *text = dyn_cast<GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
        const auto *bytes = text ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
        StringRef words = bytes && bytes->isCString() ? bytes->getAsCString() : "";
        if (function && words.consume_front("loadstone-harden:"))
            found[function] = words;
    }
    return found;
}

// Where in the pipeline a pass stands: behind the optimisation of a file, of a file of which the linker will optimise the
// whole program, or of the whole program.
enum class Place { File, FileOfWhole, Whole };

class HardenPass : public PassInfoMixin<HardenPass> {
  public:
    explicit HardenPass(Place place) : place(place) {}
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
        std::string wrong;
        std::optional<Options> options = optionsOfEnvironment(wrong);
        if (!options) {
            fail(module, wrong);
            return PreservedAnalyses::all();
        }
        if (place == (options->when == When::Link ? Place::FileOfWhole : Place::Whole))
            return PreservedAnalyses::all();
        if (Triple machine(module.getTargetTriple()); options->mode != Mode::Off && machine.getArch() != Triple::x86_64) {
            fail(module, "code is hardened for x86-64 only, and this is for " + machine.str());
            return PreservedAnalyses::all();
        }
        auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
        return hardenAll(module, *options, functions) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }

  private:
    Place place;

    static bool hardenAll(Module &module, const Options &options, FunctionAnalysisManager &analyses) {
        Report report(module);
        DenseMap<const Function *, StringRef> annotations = annotationsOf(module);
        SmallVector<Function *, 64> functions;
        for (Function &each : module)
            // With link-time optimisation the pass runs more than once: what is hardened stays as it is.
            if (!each.isDeclaration() && !each.hasAvailableExternallyLinkage() && !each.hasFnAttribute("loadstone-hardened"))
                functions.push_back(&each);
        for (Function *each : functions) {
            std::string wrong;
            std::optional<Options> own = optionsOf(*each, annotations.lookup(each), options, wrong);
            if (!own)
                fail(module, "function `" + each->getName() + "`: " + wrong);
            else if (own->mode == Mode::Off)
                report.leftAsAsked(*each);
            else
                harden(*each, *own, report, analyses);
        }
        if (options.mode != Mode::Off && !module.getModuleInlineAsm().empty())
            report.moduleNotProtected("assembly outside of functions");
        if (options.mode != Mode::Off && !functions.empty())
            nameVariant(module, options);
        if (!functions.empty())
            report.write(options);
        return !functions.empty();
    }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "loadstone-harden", LLVM_VERSION_STRING, [](PassBuilder &builder) {
#if LLVM_VERSION_MAJOR >= 20
                builder.registerOptimizerLastEPCallback(
                    [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase phase) {
                        bool whole = phase == ThinOrFullLTOPhase::FullLTOPreLink ||
                                     phase == ThinOrFullLTOPhase::ThinLTOPreLink;
                        passes.addPass(HardenPass(whole ? Place::FileOfWhole : Place::File));
                    });
#else
                // It does not say what will become of the file.
                builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel) {
                    passes.addPass(HardenPass(Place::File));
                });
#endif
                builder.registerFullLinkTimeOptimizationLastEPCallback(
                    [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(HardenPass(Place::Whole)); });
                builder.registerPipelineParsingCallback(
                    [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
                        if (name != "loadstone-harden")
                            return false;
                        passes.addPass(HardenPass(Place::File));
                        return true;
                    });
            }};
}
