#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/coco/evaluation/average_precision.h"
#include "engine/protocol/json_text.h"

namespace lockstep::cli {
namespace {

struct CocoEvalOptions {
  std::string gt, dt, type, out;
};

std::string toJson(const coco::AveragePrecision& result, const std::string& type) {
  std::string text;
  protocol::JsonWriter writer(text);
  const auto member = [&writer](const char* name, const auto& value) {
    writer.key(name);
    writer.value(value);
  };
  writer.beginObject();
  member("type", std::string_view(type));
  writer.key("stats");
  writer.beginArray();
  for (const double figure : result.stats) writer.value(figure);
  writer.endArray();
  writer.key("classes");
  writer.beginArray();
  for (const coco::ClassAveragePrecision& category : result.classes) {
    writer.beginObject();
    member("id", category.category.value);
    member("name", std::string_view(category.name));
    member("AP", category.ap);
    member("AP50", category.ap50);
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
  return text + "\n";
}

int evaluate(const CocoEvalOptions& options) {
  for (const std::string& file : {options.gt, options.dt}) {
    if (!isFile(file)) throw base::mendable(file + ": no such file");
  }
  std::filesystem::path out;
  if (!options.out.empty()) out = checkOutputFile(options.out, "--out");
  const auto type = options.type == "bbox" ? coco::IouType::Box : coco::IouType::Mask;
  const auto groundTruth = coco::Dataset::load(options.gt);
  const auto result = coco::evaluate(groundTruth, coco::loadDetections(options.dt), type);
  if (!out.empty()) base::writeFileAtomically(out, toJson(result, options.type));
  for (std::size_t i = 0; i < result.stats.size(); ++i) {
    std::printf("%-6s %s\n", coco::kStatNames[i], figureText(result.stats[i]).c_str());
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addCocoEvalCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("coco-eval", "COCO's twelve figures of a results file");
  auto options = std::make_shared<CocoEvalOptions>();
  command->add_option("--gt", options->gt, "Annotations")->required()->option_text("F");
  command->add_option("--dt", options->dt, "Results")->required()->option_text("F");
  command->add_option("--type", options->type, "Overlap of boxes or of masks")
      ->required()
      ->option_text("bbox|segm")
      ->check(CLI::IsMember({"bbox", "segm"}));
  command->add_option("--out", options->out, "Everything as JSON")->option_text("F.json");
  command->callback([options, &action] { action = [options] { return evaluate(*options); }; });
}

}  // namespace lockstep::cli
