// Metrics as tables, and the summary tiles.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/number_text.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

/// Meanings of the metrics, in the order of metricNames(): areas has those of the evaluation.
std::vector<std::string> metricMeanings(const std::vector<std::string>& names,
                                        const std::vector<AreaRange>& areas) {
  std::vector<std::string> meanings{"precision, mean over the IoU thresholds", "at IoU 0.50",
                                    "at IoU 0.75"};
  const auto addSizes = [&] {
    for (std::size_t a = 1; a < areas.size(); ++a) meanings.push_back(areas[a].name + " objects");
  };
  addSizes();
  const std::size_t firstRecall = meanings.size();
  for (std::size_t i = firstRecall; i < firstRecall + 3; ++i) {
    const std::string count = names[i].substr(2);  // of AR100
    meanings.push_back(i > firstRecall ? "with " + count
                                       : "recall with " + count +
                                             (count == "1" ? " detection" : " detections") +
                                             " per image and class");
  }
  addSizes();
  return meanings;
}

/// `32²` for 1024.
std::string squareText(double areaPx) {
  const double side = std::sqrt(areaPx);
  return side == std::floor(side) ? base::shortNumber(side) + "²" : base::shortNumber(areaPx);
}

/// "" for all objects.
std::string sizeMeaning(const AreaRange& area) {
  const AreaLimits all;
  if (area.lowestPx <= all.lowestPx && area.highestPx >= all.highestPx) return "";
  if (area.lowestPx <= all.lowestPx) return "area up to " + squareText(area.highestPx) + " px";
  if (area.highestPx >= all.highestPx) return "from " + squareText(area.lowestPx) + " px";
  return squareText(area.lowestPx) + " to " + squareText(area.highestPx) + " px";
}

/// Index of AP by size in AveragePrecision::stats.
std::size_t statOfSize(std::size_t area) { return area == 0 ? 0 : 2 + area; }

std::string intervalText(const Interval& interval, int decimals) {
  return figure(interval.low, decimals) + " to " + figure(interval.high, decimals);
}

std::string tile(const char* name, const std::string& value, const std::string& note) {
  return std::string("<div class=\"tile\"><span>") + name + "</span><b>" + value + "</b><small>" +
         note + "</small></div>";
}

std::string headerRow(std::initializer_list<const char*> texts,
                      std::initializer_list<const char*> numbers) {
  std::string row = "<thead><tr>";
  for (const char* text : texts) row += std::string("<th scope=\"col\">") + text + "</th>";
  for (const char* number : numbers)
    row += std::string("<th scope=\"col\" class=\"n\">") + number + "</th>";
  return row + "</tr></thead>\n";
}

std::string countCells(const Counts& counts) {
  return numberCell(figure(counts.precision())) + numberCell(figure(counts.recall())) +
         numberCell(figure(counts.f1())) + numberCell(grouped(counts.truePositives)) +
         numberCell(grouped(counts.falsePositives)) + numberCell(grouped(counts.falseNegatives));
}

std::string bar(double value) {
  if (value < 0) return "";
  return "<i class=\"bar\" style=\"width:" + coordinate(std::min(value, 1.0) * 100) + "%\"></i>";
}

/// By falling AP; classes without objects last.
std::vector<std::size_t> byAp(const std::vector<ClassAveragePrecision>& classes) {
  std::vector<std::size_t> rows(classes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return classes[a].ap > classes[b].ap; });
  return rows;
}

std::string pastLimitNote(const ReportSource& source) {
  const PastLimit& past = source.figures.pastLimit;
  std::string text;
  if (!past.isEmpty())
    text = "<p class=\"note\">" + past.text(source.maxDetectionsSetting) + ".</p>\n";
  if (!source.comparison || source.comparison->figuresOfB.pastLimit == past) return text;
  const std::string ofOther =
      source.comparison->figuresOfB.pastLimit.text(source.maxDetectionsSetting);
  if (ofOther.empty()) return text;
  return text + "<p class=\"note\">" + escaped(source.comparison->nameB) + ": " + ofOther +
         ".</p>\n";
}

}  // namespace

std::string thresholdsText(const Analysis& analysis) {
  return "score ≥ " + base::shortNumber(analysis.scoreThreshold, 4) + " and IoU ≥ " +
         base::shortNumber(analysis.iouThreshold, 4);
}

std::string summary(const ReportSource& source) {
  const Analysis& analysis = source.analysis;
  const ApUncertainty& uncertainty = analysis.uncertainty;
  const auto interval = [&](const Interval& of) {
    return uncertainty.resamples == 0 ? "" : "95 %: " + intervalText(of, 3);
  };
  const Counts& all = analysis.operatingPoint.all;
  std::string text = "<section class=\"tiles\">\n";
  text += tile("AP", figure(source.figures.stats[0]), interval(uncertainty.ap));
  if (uncertainty.figures.ap50 >= 0)
    text += tile("AP50", figure(source.figures.stats[1]), interval(uncertainty.ap50));
  text +=
      tile("Precision", figure(all.precision()), grouped(all.falsePositives) + " false positives");
  text += tile("Recall", figure(all.recall()), grouped(all.falseNegatives) + " false negatives");
  text += tile("F1", figure(all.f1()), grouped(all.truePositives) + " true positives");
  text +=
      "\n</section>\n<p class=\"note\">Precision, recall and F1 are at " + thresholdsText(analysis);
  text += analysis.isAtBestF1 ? ", the score threshold with the best F1 over all classes." : ".";
  if (uncertainty.resamples > 0)
    text += " Intervals are of " + groupedCount(uncertainty.resamples, "bootstrap resample") +
            " of the images.";
  return text + "</p>\n" + pastLimitNote(source);
}

std::string verdict(const ReportSource& source) {
  if (!source.comparison) return "";
  const char* kind = "same";
  if (source.comparison->ap.verdict == ComparisonVerdict::BIsBetter) kind = "better";
  if (source.comparison->ap.verdict == ComparisonVerdict::AIsBetter) kind = "worse";
  return std::string("<p class=\"verdict ") + kind + "\">" +
         escaped(verdictSentence(*source.comparison)) + "</p>\n";
}

std::string figuresTable(const ReportSource& source) {
  const auto& stats = source.figures.stats;
  const ApUncertainty& uncertainty = source.analysis.uncertainty;
  const std::vector<std::string>& names = source.figures.names;
  const std::vector<std::string> meanings = metricMeanings(names, source.analysis.overlaps.areas());
  std::string text =
      "<section>\n<h2>COCO’s metrics</h2>\n<div class=\"wide\"><table id=\"figures\">\n";
  text += source.comparison
              ? headerRow({"", ""},
                          {escaped(cutTo(source.resultsName, 24)).c_str(),
                           escaped(cutTo(source.comparison->nameB, 24)).c_str(), "difference"})
              : headerRow({"", ""}, {"value", "95 % interval"});
  text += "<tbody>\n";
  for (std::size_t i = 0; i < stats.size(); ++i) {
    text += "<tr><th scope=\"row\">" + escaped(names[i]) + "</th>" +
            textCell("<small>" + escaped(meanings[i]) + "</small>") +
            numberCell(figure(stats[i], 4));
    if (source.comparison) {
      const double other = source.comparison->figuresOfB.stats[i];
      const bool areThere = stats[i] >= 0 && other >= 0;
      text += numberCell(figure(other, 4)) +
              numberCell(areThere ? base::signedNumber(other - stats[i], 4) : "–");
    } else {
      const bool hasInterval = i < 2 && uncertainty.resamples > 0;
      text += numberCell(hasInterval ? intervalText(i == 0 ? uncertainty.ap : uncertainty.ap50, 4)
                                     : "");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n</section>\n";
}

std::string sizesTable(const ReportSource& source) {
  std::string text =
      "<section>\n<h2>By size of object</h2>\n<div class=\"wide\"><table id=\"sizes\">\n" +
      headerRow({"size"}, {"AP", "precision", "recall", "F1", "TP", "FP", "FN"}) + "<tbody>\n";
  const std::vector<AreaRange>& areas = source.analysis.overlaps.areas();
  for (std::size_t s = 0; s < areas.size(); ++s) {
    text += "<tr><th scope=\"row\">" + escaped(areas[s].name) + " <small>" + sizeMeaning(areas[s]) +
            "</small></th>" + numberCell(figure(source.figures.stats[statOfSize(s)])) +
            countCells(source.analysis.operatingPoint.sizes[s]) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n<p class=\"note\">All but AP at " +
         thresholdsText(source.analysis) +
         ". A detection of another size counts if it matches an object of this size; otherwise it "
         "is "
         "ignored.</p>\n</section>\n";
}

std::string classesTable(const ReportSource& source) {
  const auto& classes = source.figures.classes;
  std::string text =
      "<section>\n<h2>By class</h2>\n<p class=\"note\">By falling AP; all but AP and AP50 at " +
      thresholdsText(source.analysis) + ".</p>\n<div class=\"wide\"><table id=\"classes\">\n" +
      headerRow({"class", ""}, {"AP", "AP50", "precision", "recall", "F1", "TP", "FP", "FN"}) +
      "<tbody>\n";
  for (const std::size_t k : byAp(classes)) {
    const ClassAveragePrecision& one = classes[k];
    text += "<tr><th scope=\"row\">" + escaped(cutTo(one.name, 40)) + "</th><td class=\"bars\">" +
            bar(one.ap) + "</td>" + numberCell(figure(one.ap)) + numberCell(figure(one.ap50)) +
            countCells(source.analysis.operatingPoint.classes[k]) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n</section>\n";
}

}  // namespace lockstep::coco::report
