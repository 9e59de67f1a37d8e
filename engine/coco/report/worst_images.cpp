#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/base/image_size.h"
#include "engine/base/number_text.h"
#include "engine/coco/analysis/evaluated_image.h"
#include "engine/coco/masks/orientation.h"
#include "engine/coco/report/embedded_image.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/outlines.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

constexpr std::size_t kMostImages = 24, kMostOutlines = 200;
/// With more than kFewOutlines outlines only errors are labelled, at most kMostLabels.
constexpr std::size_t kFewOutlines = 15, kMostLabels = 40;

std::uint64_t errorsOf(const Counts& counts) {
  return counts.falsePositives + counts.falseNegatives;
}

/// Most errors first, ties by fewer true positives; images without errors are left out.
std::vector<std::size_t> worstFirst(const std::vector<Counts>& images) {
  std::vector<std::size_t> order(images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return errorsOf(images[i]) == 0; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::uint64_t errorsOfA = errorsOf(images[a]), errorsOfB = errorsOf(images[b]);
    if (errorsOfA != errorsOfB) return errorsOfA > errorsOfB;
    return images[a].truePositives < images[b].truePositives;
  });
  return order;
}

/// A detection or an object with its outline.
struct Instance {
  const char* style;  ///< tp, fp, fn
  std::string label, title;
  Outline outline;

  bool isTruePositive() const { return std::string_view(style) == "tp"; }
};

/// The instances of one image, errors first.
class Instances {
 public:
  Instances(const ReportSource& source, std::size_t image)
      : source_(source),
        image_(source.groundTruth.images()[image]),
        overlaps_(source.analysis.overlaps.images()[image]),
        annotations_(source.groundTruth.annotationsOf(image)),
        detections_(source.results.detectionsOf(image)) {
    const auto indices = source.results.indicesOf(image);
    for (std::size_t i = 0; i < indices.size(); ++i) detectionAt_[indices[i]] = i;
    const EvaluatedImage evaluated =
        evaluateImage(overlaps_, source.analysis.scoreThreshold, source.analysis.iouThreshold);
    addDetections(evaluated, MatchVerdict::FalsePositive);
    for (const std::uint32_t g : evaluated.missed) addMissed(g);
    addDetections(evaluated, MatchVerdict::TruePositive);
  }
  const std::vector<Instance>& all() const { return instances_; }
  std::size_t countLeftOut() const { return leftOut_; }

 private:
  bool isFull() {
    if (instances_.size() < kMostOutlines) return false;
    ++leftOut_;
    return true;
  }

  /// Empty if there is only one class.
  std::string classText(CategoryId id) const {
    const auto& categories = source_.groundTruth.categories();
    const auto row = static_cast<std::size_t>(source_.groundTruth.classOf(id).value - 1);
    return categories.size() == 1 ? "" : cutTo(categories[row].name, 20);
  }

  void addDetections(const EvaluatedImage& evaluated, MatchVerdict verdict) {
    for (const EvaluatedDetection& one : evaluated.detections) {
      if (one.match.verdict != verdict || isFull()) continue;
      const OverlapDetection& found = overlaps_.detections[one.detection];
      const Detection& detection = detections_[detectionAt_.at(found.index)];
      std::string label = classText(found.category);
      label += (label.empty() ? "" : " ") + base::shortNumber(found.score, 3);
      std::string title = label + ", IoU " + figure(one.match.iou, 2);
      if (one.error)
        title += std::string(", ") + kErrorTypeWords[static_cast<std::size_t>(*one.error)].name;
      const bool isMask = source_.type != IouType::Box && detection.mask.height > 0;
      instances_.push_back({verdict == MatchVerdict::TruePositive ? "tp" : "fp", label, title,
                            isMask ? maskOutlineOf(detection.mask, detection.boxXywh)
                                   : boxOutlineOf(detection.boxXywh)});
    }
  }

  void addMissed(std::uint32_t g) {
    if (isFull()) return;
    const Annotation& annotation = annotations_[g];
    const std::string label = classText(annotation.categoryId);
    instances_.push_back(
        {"fn", label, label + (label.empty() ? "missed" : ", missed"),
         source_.type == IouType::Box
             ? boxOutlineOf(annotation.boxXywh)
             : maskOutlineOf(annotationMask(annotation, image_), annotation.boxXywh)});
  }

  const ReportSource& source_;
  const Image& image_;
  const ImageOverlaps& overlaps_;
  const std::vector<Annotation>& annotations_;
  std::vector<Detection> detections_;
  std::unordered_map<std::uint32_t, std::size_t> detectionAt_;  ///< by index in the file
  std::vector<Instance> instances_;
  std::size_t leftOut_ = 0;
};

/// Drawn twice, with a wide dark halo below, to be visible on any image.
std::string drawnOutline(const Instance& instance, const std::string& id) {
  return std::string("<g><title>") + escaped(instance.title) + "</title><defs>" +
         instance.outline.shape + " id=\"" + id + "\"/></defs><use class=\"halo\" href=\"#" + id +
         "\"/><use class=\"outline " + instance.style + "\" href=\"#" + id + "\"/></g>\n";
}

/// The label of a missed object is below its outline, because a detection's label is above.
std::string drawnLabel(const Instance& instance, const Image& image) {
  const double fontPx = image.width / 40.0;
  const bool isBelow = std::string_view(instance.style) == "fn";
  const bool isAtRight = instance.outline.left > image.width * .8;
  const double x = std::clamp(instance.outline.left, 0.0, image.width * .99);
  const double y = std::clamp(
      isBelow ? instance.outline.bottom + fontPx * .9 : instance.outline.top - fontPx * .3, fontPx,
      std::max(image.height - fontPx * .2, fontPx));
  return std::string("<text class=\"") + instance.style + (isAtRight ? " end" : "") + "\" x=\"" +
         coordinate(x) + "\" y=\"" + coordinate(y) + "\" style=\"font-size:" + coordinate(fontPx) +
         "px;stroke-width:" + coordinate(fontPx * .22) + "px\">" + escaped(instance.label) +
         "</text>\n";
}

std::string drawnLabels(const std::vector<Instance>& instances, const Image& image) {
  const bool areFew = instances.size() <= kFewOutlines;
  std::string text;
  std::size_t count = 0;
  for (const Instance& instance : instances) {
    if (!areFew && (instance.isTruePositive() || count == kMostLabels)) break;
    if (instance.label.empty()) continue;
    text += drawnLabel(instance, image);
    ++count;
  }
  return text;
}

/// The embedded image, or why it is missing.
std::string ground(const Image& image, const EmbeddedImage& embedded) {
  if (!embedded.missingReason.empty())
    return "<p>no image: " + escaped(embedded.missingReason) + "</p>\n";
  const base::ImageHeader& header = embedded.header;
  const bool isTurned =
      shouldApplyExif({.height = header.height, .width = header.width}, header.exifSwapsSides,
                      base::ImageSize{.height = image.height, .width = image.width});
  return std::string("<img alt=\"\" style=\"image-orientation:") +
         (isTurned ? "from-image" : "none") + "\" src=\"" + embedded.dataUrl + "\"/>\n";
}

std::string caption(const ReportSource& source, std::size_t index, std::size_t leftOut) {
  const Image& image = source.groundTruth.images()[index];
  const Counts& counts = source.analysis.operatingPoint.images[index];
  std::string text = "<figcaption><b>" + escaped(image.fileName) + "</b> <small>(id " +
                     std::to_string(image.id.value) + ")</small><br/>" +
                     groupedCount(errorsOf(counts), "error") + ": " +
                     grouped(counts.falsePositives) + " FP, " + grouped(counts.falseNegatives) +
                     " FN; " + grouped(counts.truePositives) + " TP";
  if (leftOut > 0) text += "; " + groupedCount(leftOut, "outline") + " not drawn";
  return text + "</figcaption>\n";
}

std::string drawnImage(const ReportSource& source, std::size_t index,
                       const std::string& pictureGround) {
  const Image& image = source.groundTruth.images()[index];
  const Instances instances(source, index);
  const std::string size = std::to_string(image.width) + " " + std::to_string(image.height);
  std::string text = "<figure class=\"shot\">" + caption(source, index, instances.countLeftOut()) +
                     "<div class=\"picture\" style=\"aspect-ratio:" + std::to_string(image.width) +
                     "/" + std::to_string(image.height) + "\">\n" + pictureGround +
                     "<svg viewBox=\"0 0 " + size + "\" preserveAspectRatio=\"none\">\n";
  const auto& all = instances.all();
  for (std::size_t i = all.size(); i-- > 0;)  // errors on top
    text += drawnOutline(all[i], "o" + std::to_string(index) + "-" + std::to_string(i));
  return text + drawnLabels(all, image) + "</svg></div></figure>\n";
}

std::string outlineLegend() {
  std::string text = "<p class=\"legend\">";
  for (const auto& [style, name] :
       {std::pair("tp", "true positive"), std::pair("fp", "false positive"),
        std::pair("fn", "false negative")}) {
    text += std::string(
                "<span><svg class=\"swatch\" width=\"40\" height=\"14\" viewBox=\"0 0 40 14\" "
                "aria-hidden=\"true\"><line class=\"outline ") +
            style + "\" x1=\"3\" y1=\"7\" x2=\"37\" y2=\"7\"/></svg>" + name + "</span> ";
  }
  return text + "</p>\n";
}

}  // namespace

std::string worstImages(const ReportSource& source, Report& report) {
  std::vector<std::size_t> order = worstFirst(source.analysis.operatingPoint.images);
  const std::size_t withErrors = order.size();
  order.resize(std::min(order.size(), kMostImages));
  std::string text = "<section>\n<h2>The worst images</h2>\n<p class=\"note\">";
  if (order.empty()) {
    return text + "No image has an error at " + thresholdsText(source.analysis) +
           ".</p>\n</section>\n";
  }
  text += std::to_string(order.size()) + " of " + groupedCount(withErrors, "image") +
          " with errors, out of " + grouped(source.groundTruth.images().size()) +
          ": those with the most false positives and false negatives at " +
          thresholdsText(source.analysis) +
          "; ties by fewer true positives. Hover over an outline without a label to see "
          "it.</p>\n" +
          outlineLegend() + "<div class=\"shots\">\n";
  ImageEmbedder embedder(source.imagesFolder);
  for (const std::size_t i : order) {
    const Image& image = source.groundTruth.images()[i];
    std::string pictureGround;
    if (!source.imagesFolder.empty()) {
      const EmbeddedImage embedded = embedder.embed(image.fileName);
      pictureGround = ground(image, embedded);
      if (!embedded.missingReason.empty())
        report.missingImages.push_back(image.fileName + ": " + embedded.missingReason);
    }
    text += drawnImage(source, i, pictureGround);
  }
  return text + "</div>\n</section>\n";
}

}  // namespace lockstep::coco::report
