#include "Options.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdlib>

using namespace llvm;

namespace loadstone {

static std::optional<Mode> modeOf(StringRef text) {
    return StringSwitch<std::optional<Mode>>(text)
        .Case("off", Mode::Off)
        .Case("ilr", Mode::Ilr)
        .Case("tmr", Mode::Tmr)
        .Case("tx", Mode::Tx)
        .Default(std::nullopt);
}

static std::optional<Loads> loadsOf(StringRef text) {
    return StringSwitch<std::optional<Loads>>(text)
        .Case("cmp", Loads::Cmp)
        .Case("dup", Loads::Dup)
        .Case("move", Loads::Move)
        .Default(std::nullopt);
}

static StringRef fromEnvironment(const char *name) {
    const char *text = std::getenv(name);
    return text ? text : "";
}

static bool read(StringRef mode, StringRef loads, StringRef where, Options &options, std::string &wrong) {
    if (!mode.empty()) {
        std::optional<Mode> known = modeOf(mode);
        if (!known) {
            wrong = (where + ": mode `" + mode + "` is none of off, ilr, tmr, tx").str();
            return false;
        }
        options.mode = *known;
    }
    if (!loads.empty()) {
        std::optional<Loads> known = loadsOf(loads);
        if (!known) {
            wrong = (where + ": loads `" + loads + "` are none of cmp, dup, move").str();
            return false;
        }
        options.loads = *known;
    }
    return true;
}

std::optional<Options> optionsOfEnvironment(std::string &wrong) {
    Options options;
    if (!read(fromEnvironment("LOADSTONE_HARDEN"), fromEnvironment("LOADSTONE_HARDEN_LOADS"), "environment", options,
              wrong))
        return std::nullopt;
    std::optional<When> when = StringSwitch<std::optional<When>>(fromEnvironment("LOADSTONE_HARDEN_AT"))
                                   .Case("", When::File)
                                   .Case("file", When::File)
                                   .Case("link", When::Link)
                                   .Default(std::nullopt);
    if (!when) {
        wrong = ("environment: at `" + fromEnvironment("LOADSTONE_HARDEN_AT") + "` is none of file, link").str();
        return std::nullopt;
    }
    options.when = *when;
    options.statistics = fromEnvironment("LOADSTONE_HARDEN_STATS").str();
    SmallVector<StringRef, 8> names;
    fromEnvironment("LOADSTONE_HARDEN_EXCEPT").split(names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef name : names)
        options.except.push_back(name.trim().str());
    return options;
}

std::optional<Options> optionsOf(const Function &function, StringRef annotation, const Options &options,
                                 std::string &wrong) {
    Options own = options;
    if (!read(annotation, "", "annotation", own, wrong) ||
        !read(function.getFnAttribute("loadstone-harden").getValueAsString(),
              function.getFnAttribute("loadstone-harden-loads").getValueAsString(), "attribute", own, wrong))
        return std::nullopt;
    for (const std::string &name : options.except)
        if (function.getName() == name)
            own.mode = Mode::Off;
    return own;
}

StringRef nameOf(Mode mode) {
    switch (mode) {
    case Mode::Off: return "off";
    case Mode::Ilr: return "ilr";
    case Mode::Tmr: return "tmr";
    case Mode::Tx: return "tx";
    }
    return "";
}

StringRef nameOf(Loads loads) {
    switch (loads) {
    case Loads::Cmp: return "cmp";
    case Loads::Dup: return "dup";
    case Loads::Move: return "move";
    }
    return "";
}

} // namespace loadstone
