#include <span>

#include "engine/cli/coco_evaluation.h"
#include "engine/cli/extra_metrics_text.h"
#include "engine/cli/nested_json.h"
#include "engine/coco/analysis/evaluated_image.h"
#include "engine/coco/evaluation/params.h"

namespace lockstep::cli {
namespace {

using Json = NestedJson;

/// A member that holds nested arrays: `values` in row-major order, `lengths` the shape.
void writeArray(Json& json, const char* name, std::span<const double> values,
                std::span<const std::size_t> lengths) {
  const auto write = [&](const auto& self, std::size_t depth, std::size_t& next) -> void {
    if (depth == lengths.size()) return json.value(values[next++]);
    json.beginArray();
    for (std::size_t i = 0; i < lengths[depth]; ++i) self(self, depth + 1, next);
    json.endArray();
  };
  json.key(name);
  std::size_t next = 0;
  write(write, 0, next);
}

void writeArrays(Json& json, const coco::PrecisionArrays& arrays) {
  const std::array ofPrecision{arrays.thresholds, coco::kRecallThresholds.size(), arrays.classes,
                               arrays.areas, arrays.counts};
  const std::array ofRecall{arrays.thresholds, arrays.classes, arrays.areas, arrays.counts};
  writeArray(json, "precision", arrays.precision, ofPrecision);
  writeArray(json, "recall", arrays.recall, ofRecall);
  writeArray(json, "scores", arrays.scores, ofPrecision);
}

void writeFigures(Json& json, const coco::AveragePrecision& figures) {
  json.numbers("stats", figures.stats);
  if (figures.names != coco::metricNames())
    json.array("names", figures.names.size(), [&](std::size_t i) { json.value(figures.names[i]); });
  json.objects("classes", figures.classes.size(), [&](std::size_t k) {
    const coco::ClassAveragePrecision& category = figures.classes[k];
    json.member("id", category.category.value);
    json.member("name", category.name);
    json.member("AP", category.ap);
    json.member("AP50", category.ap50);
  });
  const coco::PastLimit& past = figures.pastLimit;
  if (past.isEmpty()) return;
  json.object("past_limit", [&] {
    for (const auto& [name, count] : coco::kPastLimitMembers) json.member(name, past.*count);
  });
}

void writeInterval(Json& json, const char* name, const coco::Interval& interval) {
  json.numbers(name, std::array{interval.low, interval.high});
}

const char* verdictName(coco::ComparisonVerdict verdict) {
  switch (verdict) {
    case coco::ComparisonVerdict::AIsBetter:
      return "worse";
    case coco::ComparisonVerdict::BIsBetter:
      return "better";
    case coco::ComparisonVerdict::NoDifferenceShown:
      return "no difference shown";
  }
  return "";
}

void writeComparison(Json& json, const coco::ResultsComparison& comparison) {
  json.object("comparison", [&] {
    json.member("file", comparison.nameB);
    json.member("verdict", verdictName(comparison.ap.verdict));
    json.member("difference", comparison.ap.difference);
    writeInterval(json, "interval", comparison.ap.interval);
    json.member("p", comparison.ap.pValue);
    json.member("resamples", comparison.ap.resamples);
    writeFigures(json, comparison.figuresOfB);
  });
}

void writeCounts(Json& json, const coco::Counts& counts) {
  json.member("tp", counts.truePositives);
  json.member("fp", counts.falsePositives);
  json.member("fn", counts.falseNegatives);
  json.member("precision", counts.precision());
  json.member("recall", counts.recall());
  json.member("f1", counts.f1());
}

void writePoint(Json& json, const coco::Analysis& analysis) {
  const coco::OperatingPoint& point = analysis.operatingPoint;
  json.object("operating_point", [&] {
    json.member("score_threshold", analysis.scoreThreshold);
    json.member("is_best_f1", analysis.isAtBestF1);
    json.objects("sizes", point.sizes.size(), [&](std::size_t s) {
      json.member("name", analysis.overlaps.areas()[s].name);
      writeCounts(json, point.sizes[s]);
    });
    json.objects("classes", point.classes.size(), [&](std::size_t k) {
      writeClass(json, analysis.overlaps.categories()[k]);
      writeCounts(json, point.classes[k]);
    });
  });
}

void writeConfusion(Json& json, const coco::Analysis& analysis) {
  const auto& categories = analysis.overlaps.categories();
  const coco::ConfusionMatrix& matrix = analysis.operatingPoint.confusion;
  const std::size_t side = matrix.background() + 1;
  json.object("confusion", [&] {
    json.array("names", side, [&](std::size_t k) {
      json.value(k < categories.size() ? std::string_view(categories[k].name) : "background");
    });
    json.array("counts", side, [&](std::size_t actual) {
      json.beginArray();
      for (std::size_t predicted = 0; predicted < side; ++predicted)
        json.value(static_cast<std::int64_t>(matrix.at(actual, predicted)));
      json.endArray();
    });
  });
}

void writeErrors(Json& json, const coco::ErrorCosts& errors) {
  const auto cost = [&json](const char* name, const coco::ErrorCost& error) {
    json.object(name, [&] {
      json.member("count", error.count);
      json.member("AP_cost", error.apCost);
    });
  };
  json.object("errors", [&] {
    json.member("AP", errors.ap);
    for (std::size_t e = 0; e < coco::kErrorTypeCount; ++e)
      cost(coco::kErrorTypeNames[e], errors.types[e]);
    cost("false_positives", errors.falsePositives);
    cost("false_negatives", errors.falseNegatives);
  });
}

void writeCurve(Json& json, const coco::PrecisionRecallCurve& curve) {
  json.member("AP", curve.ap);
  json.member("best_f1", curve.bestF1);
  json.member("best_f1_score", curve.bestF1Score);
  json.numbers("precision", curve.precision);
}

void writeCurves(Json& json, const coco::Analysis& analysis) {
  const coco::PrecisionRecall& curves = analysis.curves;
  json.object("curves", [&] {
    json.object("mean", [&] {
      json.member("AP", curves.ap);
      json.numbers("precision", curves.meanPrecision);
    });
    json.object("pooled", [&] { writeCurve(json, curves.pooled); });
    json.objects("classes", curves.classes.size(), [&](std::size_t k) {
      writeClass(json, analysis.overlaps.categories()[k]);
      writeCurve(json, curves.classes[k]);
    });
  });
  json.objects("by_score", analysis.byScore.size(), [&](std::size_t t) {
    json.member("score_threshold", analysis.byScore[t].score);
    writeCounts(json, analysis.byScore[t].counts);
  });
}

void writeAnalysis(Json& json, const coco::Analysis& analysis) {
  json.object("analysis", [&] {
    json.member("iou_threshold", analysis.iouThreshold);
    json.object("bootstrap", [&] {
      json.member("resamples", analysis.uncertainty.resamples);
      writeInterval(json, "AP", analysis.uncertainty.ap);
      writeInterval(json, "AP50", analysis.uncertainty.ap50);
    });
    writePoint(json, analysis);
    writeConfusion(json, analysis);
    writeErrors(json, analysis.errors);
    writeCurves(json, analysis);
  });
}

const char* verdictName(coco::MatchVerdict verdict) {
  switch (verdict) {
    case coco::MatchVerdict::TruePositive:
      return "tp";
    case coco::MatchVerdict::FalsePositive:
      return "fp";
    case coco::MatchVerdict::Ignored:
      return "ignored";
  }
  return "";
}

void writeInstance(Json& json, const coco::ImageOverlaps& image,
                   const coco::EvaluatedDetection& evaluated) {
  json.member("index", image.detections[evaluated.detection].index);
  json.member("verdict", verdictName(evaluated.match.verdict));
  json.key("annotation_id");
  if (evaluated.match.annotation < 0) {
    json.null();
  } else {
    json.value(image.annotations[static_cast<std::size_t>(evaluated.match.annotation)].id);
  }
  json.member("iou", evaluated.match.iou);
  json.key("error");
  if (evaluated.error) {
    json.value(coco::kErrorTypeNames[static_cast<std::size_t>(*evaluated.error)]);
  } else {
    json.null();
  }
}

void writeMatches(Json& json, const coco::Analysis& analysis, const coco::Dataset& groundTruth) {
  json.objects("matches", groundTruth.images().size(), [&](std::size_t i) {
    const coco::ImageOverlaps& image = analysis.overlaps.images()[i];
    const coco::EvaluatedImage evaluated =
        coco::evaluateImage(image, analysis.scoreThreshold, analysis.iouThreshold);
    json.member("image_id", groundTruth.images()[i].id.value);
    json.member("file_name", groundTruth.images()[i].fileName);
    json.objects("detections", evaluated.detections.size(),
                 [&](std::size_t d) { writeInstance(json, image, evaluated.detections[d]); });
    json.array("missed", evaluated.missed.size(),
               [&](std::size_t g) { json.value(image.annotations[evaluated.missed[g]].id); });
  });
}

}  // namespace

std::string cocoEvalJson(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                         bool withMatches) {
  std::string text;
  Json json(text);
  json.beginObject();
  json.member("type", evaluation.type);
  writeFigures(json, evaluation.metrics);
  if (evaluation.arrays) writeArrays(json, *evaluation.arrays);
  if (evaluation.extra) writeExtraMetrics(json, *evaluation.extra, groundTruth.categories());
  if (evaluation.comparison) writeComparison(json, *evaluation.comparison);
  if (evaluation.analysis) writeAnalysis(json, *evaluation.analysis);
  if (withMatches) writeMatches(json, *evaluation.analysis, groundTruth);
  json.endObject();
  return text + "\n";
}

}  // namespace lockstep::cli
