#include <cstdio>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::optional<protocol::Split> split = protocol::Split::Val;
  std::string out;
  bool perImage = false;
  RankRequest ranks;
};

int evaluate(const EvaluateOptions& options) {
  checkWorkers(options.ranks);
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.model, workerProgram, options.ranks);
  requireSplit(source, *options.split);
  protocol::EvaluateJob job{
      .model = source.model(), .split = *options.split, .perImage = options.perImage};
  std::optional<OutputFile> out;
  if (!options.out.empty()) {
    out.emplace(options.out, "--out", source.inputs());
    job.out = out->workerFile().string();
  }
  const protocol::EvaluateResult result =
      supervisor::runOneShotJob(workerProgram, job, source.ranks);
  if (out) out->writeWorkerResult();
  if (!out || !out->isStandardOutput()) std::fputs(evaluationTable(result).c_str(), stdout);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addEvaluateCommand(Command& program) {
  Command command = program.command("evaluate", "Compute losses and COCO metrics of a model");
  auto options = std::make_shared<EvaluateOptions>();
  addModelOptions(command, options->model);
  addOverrideOption(command, options->model);
  addSplitOption(command, options->split);
  addWorkersOption(command, options->ranks);
  const Option out =
      command.option("--out", options->out, "Write all results as JSON (-: standard output)")
          .metavar("F.json");
  command.flag("--per-image", options->perImage, "Add the losses of every image to --out")
      .needs(out);
  command.run([options] { return evaluate(*options); });
}

}  // namespace lockstep::cli
