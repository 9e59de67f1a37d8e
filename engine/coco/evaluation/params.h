#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The parameters of an evaluation (pycocotools' Params), and COCO's values of them.
namespace lockstep::coco {

/// numpy's linspace(first, last, N), to the last bit.
template <std::size_t N>
constexpr std::array<double, N> evenlySpaced(double first, double last) {
  std::array<double, N> values{};
  const double step = (last - first) / static_cast<double>(N - 1);
  for (std::size_t i = 0; i < N; ++i) values[i] = static_cast<double>(i) * step + first;
  values[N - 1] = last;
  return values;
}

/// 0.5, 0.55 … 0.95.
inline constexpr auto kIouThresholds = evenlySpaced<10>(.5, .95);

/// The IoU that matches at a threshold: as pycocotools, caps it at 1 - 1e-10.
constexpr double cappedIouThreshold(double iouThreshold) {
  return iouThreshold < 1 - 1e-10 ? iouThreshold : 1 - 1e-10;
}

/// 0, 0.01 … 1.
inline constexpr auto kRecallThresholds = evenlySpaced<101>(0, 1);

/// COCO's sizes of objects, by area.
enum class ObjectSize : std::size_t { All, Small, Medium, Large };

inline constexpr std::size_t kObjectSizeCount = 4;
inline constexpr std::array<const char*, kObjectSizeCount> kObjectSizeNames{"all", "small",
                                                                            "medium", "large"};

/// Minimum and maximum area of each size, px, both inclusive as in pycocotools. Areas over 1e10 px
/// are in no range.
inline constexpr std::array<std::array<double, 2>, kObjectSizeCount> kObjectSizesPx{
    {{0, 1e10}, {0, 32.0 * 32.0}, {32.0 * 32.0, 96.0 * 96.0}, {96.0 * 96.0, 1e10}}};

/// Areas of objects, px, both ends inclusive as in pycocotools.
struct AreaLimits {
  double lowestPx = kObjectSizesPx[0][0], highestPx = kObjectSizesPx[0][1];
  /// True for NaN.
  constexpr bool contains(double areaPx) const {
    return !(areaPx < lowestPx || areaPx > highestPx);
  }
  bool operator==(const AreaLimits&) const = default;
};

constexpr AreaLimits limitsOf(ObjectSize size) {
  const auto& range = kObjectSizesPx[static_cast<std::size_t>(size)];
  return {range[0], range[1]};
}

constexpr bool isOfSize(double areaPx, ObjectSize size) { return limitsOf(size).contains(areaPx); }

/// Areas at a limit belong to the smaller size.
constexpr ObjectSize sizeOf(double areaPx) {
  using enum ObjectSize;
  return isOfSize(areaPx, Small) ? Small : isOfSize(areaPx, Medium) ? Medium : Large;
}

/// Objects of one size, a row of its own in the metrics.
struct AreaRange : AreaLimits {
  std::string name;
};

/// All objects, small, medium and large ones.
std::vector<AreaRange> cocoAreas();

/// The most that matches have bits and counts for.
inline constexpr std::size_t kMostIouThresholds = 16, kMostAreas = 8;

struct Params {
  /// Rising, above 0 and at most 1; at most kMostIouThresholds.
  std::vector<double> iouThresholds{kIouThresholds.begin(), kIouThresholds.end()};
  /// Rising: only this many detections per class and image count, highest scores first.
  std::array<std::size_t, 3> maxDetections{1, 10, 100};
  /// The first is of all objects; at most kMostAreas.
  std::vector<AreaRange> areas = cocoAreas();
  /// Loses the match of an annotation with id 0, as pycocotools does: its matrix of matches holds
  /// ids, in which 0 stands for no match.
  bool pycocotoolsExact = false;

  bool losesMatchOf(std::int64_t annotationId) const {
    return pycocotoolsExact && annotationId == 0;
  }
  /// The limit of all metrics but two of the average recalls.
  std::size_t mostDetections() const { return maxDetections.back(); }
};

/// The names of the metrics in pycocotools' order: AP, AP50, AP75, AP of each size, AR with each
/// number of detections, AR of each size. COCO's, with another number where that is another: APs,
/// AR600; of a size with a name of its own: AP_tiny.
std::vector<std::string> metricNames(const Params& params = {});

}  // namespace lockstep::coco
