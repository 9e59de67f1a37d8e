#include "engine/config/anchor_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/coco/files/dataset.h"
#include "engine/config/anchor_cells.h"
#include "engine/config/padded_sizes.h"
#include "engine/config/pyramid.h"
#include "engine/config/resized_size.h"

namespace lockstep::config {
namespace {

struct Box {
  double x1, y1, x2, y2;
};

double iou(const Box& a, const Box& b) {
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  const auto area = [](const Box& box) { return (box.x2 - box.x1) * (box.y2 - box.y1); };
  return both / (area(a) + area(b) - both);
}

/// Locations of an FPN level along one side of an image.
struct Axis {
  std::int64_t stride, count;

  /// The two locations nearest to a position, which may be the same.
  std::array<double, 2> nearest(double position) const {
    const auto below =
        static_cast<std::int64_t>(std::floor(position / static_cast<double>(stride)));
    const auto at = [&](std::int64_t index) {
      return static_cast<double>(std::clamp<std::int64_t>(index, 0, count - 1) * stride);
    };
    return {at(below), at(below + 1)};
  }
};

/// As the backbone and the FPN halve a side; strides as torchvision computes them.
std::array<Axis, kPyramidLevels> axesOf(std::int64_t padded) {
  std::array<Axis, kPyramidLevels> axes{};
  for (std::size_t level = 0; level < kPyramidLevels; ++level) {
    const std::int64_t count =
        level < kBackboneStages ? padded / kPyramidStrides[level] : (axes[level - 1].count + 1) / 2;
    axes[level] = {padded / count, count};
  }
  return axes;
}

struct Scale {
  double x, y;
};

Scale scaleOf(const AnnotatedBox& object, const base::ImageSize& resized) {
  return {static_cast<double>(resized.width) / static_cast<double>(object.image.width),
          static_cast<double>(resized.height) / static_cast<double>(object.image.height)};
}

base::ImageSize resizedImage(const AnnotatedBox& object, const AugmentConfig& augment) {
  return resizedSize(object.image, augment.minSize.back(), augment.maxSize);
}

/// An object in px of the resized image, with the locations around it.
struct ResizedObject {
  Box box;
  std::array<Axis, kPyramidLevels> rows, columns;
};

ResizedObject resized(const AnnotatedBox& object, const AugmentConfig& augment) {
  const base::ImageSize size = resizedImage(object, augment);
  const Scale scale = scaleOf(object, size);
  const auto& [x, y, width, height] = object.boxXywh;
  return {{x * scale.x, y * scale.y, (x + width) * scale.x, (y + height) * scale.y},
          axesOf(paddedSide(size.height)),
          axesOf(paddedSide(size.width))};
}

/// The overlap along one axis does not grow with the distance of the centres: the nearest
/// locations decide.
double bestIou(const ResizedObject& object, const std::vector<std::vector<AnchorCell>>& cells) {
  const double centreX = (object.box.x1 + object.box.x2) / 2,
               centreY = (object.box.y1 + object.box.y2) / 2;
  double best = 0;
  for (std::size_t level = 0; level < cells.size(); ++level) {
    for (const double x : object.columns[level].nearest(centreX)) {
      for (const double y : object.rows[level].nearest(centreY)) {
        for (const AnchorCell& cell : cells[level])
          best =
              std::max(best, iou(object.box, {x + cell.x1, y + cell.y1, x + cell.x2, y + cell.y2}));
      }
    }
  }
  return best;
}

/// Share of the objects that anchors cover.
double coverage(const std::vector<ResizedObject>& objects, const AnchorConfig& anchors) {
  const auto cells = anchorCells(anchors);
  const auto covered = std::ranges::count_if(
      objects, [&](const ResizedObject& object) { return bestIou(object, cells) >= kCoveringIou; });
  return static_cast<double>(covered) / static_cast<double>(objects.size());
}

/// Two figures are enough for a size or a ratio.
double rounded(double value) {
  const double digits = 1 - std::floor(std::log10(value));
  const double scale = std::pow(10, std::abs(digits));
  // A quotient is the double nearest to 1.7; 17 * 0.1 is not.
  return digits > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

/// Heights / widths at the quantiles 10, 50 and 90 %.
std::vector<double> usualRatios(const std::vector<ResizedObject>& objects) {
  std::vector<double> ratios;
  for (const ResizedObject& object : objects)
    ratios.push_back((object.box.y2 - object.box.y1) / (object.box.x2 - object.box.x1));
  std::ranges::sort(ratios);
  std::vector<double> usual;
  for (const double quantile : {0.1, 0.5, 0.9}) {
    const auto index = static_cast<std::size_t>(quantile * static_cast<double>(ratios.size() - 1));
    const double ratio = rounded(ratios[index]);
    if (usual.empty() || ratio > usual.back()) usual.push_back(ratio);
  }
  return usual;
}

}  // namespace

std::vector<AnnotatedBox> trainingObjects(const coco::Dataset& dataset) {
  std::vector<AnnotatedBox> objects;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const coco::Image& image = dataset.images()[i];
    for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
      if (annotation.isUsable())
        objects.push_back({{image.height, image.width}, annotation.boxXywh, annotation.area});
    }
  }
  return objects;
}

std::int64_t BoxSizes::objects() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

double BoxSizes::binStartPx(int bin) {
  return kFirstPx * std::exp2(static_cast<double>(bin) / kBinsPerDoubling);
}

BoxSizes boxSizes(std::span<const AnnotatedBox> objects, const AugmentConfig& augment) {
  BoxSizes sizes;
  for (const AnnotatedBox& object : objects) {
    const Scale scale = scaleOf(object, resizedImage(object, augment));
    const double sidePx = std::sqrt(object.boxXywh[2] * scale.x * object.boxXywh[3] * scale.y);
    const double bin =
        std::floor(std::log2(sidePx / BoxSizes::kFirstPx) * BoxSizes::kBinsPerDoubling);
    const double last = BoxSizes::kBins - 1;
    ++sizes.counts[static_cast<std::size_t>(std::clamp(bin, 0.0, last))];
  }
  return sizes;
}

double AnchorFit::shareBelow(double iou) const {
  if (bestIous.empty()) return 0;
  const auto below = std::ranges::count_if(bestIous, [iou](float best) { return best < iou; });
  return static_cast<double>(below) / static_cast<double>(bestIous.size());
}

double resizedArea(const AnnotatedBox& object, const AugmentConfig& augment) {
  const Scale scale = scaleOf(object, resizedImage(object, augment));
  return object.area * scale.x * scale.y;
}

AnchorFit fitAnchors(std::span<const AnnotatedBox> objects, const AugmentConfig& augment,
                     const AnchorConfig& anchors) {
  const auto cells = anchorCells(anchors);
  AnchorFit fit;
  for (const AnnotatedBox& object : objects) {
    const double best = bestIou(resized(object, augment), cells);
    fit.bestIous.push_back(static_cast<float>(best));
    for (const coco::ObjectSize size :
         {coco::ObjectSize::All, coco::sizeOf(resizedArea(object, augment))}) {
      AnchorMisses& misses = fit.bySize[static_cast<std::size_t>(size)];
      ++misses.objects;
      misses.missed += best < kCoveringIou ? 1 : 0;
    }
  }
  return fit;
}

AnchorConfig suggestedAnchors(std::span<const AnnotatedBox> objects, const AugmentConfig& augment,
                              const AnchorConfig& anchors) {
  constexpr std::size_t kMaxTried = 4000;
  constexpr double kSmallestSizePx = 4, kLargestSizePx = 256;
  std::vector<ResizedObject> tried;
  const std::size_t every = objects.size() / kMaxTried + 1;
  for (std::size_t i = 0; i < objects.size(); i += every) {
    const AnnotatedBox& object = objects[i];
    if (object.boxXywh[2] > 0 && object.boxXywh[3] > 0) tried.push_back(resized(object, augment));
  }
  if (tried.empty()) return anchors;
  AnchorConfig best = anchors;
  double bestCoverage = coverage(tried, anchors);
  for (const std::vector<double>& ratios :
       {anchors.aspectRatios, usualRatios(tried), std::vector<double>{0.33, 0.5, 1, 2, 3}}) {
    for (double size = kSmallestSizePx; size <= kLargestSizePx; size *= std::pow(2, 0.25)) {
      AnchorConfig candidate;
      candidate.aspectRatios = ratios;
      for (std::size_t level = 0; level < kPyramidLevels; ++level)
        candidate.sizes[level] = rounded(size) * std::pow(2, static_cast<double>(level));
      const double covered = coverage(tried, candidate);
      if (covered > bestCoverage) {
        bestCoverage = covered;
        best = candidate;
      }
    }
    if (bestCoverage >= kGoodCoverage) break;
  }
  return best;
}

}  // namespace lockstep::config
