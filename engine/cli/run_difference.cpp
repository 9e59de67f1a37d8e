#include "engine/cli/run_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/cli/input_path.h"
#include "engine/cli/safetensors_difference.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/events/reader.h"
#include "engine/protocol/json_text.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

using base::counted;
using run_folder::Layout;

DifferenceLine same(std::string what, const std::string& text) {
  return {std::move(what), text + ", the same", true};
}

DifferenceLine different(std::string what, std::string text) {
  return {std::move(what), std::move(text), false};
}

/// Where the data and weights are, and what the run is called.
bool isNameOrPath(const std::string& key) {
  return key == "name" || std::ranges::any_of(config::fields(), [&](const config::Field& field) {
           return field.key == key && field.type == config::FieldType::Path;
         });
}

DifferenceLine compareConfigurations(const Layout& left, const Layout& right) {
  std::string list;
  bool differsInThreads = false;
  const int ranks = run_folder::readRunInfo(left).ranks,
            otherRanks = run_folder::readRunInfo(right).ranks;
  if (ranks != otherRanks)
    list = "ranks: " + std::to_string(ranks) + " -> " + std::to_string(otherRanks);
  for (const config::ConfigDifference& change : config::difference(
           run_folder::readRunExperiment(left), run_folder::readRunExperiment(right))) {
    if (isNameOrPath(change.key)) continue;
    differsInThreads = differsInThreads || change.key == "runtime.cpu_threads";
    list += (list.empty() ? "" : ", ") + change.key + ": " + change.left + " -> " + change.right;
  }
  if (differsInThreads) list += "; cpu_threads differ, and with them the last bits of a CPU's sums";
  return list.empty() ? same("configuration", "all keys but names and paths")
                      : different("configuration", list);
}

/// Steps with the weights and state.json, ascending.
std::vector<std::int64_t> stepsWithWeights(const Layout& run) {
  std::vector<std::int64_t> steps = run_folder::checkpointFolders(run);
  std::erase_if(steps, [&](std::int64_t step) {
    return !pathExists(run.checkpoint(step) / "model.safetensors") ||
           !pathExists(run.checkpoint(step) / "state.json");
  });
  return steps;
}

/// By the newest checkpoint of each.
DifferenceLine compareData(const Layout& left, const Layout& right) {
  const auto dataOf = [](const Layout& run) {
    const auto steps = stepsWithWeights(run);
    return steps.empty() ? std::nullopt
                         : run_folder::readTrainingState(run.checkpoint(steps.back())).data;
  };
  const auto ours = dataOf(left), theirs = dataOf(right);
  if (!ours || !theirs) return {"data", "not known: no fingerprint in a checkpoint", true};
  const std::string text = run_folder::dataDifference(*ours, *theirs);
  return text.empty() ? same("data", "fingerprints of the annotations") : different("data", text);
}

/// Of times and machines.
bool isOfMachine(const std::string& tag) {
  return tag.starts_with("time/") || tag.starts_with("system/");
}

/// By step and tag; of a step that was trained twice, the last.
using Scalars = std::map<std::int64_t, std::map<std::string, float>>;

Scalars readScalars(const Layout& run) {
  Scalars scalars;
  const fs::path file = events::findEventFile(run.folder());
  if (file.empty()) return scalars;
  events::Reader reader(file);
  reader.visitAvailable([&](const events::RecordView& record) {
    for (const events::ScalarView& scalar : record.scalars) {
      const std::string& tag = reader.tags()[scalar.tag];
      if (!isOfMachine(tag)) scalars[record.step][tag] = scalar.value;
    }
  });
  if (const std::int64_t damaged = reader.damagedRecords(); damaged > 0) {
    throw Error(file.string() + ": " + counted(static_cast<std::uint64_t>(damaged), "record") +
                " with a wrong checksum: the log cannot be compared");
  }
  return scalars;
}

bool isSameValue(float left, float right) {
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right);
}

/// How the values of one step differ; empty: they do not.
std::string stepDifference(const std::map<std::string, float>& left,
                           const std::map<std::string, float>& right) {
  std::string first;
  std::size_t count = 0;
  const auto note = [&](const std::string& text) {
    if (count++ == 0) first = text;
  };
  for (const auto& [tag, value] : left) {
    const auto other = right.find(tag);
    if (other == right.end()) {
      note(tag + " is missing in the second");
    } else if (!isSameValue(value, other->second)) {
      note(tag + " is " + base::shortNumber(value, 9) + " and " +
           base::shortNumber(other->second, 9) + " (" +
           base::shortNumber(std::abs(static_cast<double>(value) - other->second), 3) + " apart)");
    }
  }
  for (const auto& [tag, value] : right)
    if (!left.contains(tag)) note(tag + " is missing in the first");
  if (count > 1) first += ", and " + counted(count - 1, "more tag");
  return first;
}

DifferenceLine compareScalars(const Layout& left, const Layout& right) {
  const Scalars ours = readScalars(left), theirs = readScalars(right);
  std::set<std::int64_t> steps;
  std::size_t values = 0;
  for (const auto& [step, tags] : ours) {
    steps.insert(step);
    values += tags.size();
  }
  for (const auto& [step, tags] : theirs) steps.insert(step);
  for (const std::int64_t step : steps) {
    const auto one = ours.find(step), other = theirs.find(step);
    const std::string where = "first part at step " + std::to_string(step) + ": ";
    if (one == ours.end()) return different("scalars", where + "it is missing in the first");
    if (other == theirs.end()) return different("scalars", where + "it is missing in the second");
    const std::string text = stepDifference(one->second, other->second);
    if (!text.empty()) return different("scalars", where + text);
  }
  return same("scalars", counted(values, "value") + " of " + counted(steps.size(), "step"));
}

/// The first place in which two JSON values differ, as `/bbox/AP: 0.5 and 0.6`.
std::string jsonDifference(const nlohmann::json& left, const nlohmann::json& right) {
  if (left.is_discarded() || right.is_discarded()) return "in its bytes, and one is not JSON";
  const nlohmann::json changes = nlohmann::json::diff(left, right);
  if (changes.empty()) return "in its text";
  const std::string path = changes[0].at("path").get<std::string>();
  const nlohmann::json::json_pointer pointer(path);
  if (changes[0].at("op") != "replace") return path + " is only in one of them";
  return path + " is " + base::shortened(left.at(pointer).dump()) + " and " +
         base::shortened(right.at(pointer).dump());
}

/// Files of steps, by their bytes.
DifferenceLine compareFiles(const char* what, const std::vector<std::int64_t>& ours,
                            const std::vector<std::int64_t>& theirs,
                            const std::function<fs::path(std::int64_t)>& left,
                            const std::function<fs::path(std::int64_t)>& right) {
  std::set<std::int64_t> steps(ours.begin(), ours.end());
  steps.insert(theirs.begin(), theirs.end());
  for (const std::int64_t step : steps) {
    const std::string where = "first part at step " + std::to_string(step) + ": ";
    if (!std::ranges::binary_search(ours, step))
      return different(what, where + "it is missing in the first");
    if (!std::ranges::binary_search(theirs, step))
      return different(what, where + "it is missing in the second");
    const std::string a = base::readFile(left(step)), b = base::readFile(right(step));
    if (a == b) continue;
    return different(what, where + jsonDifference(protocol::parseJson(a), protocol::parseJson(b)));
  }
  return same(what, counted(steps.size(), "step"));
}

/// What a step has besides tensors and machine: what is best, early stopping, images left out.
bool isSameProgress(const Layout& left, const Layout& right, std::int64_t step) {
  const auto ours = run_folder::readTrainingState(left.checkpoint(step)),
             theirs = run_folder::readTrainingState(right.checkpoint(step));
  return ours.step == theirs.step && ours.best == theirs.best &&
         ours.earlyStop == theirs.earlyStop && ours.badImages == theirs.badImages &&
         ours.lacksEvaluation == theirs.lacksEvaluation;
}

/// Threads and ranks in which two checkpoints differ. A resumed run may have changed them.
std::string machineDifference(const Layout& left, const Layout& right, std::int64_t step) {
  const auto ours = run_folder::readTrainingState(left.checkpoint(step)),
             theirs = run_folder::readTrainingState(right.checkpoint(step));
  const auto text = [](const char* what, int one, int other) {
    return one == other ? std::string()
                        : std::string("; ") + what + " differ there, " + std::to_string(one) +
                              " and " + std::to_string(other);
  };
  return text("cpu_threads", ours.cpuThreads, theirs.cpuThreads) +
         text("ranks", ours.workers, theirs.workers);
}

/// Of the checkpoints that both have; one that only one has is a difference, too.
DifferenceLine compareWeights(const Layout& left, const Layout& right, ComparedWeights compared) {
  const bool isAll = compared == ComparedWeights::All;
  const auto ours = isAll ? run_folder::checkpointSteps(left) : stepsWithWeights(left),
             theirs = isAll ? run_folder::checkpointSteps(right) : stepsWithWeights(right);
  std::vector<std::int64_t> steps, others;
  std::ranges::set_intersection(ours, theirs, std::back_inserter(steps));
  std::ranges::set_symmetric_difference(ours, theirs, std::back_inserter(others));
  if (!isAll && (ours.empty() || theirs.empty()))
    return {"weights", "not compared: packed without weights", true};
  if (steps.empty()) return different("weights", "the runs have no checkpoint of the same step");
  for (const std::int64_t step : steps) {
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      if (!isAll && std::string_view(file) != "model.safetensors") continue;
      const TensorDifference found =
          compareSafetensors(left.checkpoint(step) / file, right.checkpoint(step) / file);
      if (found.different == 0) continue;
      return different("weights", "first part at step " + std::to_string(step) + " of " +
                                      counted(steps.size(), "common checkpoint") + ": " + file +
                                      ": " + found.first + " " + found.how + " (" +
                                      std::to_string(found.different) + " of " +
                                      counted(found.tensors, "tensor") + ")" +
                                      machineDifference(left, right, step));
    }
    if (!isSameProgress(left, right, step))
      return different("weights", "state.json of step " + std::to_string(step) + " differs");
  }
  if (!isAll) {
    return same("weights", "of the model at step " + std::to_string(steps.back()) +
                               " (packed runs have no optimizer state)");
  }
  if (!others.empty()) {
    return different("weights", counted(steps.size(), "common checkpoint") +
                                    ", the same; only one run has a complete one of step " +
                                    std::to_string(others.front()));
  }
  return same("weights", counted(steps.size(), "common checkpoint"));
}

}  // namespace

std::vector<DifferenceLine> compareRuns(const Layout& left, const Layout& right,
                                        ComparedWeights weights) {
  return {compareConfigurations(left, right),
          compareData(left, right),
          compareScalars(left, right),
          compareFiles(
              "evaluations", run_folder::evaluationSteps(left), run_folder::evaluationSteps(right),
              [&](std::int64_t step) { return left.evaluation(step); },
              [&](std::int64_t step) { return right.evaluation(step); }),
          compareFiles(
              "predictions", run_folder::predictionSteps(left), run_folder::predictionSteps(right),
              [&](std::int64_t step) { return left.predictions(step); },
              [&](std::int64_t step) { return right.predictions(step); }),
          compareWeights(left, right, weights)};
}

}  // namespace lockstep::cli
