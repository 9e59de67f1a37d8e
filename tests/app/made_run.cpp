#include "tests/app/made_run.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/base/counter_hash.h"
#include "engine/supervisor/event_log.h"
#include "tests/support/append_scalars.h"

namespace lockstep::tests {
namespace {

constexpr double kStepSeconds = 0.45;
constexpr std::int64_t kLogEvery = 5;
constexpr std::int64_t kDeviceEvery = 4;

float noise(std::int64_t step, std::uint64_t key) {
  return static_cast<float>(base::counterUniform({static_cast<std::uint64_t>(step), key}) - 0.5);
}

float warmRate(std::int64_t step, std::int64_t steps) {
  const double warm = std::min(1.0, static_cast<double>(step) / 40);
  return static_cast<float>(
      0.02 * warm * 0.5 *
      (1 + std::cos(3.14159265 * static_cast<double>(step) / static_cast<double>(steps))));
}

const std::pair<const char*, float> kHeads[] = {{"loss_classifier", 0.28F},
                                                {"loss_box_reg", 0.24F},
                                                {"loss_mask", 0.3F},
                                                {"loss_objectness", 0.12F},
                                                {"loss_rpn_box_reg", 0.06F}};

void addRankTimes(events::ScalarValues& values, const MadeRun& run, std::int64_t step) {
  for (int rank = 0; rank < run.ranks; ++rank) {
    const bool isSlow = rank + 1 == run.ranks;
    if (isSlow && step > run.slowRankUntil) continue;
    const std::string prefix = "time/rank" + std::to_string(rank) + "/";
    const auto whole = static_cast<float>(kStepSeconds);
    const float own = (isSlow ? 1.F : 0.7F) * whole + 0.03F * noise(step, 30 + rank);
    const float data = isSlow && run.isSlowForImages ? 0.16F : 0.03F;
    values.push_back({prefix + "step_seconds", whole});
    values.push_back({prefix + "data_seconds", data + 0.02F * noise(step, 130 + rank)});
    values.push_back({prefix + "wait_seconds", whole - own});
    values.push_back({prefix + "own_seconds", own});
  }
}

void addDeviceUse(events::ScalarValues& values, const MadeRun& run, std::int64_t step) {
  values.push_back({"system/cpu_percent", 62 + 12 * noise(step, 200)});
  values.push_back({"system/memory_gib", 3.2F + 0.2F * noise(step, 201)});
  for (int gpu = 0; gpu < run.gpus; ++gpu) {
    const std::string prefix = "system/gpu" + std::to_string(gpu) + "/";
    const auto key = static_cast<std::uint64_t>(210 + 10 * gpu);
    values.push_back({prefix + "utilisation_percent", 91 - 6.F * gpu + 6 * noise(step, key)});
    values.push_back({prefix + "memory_gib", 71 + 2.F * gpu + noise(step, key + 1)});
    values.push_back({prefix + "temperature_celsius", 58 + 4.F * gpu + 2 * noise(step, key + 2)});
    values.push_back({prefix + "power_watts", 520 + 30.F * gpu + 40 * noise(step, key + 3)});
    values.push_back({prefix + "throttled_percent", 0});
  }
}

events::ScalarValues trainValues(const MadeRun& run, std::int64_t step) {
  const float total = madeLoss(run, step);
  events::ScalarValues values{{"train/loss_total", total}};
  std::uint64_t key = 10;
  for (const auto& [head, part] : kHeads)
    values.push_back(
        {std::string("train/") + head, total * part * (1 + 0.5F * noise(step, ++key))});
  values.push_back({"solver/lr", warmRate(step, run.maxSteps)});
  values.push_back({"solver/grad_norm", 3 * total + noise(step, 20)});
  values.push_back(
      {"time/step_seconds", static_cast<float>(kStepSeconds) + 0.05F * noise(step, 21)});
  values.push_back({"time/data_seconds", 0.03F + 0.02F * noise(step, 22)});
  if (run.hasStepParts) {
    values.push_back({"time/forward_seconds", 0.12F});
    values.push_back({"time/backward_seconds", 0.2F});
    values.push_back({"time/optimizer_seconds", 0.02F});
    if (run.ranks > 1) values.push_back({"time/wait_seconds", 0.01F});
  }
  values.push_back({"time/images_per_second", 4.4F + 0.3F * noise(step, 23)});
  if (run.ranks > 1 && step % kLogEvery == 0) addRankTimes(values, run, step);
  if (run.gpus >= 0 && step % kDeviceEvery == 0) addDeviceUse(values, run, step);
  return values;
}

events::ScalarValues heldOutValues(const MadeRun& run, std::int64_t step) {
  const double part = static_cast<double>(step) / static_cast<double>(run.maxSteps);
  const auto total = static_cast<float>(0.12 + run.lossOffset + 0.42 + 1.5 * std::exp(-5 * part) +
                                        0.35 * std::pow(std::max(0.0, part - 0.55), 1.2));
  events::ScalarValues values{{"eval/loss_total", total}};
  for (const auto& [head, share] : kHeads)
    values.push_back({std::string("eval/") + head, total * share});
  const auto precision =
      static_cast<float>(std::max(0.0, 0.56 * (1 - std::exp(-4 * (part - 0.08)))));
  if (run.hasMasks) values.push_back({"eval/segm/AP", precision});
  values.push_back({"eval/bbox/AP", precision * 0.92F});
  return values;
}

/// predictions/step-N.json: one detection of category 1 on each watched image.
void writePredictions(const run_folder::Layout& layout, const MadeRun& run, std::int64_t step) {
  std::string ids, detections;
  for (const std::int64_t image : run.watchedImages) {
    const std::string comma = ids.empty() ? "" : ", ";
    ids += comma + std::to_string(image);
    detections += comma + R"({"image_id": )" + std::to_string(image) +
                  R"(, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]})";
  }
  std::filesystem::create_directories(layout.predictions(step).parent_path());
  std::ofstream(layout.predictions(step))
      << R"({"image_ids": [)" << ids << R"(], "score_threshold": 0.05, "detections": [)"
      << detections << "]}";
}

void writeCheckpoint(const run_folder::Layout& layout, std::int64_t step) {
  std::filesystem::create_directories(layout.checkpoint(step));
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"})
    std::ofstream(layout.checkpoint(step) / name) << "made";
}

void writeConfig(const run_folder::Layout& layout, const MadeRun& run) {
  std::ofstream config(layout.config());
  config << "name: " << run.name << "\n";
  const auto writePart = [&](const char* key, const std::string& images,
                             const std::string& annotations) {
    if (annotations.empty()) return;
    config << "  " << key << ": {images: " << images << ", annotations: " << annotations << "}\n";
  };
  if (!run.valAnnotations.empty() || !run.trainAnnotations.empty()) config << "dataset:\n";
  writePart("train", run.trainImages, run.trainAnnotations);
  writePart("val", run.valImages, run.valAnnotations);
  if (!run.hasMasks) config << "model:\n  masks: false\n";
  config << "solver:\n  max_steps: " << run.maxSteps << "\n";
}

}  // namespace

float madeLoss(const MadeRun& run, std::int64_t step) {
  const double part = static_cast<double>(step) / static_cast<double>(run.maxSteps);
  const double base = 0.36 + run.lossOffset + 1.6 * std::exp(-5 * part) - 0.05 * part;
  return static_cast<float>(base * (1 + 0.28 * noise(step, 1)));
}

MadeRun made(const char* name, double created) {
  MadeRun run;
  run.name = name;
  run.created = created;
  return run;
}

QString makeRun(const QString& parent, const MadeRun& run) {
  const std::filesystem::path folder = std::filesystem::path(parent.toStdString()) / run.name;
  const run_folder::Layout layout = run_folder::createRunFolderAt(folder);
  writeConfig(layout, run);
  supervisor::EventLog eventLog(folder, std::nullopt, [](const protocol::Alert&) {});
  run_folder::RunInfo info;
  eventLog.appendEvent(protocol::State{.state = protocol::RunState::Running}, 0, run.created);
  for (std::int64_t step = 1; step <= run.steps; ++step) {
    const double time = run.created + static_cast<double>(step) * kStepSeconds;
    tests::appendScalars(eventLog, step, time, trainValues(run, step));
    if (step % run.evaluateEvery != 0) continue;
    const events::ScalarValues heldOut = heldOutValues(run, step);
    tests::appendScalars(eventLog, step, time + 0.2, heldOut);
    eventLog.appendEvent(
        protocol::Evaluation{0, step, 0, "evaluations/" + run_folder::stepName(step) + ".json"},
        step, time + 0.2);
    if (!run.watchedImages.empty()) {
      writePredictions(layout, run, step);
      eventLog.appendEvent(
          protocol::Predictions{0, step, 0, "predictions/" + run_folder::stepName(step) + ".json"},
          step, time + 0.25);
    }
    const double precision = heldOut[6].second;
    const bool best = !info.best || precision > info.best->value;
    if (best) info.best = run_folder::Best{run.hasMasks ? "segm/AP" : "bbox/AP", precision, step};
    eventLog.appendEvent(
        protocol::Checkpoint{0, step, 0, "checkpoints/" + run_folder::stepName(step), best}, step,
        time + 0.3);
  }
  for (const std::int64_t step : run.keptCheckpoints) writeCheckpoint(layout, step);
  const double end = run.created + static_cast<double>(run.steps) * kStepSeconds + 1;
  const base::OpenEnum<protocol::RunState> state(run.state);
  std::optional<protocol::RunError> error;
  if (!run.error.empty()) error.emplace().message = run.error;
  eventLog.appendEvent(protocol::State{.state = state, .error = error}, run.steps, end);
  info.name = run.name;
  info.state = state;
  info.error = error;
  info.ranks = run.ranks;
  info.step = run.steps;
  info.maxSteps = run.maxSteps;
  info.stepsPerEpoch = run.stepsPerEpoch;
  info.created = run.created;
  info.started = run.created;
  info.updated = end;
  run_folder::writeRunInfo(layout, info);
  return QString::fromStdString(folder.string());
}

QString makeFailedRun(const QString& parent, MadeRun run, const std::string& message) {
  run.state = "failed";
  const QString folder = makeRun(parent, run);
  const run_folder::Layout layout{folder.toStdString()};
  run_folder::RunInfo info = run_folder::readRunInfo(layout);
  info.error = protocol::RunError{message, 0, "host", 40, protocol::Phase::Forward, "", {}};
  run_folder::writeRunInfo(layout, info);
  return folder;
}

}  // namespace lockstep::tests
