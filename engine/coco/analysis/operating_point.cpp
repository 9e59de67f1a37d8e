#include "engine/coco/analysis/operating_point.h"

#include "engine/coco/analysis/image_shares.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::coco {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? -1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Rows of an object and of the detection of another class that stands for it.
struct ConfusedRows {
  std::uint32_t actual, predicted;
};

/// What some images give.
struct ImageShare {
  std::vector<Counts> classes;
  std::array<Counts, kObjectSizeCount> sizes;
  std::vector<ConfusedRows> confusions;
  InstanceMatcher matcher;
  std::vector<char> isFalse, isTaken;  ///< of the detections, of the annotations of one image
};

/// One size of the image that the matcher has begun: false positives are the shown detections of
/// that size less those that turn out to be something else.
Counts countSize(const OverlapSet::ClassRows& rows, std::uint32_t shown, std::size_t size,
                 InstanceMatcher& matcher) {
  Counts counts;
  for (std::uint32_t d = 0; d < shown; ++d) {
    counts.falsePositives += rows.sizesOfDetections[d] >> size & 1;
  }
  const auto take = [&](std::uint32_t d, const DetectionMatch& match) {
    if (match.verdict == MatchVerdict::FalsePositive) return;
    counts.falsePositives -= rows.sizesOfDetections[d] >> size & 1;
    counts.truePositives += match.verdict == MatchVerdict::TruePositive;
  };
  matcher.forMatched(static_cast<ObjectSize>(size), take);
  for (const std::int32_t found : matcher.detectionOfAnnotation()) {
    counts.falseNegatives += found == kMissed;
  }
  return counts;
}

/// All sizes of the image that the matcher has begun, by class. Leaves in the share which
/// detections are false.
Counts countClasses(const OverlapSet::ClassRows& rows, std::uint32_t shown, ImageShare& share) {
  Counts all;
  share.isFalse.resize(shown);
  for (std::uint32_t d = 0; d < shown; ++d) share.isFalse[d] = rows.sizesOfDetections[d] & 1;
  const auto take = [&](std::uint32_t d, const DetectionMatch& match) {
    if (match.verdict == MatchVerdict::FalsePositive) return;
    share.isFalse[d] = 0;
    if (match.verdict != MatchVerdict::TruePositive) return;
    ++share.classes[rows.ofDetections[d]].truePositives;
    ++all.truePositives;
  };
  share.matcher.forMatched(ObjectSize::All, take);
  for (std::uint32_t d = 0; d < shown; ++d) {
    const auto isFalse = static_cast<std::uint64_t>(share.isFalse[d]);
    share.classes[rows.ofDetections[d]].falsePositives += isFalse;
    all.falsePositives += isFalse;
  }
  const std::vector<std::int32_t>& found = share.matcher.detectionOfAnnotation();
  for (std::size_t g = 0; g < found.size(); ++g) {
    share.classes[rows.ofAnnotations[g]].falseNegatives += found[g] == kMissed;
    all.falseNegatives += found[g] == kMissed;
  }
  return all;
}

/// False positives against missed objects of other classes, in the order of scores. After
/// countClasses.
void findConfusions(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                    double iouThreshold, ImageShare& share) {
  share.isTaken.assign(image.annotations.size(), 0);
  const std::vector<std::int32_t>& found = share.matcher.detectionOfAnnotation();
  const double least = leastIou(iouThreshold);
  const auto& pairs = image.pairs;
  for (std::size_t p = 0; p < pairs.size();) {
    const std::uint32_t detection = pairs[p].detection;
    if (detection >= share.isFalse.size()) return;
    const Overlap* best = nullptr;
    for (; p < pairs.size() && pairs[p].detection == detection; ++p) {
      const std::uint32_t g = pairs[p].annotation;
      if (pairs[p].iou < least || !share.isFalse[detection] || share.isTaken[g]) continue;
      if (found[g] != kMissed || rows.ofAnnotations[g] == rows.ofDetections[detection]) continue;
      if (best == nullptr || pairs[p].iou >= best->iou) best = &pairs[p];
    }
    if (best == nullptr) continue;
    share.isTaken[best->annotation] = 1;
    share.confusions.push_back(
        {rows.ofAnnotations[best->annotation], rows.ofDetections[detection]});
  }
}

ConfusionMatrix confusionMatrix(const std::vector<Counts>& classes,
                                const std::vector<ImageShare>& shares) {
  ConfusionMatrix matrix(classes.size());
  const std::size_t background = matrix.background();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    matrix.at(k, k) = static_cast<std::uint32_t>(classes[k].truePositives);
    matrix.at(background, k) = static_cast<std::uint32_t>(classes[k].falsePositives);
    matrix.at(k, background) = static_cast<std::uint32_t>(classes[k].falseNegatives);
  }
  for (const ImageShare& share : shares) {
    for (const auto& [actual, predicted] : share.confusions) {
      ++matrix.at(actual, predicted);
      --matrix.at(background, predicted);
      --matrix.at(actual, background);
    }
  }
  return matrix;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  truePositives += other.truePositives;
  falsePositives += other.falsePositives;
  falseNegatives += other.falseNegatives;
  return *this;
}

double Counts::precision() const { return share(truePositives, truePositives + falsePositives); }

double Counts::recall() const { return share(truePositives, truePositives + falseNegatives); }

double Counts::f1() const {
  return share(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
}

OperatingPoint operatingPoint(const OverlapSet& set, double scoreThreshold, double iouThreshold,
                              int threads) {
  OperatingPoint point;
  point.images.resize(set.images().size());
  point.classes.resize(set.categories().size());
  const auto takeImage = [&](ImageShare& share, std::size_t i) {
    share.classes.resize(set.categories().size());
    const ImageOverlaps& image = set.images()[i];
    const OverlapSet::ClassRows& rows = set.rowsOf(i);
    const std::uint32_t shown = InstanceMatcher::countShown(image, scoreThreshold);
    share.matcher.begin(image, iouThreshold, shown);
    point.images[i] = countClasses(rows, shown, share);
    share.sizes[0] += point.images[i];
    findConfusions(image, rows, iouThreshold, share);
    for (std::size_t s = 1; s < kObjectSizeCount; ++s) {
      share.sizes[s] += countSize(rows, shown, s, share.matcher);
    }
  };
  const auto shares = forImageShares<ImageShare>(point.images.size(), threads, takeImage);
  for (const ImageShare& share : shares) {
    for (std::size_t s = 0; s < kObjectSizeCount; ++s) point.sizes[s] += share.sizes[s];
    for (std::size_t k = 0; k < point.classes.size(); ++k) point.classes[k] += share.classes[k];
  }
  point.all = point.sizes[static_cast<std::size_t>(ObjectSize::All)];
  point.confusion = confusionMatrix(point.classes, shares);
  return point;
}

std::vector<Confusion> frequentConfusions(const ConfusionMatrix& matrix, std::size_t most) {
  std::vector<Confusion> confusions;
  for (std::size_t actual = 0; actual < matrix.background(); ++actual) {
    for (std::size_t predicted = 0; predicted < matrix.background(); ++predicted) {
      const std::uint32_t count = matrix.at(actual, predicted);
      if (actual != predicted && count > 0) confusions.push_back({actual, predicted, count});
    }
  }
  std::stable_sort(confusions.begin(), confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  confusions.resize(std::min(confusions.size(), most));
  return confusions;
}

}  // namespace lockstep::coco
