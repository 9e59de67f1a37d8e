#include "engine/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/config/fields.h"

namespace lockstep::cli {
namespace {

/// The innermost sub-command that the command line names.
const CLI::App& chosenCommand(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosenCommand(*chosen.front());
}

std::string fullName(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : fullName(*parent) + " " + command.get_name();
}

std::vector<std::string> namesOf(const CLI::App& command, bool flags) {
  std::vector<std::string> names;
  if (!flags) {
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(sub->get_name());
    }
    return names;
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknownArgument(const CLI::App& command, const std::string& argument) {
  const bool isFlag = argument.starts_with("-");
  const auto names = namesOf(command, isFlag);
  const std::string bare = argument.substr(0, argument.find('='));
  std::string text = fullName(command) + ": ";
  if (isFlag) {
    text += "unknown option " + bare;
  } else if (names.empty()) {
    text += "unexpected argument '" + argument + "'";
  } else {
    text += "unknown command '" + argument + "'";
  }
  if (const std::string near = config::nearestWord(bare, names); !near.empty())
    return text + ": did you mean " + near + "?";
  return text + " (see " + fullName(command) + " --help)";
}

std::string describeError(const CLI::App& app, const CLI::Error& error) {
  const CLI::App& command = chosenCommand(app);
  const auto remaining = command.remaining();
  // A mistyped option often also leaves a required one missing: report the mistyped one.
  if (!remaining.empty()) return unknownArgument(command, remaining.front());
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fullName(command) + ": " + text + " (see " + fullName(command) + " --help)";
}

void refuseUnusableValues(const CLI::App& app) {
  const CLI::App& command = chosenCommand(app);
  for (const CLI::Option* option : command.get_options()) {
    const std::string where = fullName(command) + ": " + option->get_name() + ": ";
    for (const std::string& value : option->results()) {
      if (value.empty()) throw UserError(where + "is empty; omit the option or give it a value");
      if (!base::isUtf8(value))
        throw UserError(where + value + ": the name is not UTF-8: rename the file");
    }
  }
}

template <typename Value>
Option add(CLI::App& app, const char* name, Value& value, const char* help) {
  return Option(*app.add_option(name, value, help));
}

}  // namespace

Option Option::required() {
  option_.required();
  return *this;
}

Option Option::metavar(const char* text) {
  option_.option_text(text);
  return *this;
}

Option Option::oneOf(std::vector<std::string> values) {
  option_.check(CLI::IsMember(std::move(values)));
  return *this;
}

Option Option::range(int least, int most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

Option Option::range(double least, double most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

Option Option::notNegative() {
  option_.check(CLI::NonNegativeNumber);
  return *this;
}

Option Option::needs(Option other) {
  option_.needs(&other.option_);
  return *this;
}

Option Option::oneValuePerOccurrence() {
  option_.allow_extra_args(false);
  return *this;
}

Option Option::showDefault() {
  option_.capture_default_str();
  return *this;
}

Command Command::command(const char* name, const char* help) {
  return Command(*app_.add_subcommand(name, help), action_);
}

void Command::requireCommand() { app_.require_subcommand(1); }

Option Command::option(const char* name, std::string& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, std::vector<std::string>& values, const char* help) {
  return add(app_, name, values, help);
}
Option Command::option(const char* name, int& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, std::int64_t& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, double& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, std::optional<int>& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, std::optional<double>& value, const char* help) {
  return add(app_, name, value, help);
}

Option Command::choice(const char* name, std::vector<std::string> texts,
                       std::function<void(const std::string&)> take, const char* help) {
  std::string shown;
  for (const std::string& text : texts) shown += (shown.empty() ? "" : "|") + text;
  Option option(*app_.add_option_function<std::string>(name, std::move(take), help));
  return option.metavar(shown.c_str()).oneOf(std::move(texts));
}

Option Command::flag(const char* name, bool& value, const char* help) {
  return Option(*app_.add_flag(name, value, help));
}

void Command::run(std::function<int()> action) {
  app_.callback([&chosen = action_, action = std::move(action)] { chosen = action; });
}

int runCommandLine(int argc, const char* const* argv,
                   const std::function<void(Command&)>& addCommands) {
  CLI::App app("Train, evaluate and run instance-segmentation models.", "lockstep-engine");
  app.set_version_flag("--version", "lockstep-engine " LOCKSTEP_VERSION);
  app.footer(
      "Exit status: 0 done, 1 failed, 2 the command line or the experiment file is wrong,\n"
      "75 stopped on request with a checkpoint, 130 killed by a second signal.");
  std::function<int()> action;
  Command program(app, action);
  program.requireCommand();
  addCommands(program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::Error& error) {
    std::fprintf(stderr, "%s\n", describeError(app, error).c_str());
    return static_cast<int>(ExitStatus::UserError);
  }
  refuseUnusableValues(app);
  return action();
}

}  // namespace lockstep::cli
