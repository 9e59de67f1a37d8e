#include "engine/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

namespace lockstep::cli {
namespace {

std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

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
  if (const std::string near = nearestWord(bare, names); !near.empty())
    return text + ": did you mean " + near + "?";
  return text + " (see " + fullName(command) + " --help)";
}

}  // namespace

std::string nearestWord(const std::string& word, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t smallest = std::max<std::size_t>(word.size() / 3, 2) + 1;  // two letters change places
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string describeFault(const CLI::App& app, const CLI::Error& fault) {
  const CLI::App& command = chosenCommand(app);
  const auto remaining = command.remaining();
  // An unknown word explains more than what is missing because of it.
  if (!remaining.empty()) return unknownWord(command, remaining.front());
  std::string text = fault.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fullName(command) + ": " + text + " (see " + fullName(command) + " --help)";
}

}  // namespace lockstep::cli
