#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/cli/commands.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/coco/evaluation/iou_thresholds.h"
#include "engine/coco/evaluation/precision_arrays.h"
#include "engine/protocol/json_text.h"

namespace lockstep::cli {
namespace {

struct CocoEvalOptions {
  std::string gt, dt, type, out;
  bool withArrays = false;
};

/// A member of nested arrays: values row by row, the lengths from the outermost in.
void writeArray(protocol::JsonWriter& writer, const char* name, std::span<const double> values,
                std::span<const std::size_t> lengths) {
  const auto write = [&](const auto& self, std::size_t depth, std::size_t& next) -> void {
    if (depth == lengths.size()) return writer.value(values[next++]);
    writer.beginArray();
    for (std::size_t i = 0; i < lengths[depth]; ++i) self(self, depth + 1, next);
    writer.endArray();
  };
  writer.key(name);
  std::size_t next = 0;
  write(write, 0, next);
}

void writeArrays(protocol::JsonWriter& writer, const coco::PrecisionArrays& arrays) {
  constexpr std::size_t kIous = coco::kIouThresholdCount, kAreas = coco::kAreaRangeCount,
                        kCounts = coco::kMaxDetectionCounts.size(),
                        kRecalls = coco::kRecallThresholds.size();
  const std::array ofPrecision{kIous, kRecalls, arrays.classes, kAreas, kCounts};
  const std::array ofRecall{kIous, arrays.classes, kAreas, kCounts};
  writeArray(writer, "precision", arrays.precision, ofPrecision);
  writeArray(writer, "recall", arrays.recall, ofRecall);
  writeArray(writer, "scores", arrays.scores, ofPrecision);
}

std::string toJson(const coco::AveragePrecision& result, const std::string& type,
                   const std::optional<coco::PrecisionArrays>& arrays) {
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
  if (arrays) writeArrays(writer, *arrays);
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
  const auto results = coco::ResultsFile::load(options.dt, groundTruth);
  if (results.strangerCount() > 0) {
    base::logWarning("coco-eval",
                     options.dt + ": " + std::to_string(results.strangerCount()) + " of " +
                         std::to_string(results.count()) +
                         " results are of categories that the annotations do not name; they "
                         "are left out, as pycocotools does");
  }
  const auto matches = coco::matchResults(groundTruth, results, type);
  const auto result = coco::accumulate(matches, groundTruth.categories());
  std::optional<coco::PrecisionArrays> arrays;
  if (options.withArrays) arrays = coco::accumulateArrays(matches, groundTruth.categories());
  if (!out.empty()) base::writeFileAtomically(out, toJson(result, options.type, arrays));
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
  CLI::Option* out =
      command->add_option("--out", options->out, "Everything as JSON")->option_text("F.json");
  command
      ->add_flag("--precision", options->withArrays,
                 "Also every precision, recall and score in --out, as pycocotools keeps them")
      ->needs(out);
  command->callback([options, &action] { action = [options] { return evaluate(*options); }; });
}

}  // namespace lockstep::cli
