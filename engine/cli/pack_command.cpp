#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/pack/pack_run.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct PackCommandOptions {
  std::string run, out, weights;
};

int pack(const PackCommandOptions& options) {
  if (!pathExists(options.run)) throw UserError(options.run + ": no such run folder");
  if (!run_folder::isRunFolder(options.run))
    throw UserError(run_folder::notARunMessage(options.run));
  if (fs::path(options.out).extension() != ".lockstep") {
    throw UserError("--out " + options.out + ": the name of a packed run must end in .lockstep");
  }
  const fs::path target = fs::absolute(options.out);
  const OutputFile out(options.out, "--out", {});
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored)))  // also a symlink that leads nowhere
    throw UserError("--out " + options.out + ": already exists; choose another name");
  const run_folder::Layout layout(realPath(options.run));
  const fs::path weights =
      options.weights.empty() ? fs::path() : run_folder::resolveWeights(layout, options.weights);
  const pack::PackedContent content = pack::packRun(layout, target, weights);
  for (const std::string& warning : content.warnings) base::logWarning("pack", warning);
  std::printf("%s: %s, predictions at %s, %s, %s; %.1f MB\n", options.out.c_str(),
              base::counted(content.evaluations, "evaluation").c_str(),
              base::counted(content.predictions, "step").c_str(),
              base::counted(content.images, "validation image").c_str(),
              content.weightsStep
                  ? ("weights of step " + std::to_string(*content.weightsStep)).c_str()
                  : "no weights (--weights best adds them)",
              static_cast<double>(fs::file_size(target)) / 1e6);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addPackCommand(Command& program) {
  Command command = program.command(
      "pack",
      "Write a run as one file that opens read-only: configuration, curves, evaluations, "
      "predictions and the pictures they are of");
  auto options = std::make_shared<PackCommandOptions>();
  command.option("run", options->run, "Run folder").required().metavar("RUN");
  command.option("--out", options->out, "File to write, which must not exist")
      .required()
      .metavar("F.lockstep");
  command
      .option("--weights", options->weights,
              "Checkpoint whose weights to add (default: none); a packed run without weights is "
              "small")
      .metavar("best|last|STEP");
  command.run([options] { return pack(*options); });
}

}  // namespace lockstep::cli
