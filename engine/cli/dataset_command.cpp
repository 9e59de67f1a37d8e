#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/cli/output_path.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

struct ShapesOptions {
  std::string out;
  int train = 0, val = 0;
  std::int64_t seed = 1;
};

int makeShapes(const ShapesOptions& options) {
  const auto workerProgram = supervisor::workerProgramBesideThis();
  protocol::Job job;
  job.kind = "shapes";
  job.folder = checkNewFolder(options.out, "--out").string();
  job.trainImages = options.train;
  job.valImages = options.val;
  job.seed = options.seed;
  supervisor::runOneShotJob(workerProgram, job);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addDatasetCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* dataset = app.add_subcommand("dataset", "Data sets");
  dataset->require_subcommand(1);
  CLI::App* shapes =
      dataset->add_subcommand("shapes", "Draw scenes with exact masks, in COCO format");
  auto options = std::make_shared<ShapesOptions>();
  const CLI::Range counts(1, 1'000'000);
  shapes
      ->add_option("--out", options->out,
                   "Folder to fill: train/, val/, annotations/, experiment.yaml")
      ->required()
      ->option_text("DIR");
  shapes->add_option("--train", options->train, "Training images")
      ->required()
      ->option_text("N")
      ->check(counts);
  shapes->add_option("--val", options->val, "Held-out images")
      ->required()
      ->option_text("N")
      ->check(counts);
  shapes->add_option("--seed", options->seed, "Other seeds give other scenes")
      ->option_text("S")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  shapes->callback([options, &action] { action = [options] { return makeShapes(*options); }; });
}

}  // namespace lockstep::cli
