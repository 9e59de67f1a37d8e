#include "tests/config/experiment_files.h"

#include <algorithm>
#include <cmath>

#include "engine/base/atomic_file.h"
#include "engine/base/counter_hash.h"
#include "engine/base/error.h"

namespace lockstep::tests {
namespace {

using config::Field;
using config::FieldType;

std::string randomNumber(const Field& field, std::uint64_t& seed, bool isWhole) {
  const double low = std::isfinite(field.minimum) ? field.minimum : -1000;
  const double high = std::isfinite(field.maximum) ? field.maximum : low + 1000;
  const double fraction = static_cast<double>(1 + nextRandom(seed) % 998) / 999;  // neither end
  const double value = low + (std::min(high, low + 1e6) - low) * fraction;
  if (isWhole) return std::to_string(static_cast<std::int64_t>(std::ceil(value)));
  return std::to_string(value);
}

std::string randomText(std::uint64_t& seed) {
  static const std::vector<std::string> kTexts{
      "plain",       "with space", "it's", "a: b", "a #b",       "#c",    "[x]",   "{y",
      "a,b",         "null",       "12",   "true", "\"quoted\"", "-dash", "ends:", "größe",
      "back\\slash", "*star",      "&and", "%x",   "@y",         "1e5"};
  return kTexts[nextRandom(seed) % kTexts.size()];
}

std::string doubleQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return quoted + "\"";
}

std::string randomDuration(const Field& field, std::uint64_t& seed) {
  static const std::vector<std::string> kUnits{"", "", " epochs", " images"};
  return randomNumber(field, seed, true) + kUnits[nextRandom(seed) % kUnits.size()];
}

std::string randomItem(const Field& field, std::uint64_t& seed) {
  switch (field.type) {
    case FieldType::DurationList:
      return randomDuration(field, seed);
    case FieldType::TextList:
      return doubleQuoted(randomText(seed));
    case FieldType::LevelList:
      return nextRandom(seed) % 2 ? std::to_string(nextRandom(seed) % 101) + " %"
                                  : randomNumber(field, seed, false);
    default:
      return randomNumber(field, seed, field.type == FieldType::IntegerList);
  }
}

std::string randomList(const Field& field, std::uint64_t& seed) {
  const std::size_t least = field.mayBeEmpty ? 0 : 1;
  const std::size_t size =
      field.listSize >= 0 ? static_cast<std::size_t>(field.listSize) : least + nextRandom(seed) % 4;
  std::string text;
  for (std::size_t index = 0; index < size; ++index) {
    text += (text.empty() ? "" : ", ") + randomItem(field, seed);
  }
  return "[" + text + "]";
}

}  // namespace

std::filesystem::path ExperimentFolder::path(const std::string& name) const {
  const std::filesystem::path folder = folder_.path().toStdString();
  return name.empty() ? folder : folder / name;
}

std::filesystem::path ExperimentFolder::write(const std::string& name,
                                              const std::string& text) const {
  std::filesystem::create_directories(path(name).parent_path());
  base::writeFileAtomically(path(name), text);
  return path(name);
}

std::string issueLines(const config::LoadedExperiment& loaded, const std::string& folder) {
  std::string lines;
  for (const config::ConfigIssue& issue : loaded.issues) {
    lines += (lines.empty() ? "" : "\n") + issue.format();
  }
  const std::string prefix = folder + "/";
  for (std::size_t place = lines.find(prefix); !folder.empty() && place != std::string::npos;
       place = lines.find(prefix, place)) {
    lines.erase(place, prefix.size());
  }
  return lines;
}

std::uint64_t nextRandom(std::uint64_t& seed) { return seed = base::mixBits(seed); }

std::string randomValue(const Field& field, std::uint64_t& seed) {
  if (field.nullable && nextRandom(seed) % 4 == 0) return "null";
  if (!field.choices.empty() && nextRandom(seed) % 3 == 0) {
    return field.choices[nextRandom(seed) % field.choices.size()];
  }
  switch (field.type) {
    case FieldType::Bool:
      return nextRandom(seed) % 2 ? "true" : "false";
    case FieldType::Integer:
      return randomNumber(field, seed, true);
    case FieldType::Number:
      return randomNumber(field, seed, false);
    case FieldType::Text:
      return doubleQuoted(randomText(seed));
    case FieldType::Path:
      return doubleQuoted("/" + randomText(seed));
    case FieldType::Choice:
      return field.choices[nextRandom(seed) % field.choices.size()];
    case FieldType::Duration:
      return randomDuration(field, seed);
    case FieldType::Bytes: {
      static const std::vector<std::string> kUnits{"", " KiB", " MiB", " GiB"};
      return std::to_string(nextRandom(seed) % 10000) + kUnits[nextRandom(seed) % kUnits.size()];
    }
    case FieldType::IntegerList:
    case FieldType::NumberList:
    case FieldType::DurationList:
    case FieldType::LevelList:
    case FieldType::TextList:
      break;
  }
  return randomList(field, seed);
}

config::Experiment randomExperiment(std::uint64_t seed) {
  config::Experiment experiment;
  for (const Field& field : config::fields()) {
    if (field.key == "base") continue;
    const std::string value = randomValue(field, seed);
    const std::string error = field.assign(experiment, value);
    if (!error.empty()) throw Error(field.key + ": " + value + ": " + error);
  }
  return experiment;
}

const std::vector<NamedText>& handwrittenFiles() {
  static const std::vector<NamedText> files{
      {"empty", ""},
      {"comment only", "# nothing yet"},
      {"document marks", "%YAML 1.2\n---\n# x\nname: a\n...\n"},
      {"usual",
       "# An experiment.\nname: first   # its name\n\nsolver:   # how\n  base_lr: 0.02      # "
       "high\n\n  # falls\n"
       "  milestones: [100, 200]  # twice\n  max_steps: 300\n\nmodel:\n  backbone: resnet18\n# "
       "end\n"},
      {"flow maps",
       "{name: 'it''s', solver: {base_lr: 0.02, milestones: [100,  200] , gamma: 0.5}, model: {}, "
       "augment: { },}\n"},
      {"flow maps over lines",
       "solver: {\n  base_lr: 0.02,   # high\n  milestones: [100,   # one\n    200],\n  gamma: 0.5 "
       "  "
       "# last\n}\nmodel: {rpn: "
       "{fg_iou: 0.7}, anchors: {\n   sizes: [1, 2, 3, 4, 5]}}\n"},
      {"carriage returns",
       "name: a\r\nsolver:\r\n    base_lr: 0.02   # c\r\n    milestones:\r\n      - 100\r\n      - "
       "200\r\nmodel:\r\n    "
       "backbone: resnet18\r\n"},
      {"byte order mark", "\xef\xbb\xbfname: >-\n  folded\n  name\nsolver:\n   gamma: 0.5\n"},
      {"block lists",
       "solver:\n  milestones:  # drops\n  # the first\n  - 100   # one\n\n  # the second\n  - 200 "
       "  "
       "# two\n  gamma: 0.5\n"
       "augment:\n  min_size:\n      - 256\n      - 300\n"},
      {"texts over lines",
       "name: |-  # block\n  literal\nmodel:\n  weights: \"/a\\\n    b\"   # c\n  backbone:\n     "
       "resnet18\n"
       "dataset:\n  train:\n    images: '/x\n\n      y'\n    annotations: /a b\n      c\n"},
      {"sections without keys",
       "solver:\nmodel:   # later\n  # rpn:\naugment: null\nevaluation: ~   # none\ndataset: "
       "{train: "
       ", val}\n"},
      {"odd indentation",
       "solver:\n     base_lr: 0.02\n     loss_weights:\n       loss_mask: 2\nmodel:\n rpn:\n      "
       "  "
       " fg_iou: 0.7\n"
       " mask_head: {convs: 2}\n"},
      {"quoted keys",
       "\"solver\":\n  'gamma': 0.5\n  \"base_lr\" : 0.1\n'model': {\"backbone\":resnet18, "
       "\"norm\":\"group\"}\n"},
      {"no newline at the end", "name: a\nsolver:\n  gamma: 0.5"},
      {"hashes and colons in values",
       "name: a#b:c\nmodel: {weights: /a#b:c}\ndataset:\n  train:\n    images: http://x/#y # z\n"},
      {"nulls",
       "base: null\nmodel: {weights: ~, freeze_stages: auto}\nevaluation:\n  early_stop:\n    "
       "metric: null # off\n"},
  };
  return files;
}

}  // namespace lockstep::tests
