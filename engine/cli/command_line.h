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

/// An option of a command, after CLI11's; command_line.cpp alone includes that.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option required();
  /// What stands for its value in the help.
  Option text(const char* text);
  Option oneOf(std::vector<std::string> values);
  Option from(int least, int most);
  Option from(double least, double most);
  Option notNegative();
  Option needs(Option other);
  /// Each value has an option of its own before it.
  Option oneValueEach();
  /// The help tells the value that it has now.
  Option showDefault();

 private:
  CLI::Option& option_;
};

/// A command of the program, or the program itself.
class Command {
 public:
  Command(CLI::App& app, std::function<int()>& action) : app_(app), action_(action) {}

  Command command(const char* name, const char* help);
  void requireCommand();
  /// A `name` without dashes stands for a place. The value outlives the command line.
  Option option(const char* name, std::string& value, const char* help);
  Option option(const char* name, std::vector<std::string>& values, const char* help);
  Option option(const char* name, int& value, const char* help);
  Option option(const char* name, std::int64_t& value, const char* help);
  Option option(const char* name, double& value, const char* help);
  Option option(const char* name, std::optional<int>& value, const char* help);
  Option option(const char* name, std::optional<double>& value, const char* help);
  /// Takes the texts of an enum, which stand for its value in the help.
  template <base::HasTexts Enum>
  Option option(const char* name, std::optional<Enum>& value, const char* help) {
    std::vector<std::string> texts;
    for (const auto& row : base::kEnumTexts<Enum>) texts.push_back(row.text);
    const auto take = [&value](const std::string& text) { value = base::parseEnum<Enum>(text); };
    return choice(name, std::move(texts), take, help);
  }
  Option flag(const char* name, bool& value, const char* help);
  /// What the program does when the command is chosen; its value is the exit status.
  void run(std::function<int()> action);

 private:
  Option choice(const char* name, std::vector<std::string> texts,
                std::function<void(const std::string&)> take, const char* help);

  CLI::App& app_;
  std::function<int()>& action_;
};

/// Reads a command line and does what it says; returns the program's exit status. What is wrong
/// with it goes to standard error in one line, with the nearest command or flag:
/// `lockstep-engine train: unknown option --ouput: did you mean --output?`
/// Throws Error (mendable) when an option is given with nothing in it, as a script with an unset
/// variable does, or with what is no UTF-8: neither messages between processes nor the files that
/// are made can hold it.
int runCommandLine(int argc, const char* const* argv,
                   const std::function<void(Command&)>& addCommands);

}  // namespace lockstep::cli
