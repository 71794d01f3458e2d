#include "Report.h"

#include "Refuse.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace loadstone {

static std::string placeOf(const Function &function, const DebugLoc &at) {
    if (at)
        return (at->getFilename() + ":" + Twine(at.getLine()) + ": ").str();
    if (const DISubprogram *known = function.getSubprogram())
        return (known->getFilename() + ":" + Twine(known->getLine()) + ": ").str();
    return "";
}

namespace {
class NotProtected : public DiagnosticInfo {
  public:
    explicit NotProtected(const Twine &text) : DiagnosticInfo(kind(), DS_Warning), text(text.str()) {}
    void print(DiagnosticPrinter &out) const override { out << text; }

  private:
    static int kind() {
        static const int own = getNextAvailablePluginDiagnosticKind();
        return own;
    }
    std::string text;
};
} // namespace

static void warn(Module &module, const Twine &text) {
    if (isFromRustc(module))
        errs() << "loadstone: warning: " << text << '\n'; // its handler drops what it does not know
    else
        module.getContext().diagnose(NotProtected(text));
}

void Report::hardened(Mode mode) {
    functions[nameOf(mode).str()]++;
}

void Report::leftAsAsked(const Function &function) {
    asked.push_back(function.getName().str());
}

void Report::notProtected(const Function &function, StringRef construct) {
    skipped.push_back(json::Object{{"function", function.getName().str()}, {"construct", construct.str()}});
    warn(module, placeOf(function, DebugLoc()) + "function `" + function.getName() +
                                  "` is not hardened: it has " + construct);
}

void Report::inPartOnly(const Instruction &at, StringRef construct) {
    const Function &function = *at.getFunction();
    if (parts[{function.getName().str(), construct.str()}]++ == 0)
        warn(module, placeOf(function, at.getDebugLoc()) + "in function `" + function.getName() +
                                      "`, not hardened: " + construct);
}

void Report::moduleNotProtected(StringRef construct) {
    outside.push_back(construct.str());
    warn(module, module.getSourceFileName() + ": not hardened: " + construct);
}

void Report::write(const Options &options) const {
    if (options.statistics.empty())
        return;
    json::Object modes, counted;
    for (const auto &[mode, number] : functions)
        modes[mode] = number;
    for (const auto &[what, number] : counts)
        counted[what] = number;
    json::Array inPart;
    for (const auto &[where, times] : parts)
        inPart.push_back(json::Object{{"function", where.first}, {"construct", where.second}, {"times", times}});
    json::Object line{{"format", 1},
                      {"module", module.getSourceFileName()},
                      {"mode", nameOf(options.mode)},
                      {"loads", options.mode == Mode::Tmr ? StringRef("vote") : nameOf(options.loads)},
                      {"functions", std::move(modes)},
                      {"left_as_asked", json::Array(asked)},
                      {"counts", std::move(counted)},
                      {"functions_not_protected", json::Array(skipped)},
                      {"protected_in_part", std::move(inPart)},
                      {"outside_functions", json::Array(outside)}};
    std::string text;
    raw_string_ostream(text) << json::Value(std::move(line)) << '\n';
    std::error_code failed;
    // One write for the line: compilers that run side by side append to one file.
    raw_fd_ostream out(options.statistics, failed, sys::fs::CD_OpenAlways, sys::fs::FA_Write, sys::fs::OF_Append);
    if (failed) {
        fail(module, "LOADSTONE_HARDEN_STATS: cannot write " + options.statistics + ": " + failed.message());
        return;
    }
    out.SetBufferSize(text.size() + 1);
    out << text;
}

} // namespace loadstone
