#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/run_argument.h"
#include "engine/cli/run_difference.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::cli {
namespace {

struct RunDiffOptions {
  std::string left, right;
};

run_folder::Layout layoutOf(const RunArgument& run) {
  if (!pathExists(run.given())) throw UserError(run.given() + ": no such run folder");
  if (!run_folder::isRunFolder(run.folder()))
    throw UserError(run_folder::notARunMessage(run.given()));
  return run_folder::Layout(run.folder());
}

int diffRuns(const RunDiffOptions& options) {
  const RunArgument left(options.left), right(options.right);
  const auto cleanup = removedOnSignal({&left, &right});
  const bool isPacked = left.packed() != nullptr || right.packed() != nullptr;
  const std::vector<DifferenceLine> lines = compareRuns(
      layoutOf(left), layoutOf(right), isPacked ? ComparedWeights::OfModel : ComparedWeights::All);
  for (const DifferenceLine& line : lines)
    std::printf("%-14s %s\n", (line.what + ":").c_str(), base::escaped(line.text).c_str());
  const bool isSame = std::ranges::all_of(lines, &DifferenceLine::isSame);
  const bool isWhole = std::ranges::none_of(
      lines, [](const DifferenceLine& line) { return line.text.starts_with("not "); });
  std::printf("%s\n", !isSame   ? "different"
                      : isWhole ? "the same bits"
                                : "the same bits in everything that was compared");
  return static_cast<int>(isSame ? ExitStatus::Done : ExitStatus::Failed);
}

}  // namespace

void addDiffCommand(Command& program) {
  Command command =
      program.command("diff",
                      "Compare two runs bit for bit: configuration, data, scalars, evaluations, "
                      "predictions, weights; exit status 1 if they differ");
  auto options = std::make_shared<RunDiffOptions>();
  command.option("left", options->left, "Run folder or packed run").required().metavar("RUN_A");
  command.option("right", options->right, "Run folder or packed run").required().metavar("RUN_B");
  command.run([options] { return diffRuns(*options); });
}

}  // namespace lockstep::cli
