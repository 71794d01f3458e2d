// What was protected and what was not: counted for the statistics, and said as warnings of the compiler.
#pragma once

#include "Options.h"

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <set>

namespace loadstone {

class Report {
  public:
    explicit Report(llvm::Module &module) : module(module) {}

    void hardened(Mode mode); // one function more
    void leftAsAsked(const llvm::Function &function);

    // The whole function stays as it is, for this construct. Warns.
    void notProtected(const llvm::Function &function, llvm::StringRef construct);

    // Something in a hardened function stays as it is. Warns once for each function and construct.
    void inPartOnly(const llvm::Instruction &at, llvm::StringRef construct);

    // Something outside of functions.
    void moduleNotProtected(llvm::StringRef construct);

    // `what`: instructions, doubled, loads, copied, or a kind of check.
    void count(llvm::StringRef what, uint64_t by = 1) { counts[what.str()] += by; }

    // Appends one line of JSON to the file. An error of the compiler where that fails.
    void write(const Options &options) const;

  private:
    llvm::Module &module;
    std::map<std::string, uint64_t> counts;
    std::map<std::string, uint64_t> functions; // by mode
    std::map<std::pair<std::string, std::string>, uint64_t> parts; // function, construct
    llvm::json::Array skipped;
    llvm::json::Array outside;
    std::vector<std::string> asked;
};

} // namespace loadstone
