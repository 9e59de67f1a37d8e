#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/enum_text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::cli {

/// A command-line option. Wraps CLI11's, which only command_line.cpp includes.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option required();
  /// The placeholder of its value in the help text: `F.json`.
  Option metavar(const char* text);
  Option oneOf(std::vector<std::string> values);
  Option range(int least, int most);
  Option range(double least, double most);
  Option notNegative();
  /// The help text says so.
  Option needs(Option other);
  /// Takes one value per occurrence: `--set A=1 --set B=2`.
  Option oneValuePerOccurrence();
  /// The help text ends with the current value as the default.
  Option showDefault();

 private:
  CLI::Option& option_;
};

/// A command or sub-command of the program, or the program itself.
class Command {
 public:
  Command(CLI::App& app, std::function<int()>& action) : app_(app), action_(action) {}

  Command command(const char* name, const char* help);
  void requireCommand();
  /// What follows the command's name in the usage line of its help.
  void usage(const char* arguments);
  /// A `name` without dashes is a positional argument. `value` must outlive runCommandLine().
  Option option(const char* name, std::string& value, const char* help);
  Option option(const char* name, std::vector<std::string>& values, const char* help);
  Option option(const char* name, int& value, const char* help);
  Option option(const char* name, std::int64_t& value, const char* help);
  Option option(const char* name, double& value, const char* help);
  Option option(const char* name, std::optional<int>& value, const char* help);
  Option option(const char* name, std::optional<double>& value, const char* help);
  /// Accepts the names of an enum's values, and lists them in the help text.
  template <base::HasTexts Enum>
  Option option(const char* name, std::optional<Enum>& value, const char* help) {
    std::vector<std::string> texts;
    for (const auto& row : base::kEnumTexts<Enum>) texts.push_back(row.text);
    const auto take = [&value](const std::string& text) { value = base::parseEnum<Enum>(text); };
    return choice(name, std::move(texts), take, help);
  }
  Option flag(const char* name, bool& value, const char* help);
  /// `--set KEY=VALUE`, which may be repeated. example: `solver.base_lr=0.01`.
  void overrides(std::vector<std::string>& values, const char* example);
  /// Sets what the program does when the command is chosen; `action` returns the exit status.
  void run(std::function<int()> action);

 private:
  Option choice(const char* name, std::vector<std::string> texts,
                std::function<void(const std::string&)> take, const char* help);

  CLI::App& app_;
  std::function<int()>& action_;
};

/// Parses the command line and runs the chosen command; returns the program's exit status. A parse
/// error goes to standard error as one line, with the nearest command or option:
/// `lockstep-engine train: unknown option --ouput: did you mean --output?`
/// Throws UserError for an option with an empty value (a script with an unset variable) and for a
/// value that is not UTF-8, which neither the messages between processes nor JSON files can hold.
int runCommandLine(int argc, const char* const* argv,
                   const std::function<void(Command&)>& addCommands);

}  // namespace lockstep::cli
