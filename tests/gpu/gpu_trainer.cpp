// Runs the trainer for a few steps on synthetic scenes: twice, stopped and resumed, with CUDA
// graphs, in bfloat16, and evaluates the last checkpoint on the CPU too.
// usage: gpu_trainer [cuda|cpu]      Exits 77 if there is no GPU.
#include <torch/cuda.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/scenes/made_scenes.h"
#include "tests/gpu/check.h"
#include "tests/train/small_training.h"

namespace lockstep::gpu {
namespace {

namespace fs = std::filesystem;
using tests::Session;

constexpr std::int64_t kSteps = 6, kStopAfter = 3;

/// A temporary folder that is deleted with its content. Named after the process id, so that a
/// re-executed program reuses it.
class ScratchFolder {
 public:
  ScratchFolder() {
    remove();
    fs::create_directory(path_);
  }
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path path_ = fs::temp_directory_path() / ("gpu_trainer-" + std::to_string(::getpid()));
};

/// Trainings on the same images, each in its own run folder.
class Bench {
 public:
  Bench() { scenes::writeMadeScenes({folder_.path() / "shapes", 6, 3, 5}); }

  fs::path run(const std::string& name) const { return folder_.path() / name; }

  /// Images of one padded size, so that CUDA graphs are replayed.
  config::Experiment experiment(const at::Device& device) const {
    config::Experiment made = tests::smallExperiment(folder_.path() / "shapes", kSteps);
    made.augment.minSize = {96};
    made.augment.maxSize = 96;
    made.augment.horizontalFlip = 0;
    made.runtime.device = device.is_cpu() ? config::Device::Cpu : config::Device::Cuda;
    made.runtime.deterministic = true;
    made.monitor.predictionsEvery = {0};
    return made;
  }

 private:
  ScratchFolder folder_;
};

const Bench& bench() {
  static const Bench made;
  return made;
}

std::vector<float> losses(const Session& session) {
  std::vector<float> values;
  for (std::size_t i = 0; i < session.observer.steps.size(); ++i) {
    const float value = session.observer.value(i, "train/loss_total");
    if (value >= 0 || std::isnan(value)) values.push_back(value);
  }
  return values;
}

Finding wentWell(const Session& session) {
  const std::vector<float> values = losses(session);
  const bool isFinite = std::ranges::all_of(values, [](float loss) { return std::isfinite(loss); });
  return {isFinite && values.size() == kSteps,
          std::to_string(values.size()) + " steps, the last loss " +
              std::to_string(values.empty() ? NAN : values.back())};
}

/// Compares the weights, optimizer state and validation metrics at the ends of two runs.
Finding sameEnd(const Session& one, const Session& other) {
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    if (base::readFile(one.layout.checkpoint(kSteps) / file) !=
        base::readFile(other.layout.checkpoint(kSteps) / file))
      return {false, std::string(file) + " DIFFERS"};
  }
  const bool same = base::readFile(one.layout.evaluation(kSteps)) ==
                    base::readFile(other.layout.evaluation(kSteps));
  return {same, same ? "the same bits" : "the evaluation DIFFERS"};
}

Finding runsRepeat(const at::Device& device) {
  Session first(bench().experiment(device), bench().run("first"));
  first.trainer.run();
  Session second(bench().experiment(device), bench().run("second"));
  second.trainer.run();
  return both(wentWell(first), sameEnd(first, second));
}

/// A run that is stopped in the middle, and one that resumes from its checkpoint.
Finding resumedRunIsTheSame(const at::Device& device) {
  config::Experiment experiment = bench().experiment(device);
  experiment.monitor.logEvery = {1};
  Session whole(experiment, bench().run("whole"));
  whole.trainer.run();
  Session stopped(experiment, bench().run("stopped"));
  stopped.observer.afterSteps = [&] {
    if (stopped.observer.steps.back().step == kStopAfter - 1)
      stopped.mailbox.post(tests::control("stop", ""));
  };
  const std::int64_t step = stopped.trainer.run().step;
  if (step >= kSteps) return {false, "was not stopped"};
  Session resumed(experiment, bench().run("resumed"));
  resumed.trainer.resume(stopped.layout.checkpoint(step));
  resumed.trainer.run();
  return both({true, "after step " + std::to_string(step)}, sameEnd(whole, resumed));
}

/// The parts of a step take some time each, and together no more than all steps.
Finding partsAddUp(const at::Device& device) {
  config::Experiment experiment = bench().experiment(device);
  experiment.runtime.cudaGraphs = device.is_cuda();
  Session session(experiment, bench().run("parts"));
  session.trainer.run();
  double parts = 0, steps = 0;
  for (std::size_t i = 0; i < session.observer.steps.size(); ++i) {
    const float step = session.observer.value(i, "time/step_seconds");
    if (step < 0) continue;  // not the scalars of a step
    steps += step;
    for (const char* part : {"forward", "backward", "optimizer"}) {
      const float seconds = session.observer.value(i, "time/" + std::string(part) + "_seconds");
      if (!(seconds > 0)) return {false, std::string(part) + " takes no time"};
      parts += seconds;
    }
  }
  return {parts > 0.2 * steps && parts < 1.01 * steps,
          std::to_string(parts) + " s of " + std::to_string(steps) + " s"};
}

/// Of two scales, padded to the few sizes of both.
Finding graphsAreTheSame(const at::Device& device, config::Precision precision) {
  if (device.is_cpu()) return {true, "for a GPU alone", /*isSkipped=*/true};
  config::Experiment experiment = bench().experiment(device);
  experiment.augment.minSize = {64, 96};
  experiment.augment.padTo = config::PadTo::Canonical;
  experiment.runtime.precision = precision;
  Session eager(experiment, bench().run(std::string("eager-") + base::textOf(precision)));
  eager.trainer.run();
  experiment.runtime.cudaGraphs = true;
  Session captured(experiment, bench().run(std::string("captured-") + base::textOf(precision)));
  captured.trainer.run();
  for (const protocol::Log& log : captured.observer.logs) {
    if (log.text.find("capture failed") != std::string::npos) return {false, log.text};
  }
  const std::vector<float> expected = losses(eager), got = losses(captured);
  double most = expected.size() == got.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
    most = std::max(most, std::abs(double(got[i]) - expected[i]) / std::abs(expected[i]));
  const std::size_t shapes = captured.trainer.model().cudaGraphs()->capturedShapes();
  return both(within("losses", most, 1e-4),
              {shapes > 0, std::to_string(shapes) + " sizes captured"});
}

auto graphsIn(config::Precision precision) {
  return [precision](const at::Device& device) { return graphsAreTheSame(device, precision); };
}

/// Validation losses of an evaluation, each image's total.
std::vector<double> heldOut(const Session& session) {
  const auto json = nlohmann::json::parse(base::readFile(session.layout.evaluation(kSteps)));
  std::vector<double> values{json.at("losses").at("loss_total").get<double>()};
  for (const auto& image : json.at("per_image")) values.push_back(image.at("loss_total"));
  if (!json.at("segm").is_object()) throw Error("the evaluation has no AP of masks");
  return values;
}

/// The last checkpoint's validation losses on the device and on the CPU.
Finding evaluationIsTheCpus(const at::Device& device) {
  Session trained(bench().experiment(device), bench().run("trained"));
  trained.trainer.run();
  Session there(bench().experiment(at::kCPU), bench().run("evaluated on the CPU"));
  there.trainer.resume(trained.layout.checkpoint(kSteps));
  there.trainer.run();
  const std::vector<double> expected = heldOut(there), got = heldOut(trained);
  if (expected.size() != got.size()) return {false, "other images were evaluated"};
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    most = std::max(most, std::abs(got[i] - expected[i]) / std::abs(expected[i]));
  return within(std::to_string(got.size() - 1) + " images' losses and their mean", most, 1e-3);
}

/// Compared with the same run in float32.
Finding bfloat16RunStaysNear(const at::Device& device) {
  if (quickType(device) != at::kBFloat16)
    return {true, "this processor does not compute in it", /*isSkipped=*/true};
  config::Experiment experiment = bench().experiment(device);
  Session wide(experiment, bench().run("float32"));
  wide.trainer.run();
  experiment.runtime.precision = config::Precision::Bf16;
  Session half(experiment, bench().run("bfloat16"));
  half.trainer.run();
  const Finding went = wentWell(half);
  if (!went.pass) return went;
  const double expected = losses(wide).front(), got = losses(half).front();
  if (got == expected) return {false, "the network did not compute in it"};
  return both(within("first loss", std::abs(got - expected) / expected, 0.1), went);
}

}  // namespace
}  // namespace lockstep::gpu

int main(int argc, char** argv) {
  using namespace lockstep::gpu;
  const bool isOnCpu = argc > 1 && std::strcmp(argv[1], "cpu") == 0;
  if (!isOnCpu && !torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  const std::vector<Check> checks{{"runs repeat", runsRepeat},
                                  {"a resumed run is the same", resumedRunIsTheSame},
                                  {"parts of a step", partsAddUp},
                                  {"graphs", graphsIn(lockstep::config::Precision::Fp32)},
                                  {"graphs, bfloat16", graphsIn(lockstep::config::Precision::Bf16)},
                                  {"evaluation, beside the CPU's", evaluationIsTheCpus},
                                  {"bfloat16", bfloat16RunStaysNear}};
  return runAll(checks, isOnCpu ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0), argv);
}
