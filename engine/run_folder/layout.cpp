#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

/// Names in a folder; empty when it does not exist.
std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

/// Steps N of the files `step-N.json`, ascending.
std::vector<std::int64_t> stepsOfFiles(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  for (const std::string& name : namesIn(folder)) {
    if (!name.ends_with(".json")) continue;
    const auto step = stepOf(std::string_view(name).substr(0, name.size() - 5));
    if (step) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

bool isFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool isCompleteCheckpoint(const fs::path& folder) {
  return std::all_of(std::begin(kCheckpointFiles), std::end(kCheckpointFiles),
                     [&](const char* name) { return isFile(folder / name); });
}

/// What to say of a run without checkpoints.
std::string noCheckpoint(const Layout& layout) {
  bool isRangeTest = false;
  try {
    isRangeTest = readRunInfo(layout).isRangeTest;
  } catch (const Error&) {
    // Without run.json it is taken for a training.
  }
  return isRangeTest ? "a learning-rate range test has no checkpoints" : "no checkpoint yet";
}

/// `available: best (step 400), last (step 600), steps 200, 400, 600`. steps is not empty.
std::string checkpointList(const std::vector<std::int64_t>& steps,
                           std::optional<std::int64_t> best) {
  std::string text = "available: ";
  if (best) text += "best (step " + std::to_string(*best) + "), ";
  text += "last (step " + std::to_string(steps.back()) + "), steps ";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(steps[i]);
  }
  return text;
}

std::optional<std::int64_t> bestStep(const Layout& layout) {
  try {
    const auto best = readRunInfo(layout).best;
    return best ? std::optional(best->step) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // without run.json there is no best, but steps and files still resolve
  }
}

/// The step that `weights` names; nullopt when it is not a step.
std::optional<std::int64_t> parseStep(const std::string& weights) {
  if (const auto step = stepOf(weights)) return step;
  std::int64_t step = -1;
  const char* end = weights.data() + weights.size();
  const auto [stop, error] = std::from_chars(weights.data(), end, step);
  const bool isStep = error == std::errc() && stop == end && step >= 0;
  return isStep ? std::optional(step) : std::nullopt;
}

}  // namespace

std::string stepName(std::int64_t step) {
  char name[32];
  std::snprintf(name, sizeof name, "step-%08lld", static_cast<long long>(step));
  return name;
}

std::optional<std::int64_t> stepOf(std::string_view name) {
  constexpr std::string_view kPrefix = "step-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::int64_t step = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  if (error != std::errc() || stop != end || step < 0 || stepName(step) != name) {
    return std::nullopt;
  }
  return step;
}

fs::path Layout::checkpoint(std::int64_t step) const { return checkpoints() / stepName(step); }

fs::path Layout::partialCheckpoint(std::int64_t step) const {
  return checkpoints() / ("." + stepName(step) + ".partial");
}

fs::path Layout::evaluation(std::int64_t step) const {
  return folder_ / "evaluations" / (stepName(step) + ".json");
}

fs::path Layout::partialEvaluation(std::int64_t step) const {
  return folder_ / "evaluations" / ("." + stepName(step) + ".json.partial");
}

fs::path Layout::predictions(std::int64_t step) const {
  return folder_ / "predictions" / (stepName(step) + ".json");
}

fs::path Layout::partialPredictions(std::int64_t step) const {
  return folder_ / "predictions" / ("." + stepName(step) + ".json.partial");
}

fs::path Layout::predictionsOfPart(std::int64_t step, const std::string& split) const {
  return folder_ / "predictions" / (stepName(step) + "-" + split + ".json");
}

fs::path Layout::partialPredictionsOfPart(std::int64_t request) const {
  const std::string name = std::to_string(::getpid()) + "-" + std::to_string(request);
  return folder_ / "predictions" / (".step-request-" + name + ".json.partial");
}

fs::path Layout::partialPictures(std::int64_t step) const {
  return folder_ / "predictions" / ("." + stepName(step) + ".pictures");
}

fs::path Layout::divergence(std::int64_t step) const {
  return folder_ / "divergence" / stepName(step);
}

fs::path Layout::partialDivergence(std::int64_t step) const {
  return folder_ / "divergence" / ("." + stepName(step) + ".partial");
}

std::vector<std::int64_t> stepFolders(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  for (const std::string& name : namesIn(folder)) {
    if (const auto step = stepOf(name)) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::vector<std::int64_t> checkpointFolders(const Layout& layout) {
  return stepFolders(layout.checkpoints());
}

std::vector<std::int64_t> checkpointSteps(const Layout& layout) {
  std::vector<std::int64_t> steps = checkpointFolders(layout);
  std::erase_if(steps,
                [&](std::int64_t step) { return !isCompleteCheckpoint(layout.checkpoint(step)); });
  return steps;
}

std::vector<std::int64_t> evaluationSteps(const Layout& layout) {
  return stepsOfFiles(layout.evaluation(0).parent_path());
}

std::vector<std::int64_t> predictionSteps(const Layout& layout) {
  return stepsOfFiles(layout.predictions(0).parent_path());
}

bool belongsToRun(const fs::path& relative) {
  constexpr std::array kFiles = {"config.yaml", "run.json",         "run.lock",
                                 "engine.log",  "bad_images.jsonl", "notes.json"};
  constexpr std::array kWholeFolders = {"checkpoints", "divergence", "source"};
  constexpr std::array kFoldersOfSteps = {"evaluations", "predictions"};
  if (relative.empty()) return false;
  const std::string top = *relative.begin();
  const auto isTop = [&](const char* name) { return top == name; };
  if (std::ranges::any_of(kWholeFolders, isTop)) return true;
  const auto below = std::next(relative.begin());
  if (std::ranges::any_of(kFoldersOfSteps, isTop)) {
    return below == relative.end() || below->string().starts_with("step-") ||
           below->string().starts_with(".step-");
  }
  if (below != relative.end()) return false;
  return std::ranges::any_of(kFiles, isTop) || top.starts_with("events.out.tfevents") ||
         (top.starts_with("rank-") && top.ends_with(".log"));
}

std::optional<PathInRun> pathInRun(const fs::path& path) {
  for (fs::path folder = path.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (isRunFolder(folder)) return PathInRun{folder, path.lexically_relative(folder)};
  }
  return std::nullopt;
}

bool isRunFolder(const fs::path& folder) {
  const Layout layout(folder);
  if (isFile(layout.runJson())) return true;
  if (!isFile(layout.config())) return false;
  const fs::path log = events::findEventFile(folder);
  return !log.empty() && !events::isOfAnotherProgram(log);
}

std::optional<std::int64_t> stepOfWeights(const Layout& layout, const fs::path& weights) {
  for (const std::int64_t step : checkpointSteps(layout)) {
    std::error_code ignored;
    if (fs::equivalent(layout.checkpoint(step), weights.parent_path(), ignored)) return step;
  }
  return std::nullopt;
}

std::optional<std::int64_t> bestCheckpoint(const Layout& layout) {
  const auto best = bestStep(layout);
  return best && std::ranges::binary_search(checkpointSteps(layout), *best) ? best : std::nullopt;
}

fs::path resolveWeights(const Layout& layout, const std::string& weights) {
  const std::vector<std::int64_t> steps = checkpointSteps(layout);
  const auto hasStep = [&](std::int64_t step) {
    return std::binary_search(steps.begin(), steps.end(), step);
  };
  const auto best = bestCheckpoint(layout);
  const auto refuse = [&](const std::string& what) -> Error {
    const std::string list = steps.empty() ? noCheckpoint(layout) : checkpointList(steps, best);
    return UserError(layout.folder().string() + ": " + what + "; " + list);
  };
  const auto weightsOf = [&](std::int64_t step) {
    return layout.checkpoint(step) / kCheckpointFiles[0];
  };
  if (weights == "best") {
    if (!best) throw refuse("no best checkpoint");
    return weightsOf(*best);
  }
  if (weights == "last") {
    if (steps.empty()) throw UserError(layout.folder().string() + ": " + noCheckpoint(layout));
    return weightsOf(steps.back());
  }
  if (const auto step = parseStep(weights)) {
    if (!hasStep(*step)) throw refuse("no complete checkpoint of step " + std::to_string(*step));
    return weightsOf(*step);
  }
  if (isFile(weights)) return weights;
  if (isFile(fs::path(weights) / kCheckpointFiles[0]))
    return fs::path(weights) / kCheckpointFiles[0];
  throw refuse("no such checkpoint or file '" + weights + "'");
}

}  // namespace lockstep::run_folder
