// What to do with a module or a function: the environment says it, and attributes of a function override it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

#include <optional>
#include <string>
#include <vector>

namespace loadstone {

// `Ilr` stops at a fault, `Tmr` outvotes it, `Tx` is `Ilr` within hardware transactions that are tried again.
enum class Mode { Off, Ilr, Tmr, Tx };

// How the second flow gets a loaded value, in the modes Ilr and Tx. `Cmp`: loads again, compares at once and reads
// both again while they differ. `Dup`: loads again, as the paper does. `Move`: copies the register.
enum class Loads { Cmp, Dup, Move };

// When a program that is optimised as a whole at link time is hardened. `File`: when each file is compiled. `Link`: once,
// behind the optimisation of the whole; so libraries that come as bitcode, Rust's own among them, are hardened, too.
enum class When { File, Link };

struct Options {
    Mode mode = Mode::Ilr;
    Loads loads = Loads::Cmp;
    When when = When::File;
    std::string statistics; // file that gets a line of JSON for each module; empty: none
    std::vector<std::string> except; // names of functions that stay as they are
};

// LOADSTONE_HARDEN, _LOADS, _AT, _EXCEPT and _STATS. Nothing if one of them makes no sense: `wrong` says which.
std::optional<Options> optionsOfEnvironment(std::string &wrong);

// For one function: `options`, with its attributes "loadstone-harden" and "loadstone-harden-loads", the annotation
// `loadstone-harden:MODE` and the list of exceptions. Nothing as above.
std::optional<Options> optionsOf(const llvm::Function &function, llvm::StringRef annotation, const Options &options,
                                 std::string &wrong);

llvm::StringRef nameOf(Mode mode);
llvm::StringRef nameOf(Loads loads);

} // namespace loadstone
