#include <algorithm>

#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

constexpr std::size_t kMostClasses = 25, kMostConfusions = 20, kNameCharacters = 16;

/// The matrix with class names on its left and above it.
class Map {
 public:
  explicit Map(const Analysis& analysis)
      : matrix_(analysis.operatingPoint.confusion),
        side_(matrix_.background() + 1),
        cellPx_(std::clamp(600.0 / static_cast<double>(side_), 26.0, 64.0)) {
    for (const Category& category : analysis.overlaps.categories()) names_.push_back(category.name);
    names_.emplace_back("background");
    std::size_t longest = 0;
    for (const std::string& name : names_)
      longest = std::max(longest, std::min(name.size(), kNameCharacters));
    namesPx_ = 14 + 7.2 * static_cast<double>(longest);
  }

  std::string drawn() const {
    const double side = namesPx_ + 8 + cellPx_ * static_cast<double>(side_);
    // The names above lean to the right, out of the last column.
    const std::string width = coordinate(side + 70), height = coordinate(side);
    std::string text = "<svg class=\"map\" viewBox=\"0 0 " + width + " " + height +
                       "\" style=\"max-width:" + width +
                       "px\" role=\"img\" aria-label=\"confusion matrix\">\n";
    for (std::size_t row = 0; row < side_; ++row) text += drawnName(row) + drawnRow(row);
    return text + "</svg>\n";
  }

 private:
  double place(std::size_t index) const {
    return namesPx_ + 8 + cellPx_ * static_cast<double>(index);
  }

  std::string drawnName(std::size_t index) const {
    const std::string middle = coordinate(place(index) + cellPx_ / 2);
    const std::string name = escaped(cutTo(names_[index], kNameCharacters));
    return "<text class=\"end\" x=\"" + coordinate(namesPx_) + "\" y=\"" +
           coordinate(place(index) + cellPx_ / 2 + 4) + "\">" + name +
           "</text><text class=\"begin\" transform=\"translate(" + middle + " " +
           coordinate(namesPx_) + ") rotate(-50)\">" + name + "</text>\n";
  }

  std::string drawnRow(std::size_t actual) const {
    std::uint64_t sum = 0;
    for (std::size_t predicted = 0; predicted < side_; ++predicted)
      sum += matrix_.at(actual, predicted);
    std::string text;
    for (std::size_t predicted = 0; predicted < side_; ++predicted) {
      const std::uint32_t count = matrix_.at(actual, predicted);
      const double share = sum == 0 ? 0 : static_cast<double>(count) / static_cast<double>(sum);
      text += drawnCell(actual, predicted, count, share);
    }
    return text + "\n";
  }

  std::string drawnCell(std::size_t actual, std::size_t predicted, std::uint32_t count,
                        double share) const {
    const std::string x = coordinate(place(predicted)), y = coordinate(place(actual)),
                      px = coordinate(cellPx_ - 1);
    const std::string box =
        "\" x=\"" + x + "\" y=\"" + y + "\" width=\"" + px + "\" height=\"" + px;
    std::string text = "<rect class=\"frame" + box + "\"/>";
    if (count == 0) return text;
    text += "<g><title>" + escaped(names_[actual]) + " predicted as " + escaped(names_[predicted]) +
            ": " + grouped(count) + "</title><rect class=\"" +
            (actual == predicted ? "heat right" : "heat") + box + "\" fill-opacity=\"" +
            coordinate(.06 + .94 * share) + "\"/>";
    return text + "<text class=\"middle" + (share > .5 ? " strong" : "") + "\" x=\"" +
           coordinate(place(predicted) + cellPx_ / 2) + "\" y=\"" +
           coordinate(place(actual) + cellPx_ / 2 + 4) + "\">" + std::to_string(count) +
           "</text></g>";
  }

  const ConfusionMatrix& matrix_;
  std::size_t side_;
  double cellPx_, namesPx_ = 0;
  std::vector<std::string> names_;
};

std::string confusionList(const Analysis& analysis) {
  const auto& categories = analysis.overlaps.categories();
  std::string rows;
  for (const auto& [actual, predicted, count] :
       frequentConfusions(analysis.operatingPoint.confusion, kMostConfusions)) {
    const Counts& counts = analysis.operatingPoint.classes[actual];
    const auto objects = static_cast<double>(counts.truePositives + counts.falseNegatives);
    rows += "<tr>" + textCell(escaped(cutTo(categories[actual].name, 40))) +
            textCell(escaped(cutTo(categories[predicted].name, 40))) + numberCell(grouped(count)) +
            numberCell(figure(100 * count / objects, 1) + " %") + "</tr>\n";
  }
  if (rows.empty()) return "<p>No object is predicted as another class.</p>\n";
  return "<div class=\"wide\"><table id=\"confusions\"><thead><tr><th scope=\"col\">ground "
         "truth</th><th scope=\"col\">predicted as</th><th scope=\"col\" class=\"n\">count</th><th "
         "scope=\"col\" class=\"n\">share of its objects</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace

std::string confusionMap(const Analysis& analysis) {
  const std::size_t classes = analysis.overlaps.categories().size();
  if (classes == 0) return "";
  std::string text =
      "<section>\n<h2>Confusion matrix</h2>\n<p class=\"note\">At " + thresholdsText(analysis);
  if (classes > kMostClasses) {
    return text + ", the most frequent of " + std::to_string(classes) + " classes.</p>\n" +
           confusionList(analysis) + "</section>\n";
  }
  return text +
         ". Rows: ground truth; columns: predictions. The background row counts false positives "
         "without an object, the background column missed objects. Colours: share of the "
         "row.</p>\n" +
         Map(analysis).drawn() + "</section>\n";
}

}  // namespace lockstep::coco::report
