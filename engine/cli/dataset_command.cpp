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
  supervisor::runOneShotJob(
      workerProgram, protocol::ShapesJob{.folder = checkNewFolder(options.out, "--out").string(),
                                         .trainImages = options.train,
                                         .valImages = options.val,
                                         .seed = options.seed});
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addDatasetCommand(Command& program) {
  Command dataset = program.command("dataset", "Generate a sample dataset");
  dataset.requireCommand();
  Command shapes = dataset.command("shapes", "Generate scenes with exact masks, in COCO format");
  auto options = std::make_shared<ShapesOptions>();
  constexpr int kFewest = 1, kMost = 1'000'000;
  shapes
      .option("--out", options->out,
              "Folder to create, with train/, val/, annotations/ and experiment.yaml")
      .required()
      .metavar("DIR");
  shapes.option("--train", options->train, "Number of training images")
      .required()
      .metavar("N")
      .range(kFewest, kMost);
  shapes.option("--val", options->val, "Number of held-out (validation) images")
      .required()
      .metavar("N")
      .range(kFewest, kMost);
  shapes.option("--seed", options->seed, "Random seed of the scenes")
      .metavar("S")
      .notNegative()
      .showDefault();
  shapes.run([options] { return makeShapes(*options); });
}

}  // namespace lockstep::cli
