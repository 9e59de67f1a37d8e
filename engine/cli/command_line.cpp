#include "engine/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/standard_streams.h"
#include "engine/base/utf8.h"
#include "engine/config/fields.h"

namespace lockstep::cli {
namespace {

/// Shows only the metavar of an option beside its name; defaults and required options are in its
/// help. `arguments`: what follows the command in the usage line; "": CLI11's own line.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string arguments = {}) : arguments_(std::move(arguments)) {}

  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = option->get_option_text();
    return text.empty() ? text : " " + text;
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (arguments_.empty()) return CLI::Formatter::make_usage(app, std::move(name));
    return "Usage: " + name + " " + arguments_ + "\n";
  }

 private:
  std::string arguments_;
};

/// Why `text` is not a Number; empty if it is. Parses as CLI11 does, whose own message is terse.
template <typename Number>
std::string numberError(const std::string& text) {
  Number value{};
  if (text.empty() || CLI::detail::lexical_cast(text, value)) return {};
  if constexpr (std::is_floating_point_v<Number>) {
    return text + " is not a number";
  } else {
    std::int64_t wide = 0;
    return text +
           (CLI::detail::lexical_cast(text, wide) ? " is out of range" : " is not an integer");
  }
}

/// Why `text` is not a Number from `least` to `most`; empty if it is.
template <typename Number>
std::string rangeError(const std::string& text, Number least, Number most) {
  Number value{};
  if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
  constexpr int kDigits = 12;
  return text + " is not in " + base::shortNumber(static_cast<double>(least), kDigits) + " … " +
         base::shortNumber(static_cast<double>(most), kDigits);
}

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

bool has(const CLI::App& command, std::string_view option) {
  return std::ranges::any_of(command.get_options(), [option](const CLI::Option* known) {
    return known->check_name(std::string(option));
  });
}

/// An option of the scripts of detectron2, mmdetection and torchvision.
struct OtherOption {
  std::string_view theirs;
  std::string_view beside;  ///< an option of the commands that the advice is for
  std::string_view advice;
};
constexpr OtherOption kOtherOptions[] = {
    {"--config-file", "--set", "give the experiment file without an option"},
    {"--config", "--set", "give the experiment file without an option"},
    {"--opts", "--set", "use --set KEY=VALUE, once for each key"},
    {"--cfg-options", "--set", "use --set KEY=VALUE, once for each key"},
    {"--eval-only", "--resume", "use lockstep-engine evaluate"},
    {"--test-only", "--resume", "use lockstep-engine evaluate"},
    {"--work-dir", "--output", "use --output RUN_DIR"},
    {"--num-gpus", "--workers", "use --workers N; by default every GPU has a rank"},
    {"--gpus", "--workers", "use --workers N; by default every GPU has a rank"},
    {"--num-machines", "--resume",
     "start the command on every machine, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set"},
    {"--machine-rank", "--resume", "set RANK in the environment"},
    {"--dist-url", "--resume", "set MASTER_ADDR and MASTER_PORT in the environment"},
    {"--input", "--images", "use --images PATH"},
    {"--confidence-threshold", "--score", "use --score S"},
};

/// Advice for an option of another tool, or "". `bare`: the option without its value.
std::string adviceForOption(const CLI::App& command, const std::string& bare) {
  for (const OtherOption& option : kOtherOptions)
    if (option.theirs == bare && has(command, option.beside)) return std::string(option.advice);
  return {};
}

/// Advice for a key given as an option or argument (`--lr 0.01`, `SOLVER.BASE_LR 0.01`), or "".
std::string adviceForKey(const CLI::App& command, const std::string& bare) {
  const std::size_t begin = bare.find_first_not_of('-');
  if (begin == std::string::npos || !has(command, "--set")) return {};
  const std::string key = config::nearestKey(bare.substr(begin));
  return key.empty() ? key : "use --set " + key + "=VALUE";
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
  if (const std::string advice = adviceForOption(command, bare); !advice.empty())
    return text + ": " + advice;
  if (const std::string near = config::nearestWord(bare, names); !near.empty())
    return text + ": did you mean " + near + "?";
  if (const std::string advice = adviceForKey(command, bare); !advice.empty())
    return text + ": " + advice;
  return text + " (see " + fullName(command) + " --help)";
}

/// `give RUN`, `give --out F.json`, `give a command`, for the first required one that is missing.
std::string missingArgument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const std::string name = option->get_positional() ? "" : option->get_name() + " ";
    return "give " + name + option->get_option_text();
  }
  return "give a command";
}

std::string errorText(const CLI::App& command, const CLI::Error& error) {
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missingArgument(command);
  std::string text = error.what();
  const bool lacksValue =
      dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.ends_with(" missing");
  if (lacksValue) return text.substr(0, text.find(':')) + ": give a value";
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Whether the command line names a sub-command that does not exist, as in `dataset import --help`.
bool hasUnknownCommand(const CLI::App& app) {
  const CLI::App& command = chosenCommand(app);
  const auto remaining = command.remaining();
  return !remaining.empty() && !remaining.front().starts_with("-") &&
         !namesOf(command, /*flags=*/false).empty();
}

std::string describeError(const CLI::App& app, const CLI::Error& error) {
  const CLI::App& command = chosenCommand(app);
  const auto remaining = command.remaining();
  // A mistyped option often also leaves a required one missing: report the mistyped one.
  if (!remaining.empty()) return unknownArgument(command, remaining.front());
  return fullName(command) + ": " + errorText(command, error) + " (see " + fullName(command) +
         " --help)";
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

template <typename Number, typename Value>
Option addNumber(CLI::App& app, const char* name, Value& value, const char* help) {
  CLI::Option* option = app.add_option(name, value, help);
  option->check([](const std::string& text) { return numberError<Number>(text); });
  return Option(*option);
}

void appendToHelp(CLI::Option& option, const std::string& text) {
  option.description(option.get_description() + " (" + text + ")");
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
  option_.check([values = std::move(values)](const std::string& text) -> std::string {
    if (std::find(values.begin(), values.end(), text) != values.end()) return {};
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + value;
    return text + " is not one of " + list;
  });
  return *this;
}

Option Option::range(int least, int most) {
  option_.check([least, most](const std::string& text) { return rangeError(text, least, most); });
  return *this;
}

Option Option::range(double least, double most) {
  option_.check([least, most](const std::string& text) { return rangeError(text, least, most); });
  return *this;
}

Option Option::notNegative() {
  option_.check([](const std::string& text) -> std::string {
    return text.starts_with('-') ? text + ": must be ≥ 0" : std::string();
  });
  return *this;
}

Option Option::needs(Option other) {
  option_.needs(&other.option_);
  appendToHelp(option_, "requires " + other.option_.get_name());
  return *this;
}

Option Option::oneValuePerOccurrence() {
  option_.allow_extra_args(false);
  return *this;
}

Option Option::showDefault() {
  option_.capture_default_str();
  appendToHelp(option_, "default: " + option_.get_default_str());
  return *this;
}

Command Command::command(const char* name, const char* help) {
  return Command(*app_.add_subcommand(name, help), action_);
}

void Command::usage(const char* arguments) {
  app_.formatter(std::make_shared<HelpFormatter>(arguments));
}

void Command::requireCommand() { app_.require_subcommand(1); }

Option Command::option(const char* name, std::string& value, const char* help) {
  return add(app_, name, value, help);
}
Option Command::option(const char* name, std::vector<std::string>& values, const char* help) {
  return add(app_, name, values, help);
}
Option Command::option(const char* name, int& value, const char* help) {
  return addNumber<int>(app_, name, value, help);
}
Option Command::option(const char* name, std::int64_t& value, const char* help) {
  return addNumber<std::int64_t>(app_, name, value, help);
}
Option Command::option(const char* name, double& value, const char* help) {
  return addNumber<double>(app_, name, value, help);
}
Option Command::option(const char* name, std::optional<int>& value, const char* help) {
  return addNumber<int>(app_, name, value, help);
}
Option Command::option(const char* name, std::optional<double>& value, const char* help) {
  return addNumber<double>(app_, name, value, help);
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

void Command::overrides(std::vector<std::string>& values, const char* example) {
  const std::string help = std::string("Override a key: ") + example +
                           " (may be repeated; `lockstep-engine config docs` lists all keys)";
  option("--set", values, help.c_str()).metavar("KEY=VALUE").oneValuePerOccurrence();
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
      "75 stopped on request: the same command continues, 130 killed by a second signal.");
  app.formatter(std::make_shared<HelpFormatter>());
  std::function<int()> action;
  Command program(app, action);
  program.requireCommand();
  addCommands(program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    if (!hasUnknownCommand(app)) return app.exit(success);
    base::printMessage(describeError(app, success));
    return static_cast<int>(ExitStatus::UserError);
  } catch (const CLI::Error& error) {
    base::printMessage(describeError(app, error));
    return static_cast<int>(ExitStatus::UserError);
  }
  refuseUnusableValues(app);
  return action();
}

}  // namespace lockstep::cli
