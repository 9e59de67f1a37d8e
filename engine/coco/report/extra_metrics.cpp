// Metrics of other fields than COCO's, as tables.
#include "engine/base/number_text.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

std::string table(const char* id, std::initializer_list<const char*> columns,
                  const std::string& rows) {
  std::string text = std::string("<div class=\"wide\"><table id=\"") + id + "\"><thead><tr>";
  bool isFirst = true;
  for (const char* column : columns) {
    text += std::string("<th scope=\"col\"") + (isFirst ? ">" : " class=\"n\">") + column + "</th>";
    isFirst = false;
  }
  return text + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string row(const std::string& name, std::initializer_list<std::string> cells) {
  std::string text = "<tr><th scope=\"row\">" + escaped(cutTo(name, 40)) + "</th>";
  for (const std::string& cell : cells) text += numberCell(cell);
  return text + "</tr>\n";
}

std::string qualityTable(const PanopticQualities& qualities,
                         const std::vector<Category>& categories) {
  const auto qualityRow = [](const std::string& name, const PanopticQuality& quality) {
    return row(name, {figure(quality.pq), figure(quality.sq), figure(quality.rq)});
  };
  std::string rows = qualityRow("mean over classes", qualities.mean);
  for (std::size_t k = 0; k < categories.size(); ++k)
    rows += qualityRow(categories[k].name, qualities.classes[k]);
  return table("pq", {"panoptic quality", "PQ", "SQ", "RQ"}, rows);
}

std::string f1Table(const SegmentCountsByThreshold& counts) {
  std::string rows;
  for (const SegmentCounts& at : counts.all) {
    rows +=
        row("IoU ≥ " + base::shortNumber(at.iouThreshold),
            {figure(at.f1()), figure(at.precision()), figure(at.recall()),
             grouped(at.truePositives), grouped(at.falsePositives), grouped(at.falseNegatives)});
  }
  return table("f1", {"objects", "F1", "precision", "recall", "TP", "FP", "FN"}, rows);
}

std::string countTable(const CountErrors& errors, const std::vector<Category>& categories) {
  const auto countRow = [](const std::string& name, const CountError& error) {
    return row(name,
               {figure(error.mae, 2), error.mape < 0 ? "–" : figure(100 * error.mape, 1) + " %",
                base::signedNumber(error.bias, 2)});
  };
  std::string rows = countRow("all classes", errors.all);
  for (std::size_t k = 0; k < categories.size() && categories.size() > 1; ++k)
    rows += countRow(categories[k].name, errors.classes[k]);
  return table("counts", {"objects per image", "MAE", "MAPE", "bias"}, rows);
}

std::string lvisTable(const LvisMetrics& lvis) {
  std::string rows;
  for (const auto& [name, value] : namedMetrics(lvis)) rows += row(name, {figure(value, 4)});
  return table("lvis", {"as LVIS", "value"}, rows) +
         (lvis.hasCountedFrequencies
              ? "<p class=\"note\">The categories have no frequency: rare, common and frequent are "
                "counted in this ground truth.</p>\n"
              : "");
}

}  // namespace

std::string extraMetrics(const ReportSource& source) {
  if (source.extra == nullptr) return "";
  const ExtraMetrics& metrics = *source.extra;
  const std::vector<Category>& categories = source.groundTruth.categories();
  std::string text = "<section>\n<h2>Other metrics</h2>\n";
  if (metrics.hasThreshold()) {
    text += "<p class=\"note\">Label maps and counts at score ≥ " +
            base::shortNumber(metrics.scoreThreshold, 4) +
            (metrics.isAtBestF1 ? ", the score threshold with the best F1" : "") + ".</p>\n";
  }
  if (metrics.panopticQuality) text += qualityTable(*metrics.panopticQuality, categories);
  if (metrics.f1) text += f1Table(*metrics.f1);
  if (metrics.aggregatedJaccard) {
    text += table("aji", {"aggregated Jaccard index", "AJI"},
                  row("mean over " + groupedCount(metrics.aggregatedJaccard->images, "image"),
                      {figure(metrics.aggregatedJaccard->mean)}));
  }
  if (metrics.counts) text += countTable(*metrics.counts, categories);
  if (metrics.lvis) text += lvisTable(*metrics.lvis);
  return text + "</section>\n";
}

}  // namespace lockstep::coco::report
