#include "engine/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/config/fields.h"

namespace lockstep::cli {
namespace {

/// The sub-command the command line names, as deep as it goes.
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

std::string unknownWord(const CLI::App& command, const std::string& word) {
  const bool isFlag = word.starts_with("-");
  const auto names = namesOf(command, isFlag);
  const std::string bare = word.substr(0, word.find('='));
  std::string text = fullName(command) + ": ";
  if (isFlag) {
    text += "unknown option " + bare;
  } else if (names.empty()) {
    text += "'" + word + "' is one argument too many";
  } else {
    text += "unknown command '" + word + "'";
  }
  if (const std::string near = config::nearestWord(bare, names); !near.empty())
    return text + ": did you mean " + near + "?";
  return text + " (see " + fullName(command) + " --help)";
}

}  // namespace

std::string describeFault(const CLI::App& app, const CLI::Error& fault) {
  const CLI::App& command = chosenCommand(app);
  const auto remaining = command.remaining();
  // An unknown word explains more than what is missing because of it.
  if (!remaining.empty()) return unknownWord(command, remaining.front());
  std::string text = fault.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fullName(command) + ": " + text + " (see " + fullName(command) + " --help)";
}

void refuseUnusableValues(const CLI::App& app) {
  const CLI::App& command = chosenCommand(app);
  for (const CLI::Option* option : command.get_options()) {
    const std::string where = fullName(command) + ": " + option->get_name() + ": ";
    for (const std::string& value : option->results()) {
      if (value.empty())
        throw base::mendable(where + "is given with nothing in it; leave it out or say something");
      if (!base::isUtf8(value))
        throw base::mendable(where + value + ": the name is not UTF-8: rename the file");
    }
  }
}

}  // namespace lockstep::cli
