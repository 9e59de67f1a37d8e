#include "engine/cli/model_options.h"

#include <CLI/CLI.hpp>

namespace lockstep::cli {

void addModelOptions(CLI::App& command, ModelOptions& options) {
  command.add_option("target", options.target, "Run folder or experiment file")
      ->required()
      ->option_text("RUN|CONFIG");
  command
      .add_option("--weights", options.weights, "Default: the newest checkpoint, or model.weights")
      ->option_text("best|last|STEP|FILE");
}

void addOverrideOption(CLI::App& command, ModelOptions& options) {
  command
      .add_option("--set", options.overrides,
                  "Override a key: evaluation.max_images=100; may be repeated")
      ->option_text("K=V")
      ->allow_extra_args(false);
}

void addSplitOption(CLI::App& command, std::string& split) {
  command.add_option("--split", split, "Part of the data set: held out, or learnt from")
      ->option_text("val|train")
      ->check(CLI::IsMember({"val", "train"}));
}

void addWorkersOption(CLI::App& command, RankRequest& ranks) {
  command
      .add_option("--workers", ranks.workers,
                  "Ranks that share the images; default: one on each GPU, or one on the CPU")
      ->option_text("N");
}

}  // namespace lockstep::cli
