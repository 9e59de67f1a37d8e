#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace lockstep::cli {

/// What is wrong with a command line, in one line, with the nearest command or flag.
/// `lockstep-engine train: unknown option --ouput: did you mean --output?`
std::string describeFault(const CLI::App& app, const CLI::Error& fault);

/// Throws Error (mendable) when an option of the chosen command is given with nothing in it, as a
/// script with an unset variable does, or with what is no UTF-8: neither messages between processes
/// nor the files that are made can hold it.
void refuseUnusableValues(const CLI::App& app);

}  // namespace lockstep::cli
