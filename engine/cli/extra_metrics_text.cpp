#include "engine/cli/extra_metrics_text.h"

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"
#include "engine/cli/coco_eval_params.h"
#include "engine/cli/command_line.h"
#include "engine/cli/evaluation_table.h"

namespace lockstep::cli {
namespace {

void writeQuality(NestedJson& json, const coco::PanopticQuality& quality) {
  json.member("pq", quality.pq);
  json.member("sq", quality.sq);
  json.member("rq", quality.rq);
}

void writePanopticQuality(NestedJson& json, const coco::PanopticQualities& qualities,
                          const std::vector<coco::Category>& categories) {
  writeQuality(json, qualities.mean);
  json.objects("classes", qualities.classes.size(), [&](std::size_t k) {
    const coco::ClassPanopticQuality& own = qualities.classes[k];
    writeClass(json, categories[k]);
    writeQuality(json, own);
    json.member("tp", own.truePositives);
    json.member("fp", own.falsePositives);
    json.member("fn", own.falseNegatives);
  });
}

void writeThresholds(NestedJson& json, const std::vector<coco::SegmentCounts>& thresholds) {
  json.objects("thresholds", thresholds.size(), [&](std::size_t t) {
    const coco::SegmentCounts& counts = thresholds[t];
    json.member("iou_threshold", counts.iouThreshold);
    json.member("f1", counts.f1());
    json.member("precision", counts.precision());
    json.member("recall", counts.recall());
    json.member("accuracy", counts.accuracy());
    json.member("tp", counts.truePositives);
    json.member("fp", counts.falsePositives);
    json.member("fn", counts.falseNegatives);
  });
}

void writeF1(NestedJson& json, const coco::SegmentCountsByThreshold& counts,
             const std::vector<coco::Category>& categories) {
  writeThresholds(json, counts.all);
  json.objects("classes", counts.classes.size(), [&](std::size_t k) {
    writeClass(json, categories[k]);
    writeThresholds(json, counts.classes[k].thresholds);
  });
}

void writeCountError(NestedJson& json, const coco::CountError& error) {
  json.member("mae", error.mae);
  json.member("mape", error.mape);
  json.member("bias", error.bias);
  json.member("images", error.images);
  json.member("images_with_objects", error.imagesWithObjects);
}

void writeCountErrors(NestedJson& json, const coco::CountErrors& errors,
                      const std::vector<coco::Category>& categories) {
  writeCountError(json, errors.all);
  json.objects("classes", errors.classes.size(), [&](std::size_t k) {
    writeClass(json, categories[k]);
    writeCountError(json, errors.classes[k]);
  });
}

std::string row(const std::string& name, const std::vector<std::string>& cells) {
  std::string text = padded(name, 20);
  for (const std::string& cell : cells) {
    const std::size_t width = base::utf8Length(cell);
    text += " " + std::string(width < 9 ? 9 - width : 0, ' ') + cell;
  }
  return text + "\n";
}

std::string qualityTable(const coco::PanopticQualities& qualities,
                         const std::vector<coco::Category>& categories) {
  const auto values = [](const coco::PanopticQuality& quality) {
    return std::vector{metricValueText(quality.pq), metricValueText(quality.sq),
                       metricValueText(quality.rq)};
  };
  std::string text = row("panoptic quality", {"PQ", "SQ", "RQ"}) +
                     row("mean over classes", values(qualities.mean));
  if (categories.size() < 2 || categories.size() > kMostListedClasses) return text;
  for (std::size_t k = 0; k < categories.size(); ++k)
    text += row("  " + base::shortened(categories[k].name), values(qualities.classes[k]));
  return text;
}

std::string f1Table(const coco::SegmentCountsByThreshold& counts) {
  std::string text = row("at IoU", {"F1", "precision", "recall", "TP", "FP", "FN"});
  for (const coco::SegmentCounts& at : counts.all) {
    text += row(base::shortNumber(at.iouThreshold),
                {metricValueText(at.f1()), metricValueText(at.precision()),
                 metricValueText(at.recall()), std::to_string(at.truePositives),
                 std::to_string(at.falsePositives), std::to_string(at.falseNegatives)});
  }
  return text;
}

std::string countTable(const coco::CountErrors& errors,
                       const std::vector<coco::Category>& categories) {
  const auto values = [](const coco::CountError& error) {
    const std::string mape = error.mape < 0 ? "-" : base::shortNumber(100 * error.mape, 4) + " %";
    return std::vector{error.mae < 0 ? "-" : base::shortNumber(error.mae, 4), mape,
                       base::shortNumber(error.bias, 4)};
  };
  std::string text =
      row("objects per image", {"MAE", "MAPE", "bias"}) + row("all classes", values(errors.all));
  if (categories.size() < 2 || categories.size() > kMostListedClasses) return text;
  for (std::size_t k = 0; k < categories.size(); ++k)
    text += row("  " + base::shortened(categories[k].name), values(errors.classes[k]));
  return text;
}

std::string lvisTable(const coco::LvisMetrics& lvis) {
  std::string text = "\nas LVIS: the " + std::to_string(coco::kLvisMaxDetections) +
                     " highest-scoring detections of each image" +
                     (lvis.hasCountedFrequencies
                          ? "; the categories have no frequency: counted in this ground truth"
                          : "") +
                     "\n";
  for (const auto& [name, value] : coco::namedMetrics(lvis))
    text += padded(name, 6) + " " + metricValueText(value) + "\n";
  return text;
}

}  // namespace

void writeClass(NestedJson& json, const coco::Category& category) {
  json.member("id", category.id.value);
  json.member("name", category.name);
}

void writeExtraMetrics(NestedJson& json, const coco::ExtraMetrics& metrics,
                       const std::vector<coco::Category>& categories) {
  if (metrics.hasThreshold()) {
    json.object("figures_at", [&] {
      json.member("score_threshold", metrics.scoreThreshold);
      json.member("is_best_f1", metrics.isAtBestF1);
    });
  }
  if (metrics.panopticQuality) {
    json.object("pq", [&] { writePanopticQuality(json, *metrics.panopticQuality, categories); });
  }
  if (metrics.f1) json.object("f1", [&] { writeF1(json, *metrics.f1, categories); });
  if (metrics.aggregatedJaccard) {
    json.object("aji", [&] {
      json.member("aji", metrics.aggregatedJaccard->mean);
      json.member("images", metrics.aggregatedJaccard->images);
    });
  }
  if (metrics.counts)
    json.object("counts", [&] { writeCountErrors(json, *metrics.counts, categories); });
  if (!metrics.lvis) return;
  json.object("lvis", [&] {
    for (const auto& [name, value] : coco::namedMetrics(*metrics.lvis)) json.member(name, value);
    json.member("has_counted_frequencies", metrics.lvis->hasCountedFrequencies);
  });
}

std::string extraMetricsTable(const coco::ExtraMetrics& metrics,
                              const std::vector<coco::Category>& categories) {
  std::string text;
  if (metrics.hasThreshold()) {
    text += "\nlabel maps and counts at score >= " + base::shortNumber(metrics.scoreThreshold, 4) +
            (metrics.isAtBestF1 ? " (best F1)" : "") + "\n";
  }
  if (metrics.panopticQuality) text += qualityTable(*metrics.panopticQuality, categories);
  if (metrics.f1) text += f1Table(*metrics.f1);
  if (metrics.aggregatedJaccard) {
    text += row("AJI", {metricValueText(metrics.aggregatedJaccard->mean)}).substr(0, 30) +
            "  mean over " + base::counted(metrics.aggregatedJaccard->images, "image") + "\n";
  }
  if (metrics.counts) text += countTable(*metrics.counts, categories);
  if (metrics.lvis) text += lvisTable(*metrics.lvis);
  return text;
}

void addFiguresOption(Command& command, std::string& list) {
  command
      .option("--figures", list,
              "Add metrics of other fields: panoptic quality, F1 at each IoU threshold, aggregated "
              "Jaccard index, errors of the number of objects, LVIS' AP")
      .metavar("pq,f1,aji,counts,lvis");
}

void requireMasks(const coco::Dataset& groundTruth, const std::string& file,
                  const std::set<coco::ExtraMetric>& metrics) {
  using enum coco::ExtraMetric;
  std::string ofMasks;
  for (const coco::ExtraMetric metric : {PanopticQuality, F1, AggregatedJaccard})
    if (metrics.contains(metric))
      ofMasks += (ofMasks.empty() ? "" : ",") + std::string(base::textOf(metric));
  if (ofMasks.empty() || !groundTruth.hasOnlyBoxes()) return;
  throw UserError("--figures " + ofMasks + ": needs masks, and no object of " + file +
                  " has one; counts and lvis are of boxes too");
}

std::set<coco::ExtraMetric> parseExtraMetrics(const std::string& list) {
  std::set<coco::ExtraMetric> metrics;
  for (const std::string& name : listItems(list)) {
    const auto metric = base::parseEnum<coco::ExtraMetric>(name);
    if (!metric) {
      std::string known;
      for (const auto& one : base::kEnumTexts<coco::ExtraMetric>)
        known += (known.empty() ? "" : ", ") + std::string(one.text);
      throw UserError("--figures: '" + base::shortened(name) + "' is not one of " + known);
    }
    metrics.insert(*metric);
  }
  return metrics;
}

}  // namespace lockstep::cli
