#include "engine/coco/analysis/operating_point.h"

#include "engine/coco/analysis/image_shares.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::coco {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? -1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Rows of an object and of the detection of another class that stands for it.
struct Confusion {
  std::uint32_t actual, predicted;
};

/// What some images give.
struct ImageShare {
  std::vector<Counts> classes;
  std::array<Counts, kObjectSizeCount> sizes;
  std::vector<Confusion> confusions;
  InstanceMatcher matcher;
  std::vector<char> isTaken;
};

Counts countMatches(const InstanceMatches& matches) {
  Counts counts;
  for (const DetectionMatch& match : matches.detections) {
    counts.truePositives += match.verdict == MatchVerdict::TruePositive;
    counts.falsePositives += match.verdict == MatchVerdict::FalsePositive;
  }
  for (const std::int32_t found : matches.detectionOfAnnotation) {
    counts.falseNegatives += found == kMissed;
  }
  return counts;
}

void countClasses(const InstanceMatches& matches, const OverlapSet::ClassRows& rows,
                  std::vector<Counts>& classes) {
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    Counts& counts = classes[rows.ofDetections[d]];
    counts.truePositives += matches.detections[d].verdict == MatchVerdict::TruePositive;
    counts.falsePositives += matches.detections[d].verdict == MatchVerdict::FalsePositive;
  }
  for (std::size_t g = 0; g < rows.ofAnnotations.size(); ++g) {
    classes[rows.ofAnnotations[g]].falseNegatives += matches.detectionOfAnnotation[g] == kMissed;
  }
}

/// False positives against missed objects of other classes, in the order of scores.
void findConfusions(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                    const InstanceMatches& matches, double iouThreshold, ImageShare& share) {
  share.isTaken.assign(image.annotations.size(), 0);
  const auto& pairs = image.pairs;
  for (std::size_t p = 0; p < pairs.size();) {
    const std::uint32_t detection = pairs[p].detection;
    if (detection >= matches.detections.size()) return;
    const bool isLeft = matches.detections[detection].verdict == MatchVerdict::FalsePositive;
    const Overlap* best = nullptr;
    for (; p < pairs.size() && pairs[p].detection == detection; ++p) {
      const std::uint32_t g = pairs[p].annotation;
      const double least = best != nullptr ? best->iou : leastIou(iouThreshold);
      if (!isLeft || pairs[p].iou < least || share.isTaken[g]) continue;
      if (matches.detectionOfAnnotation[g] != kMissed) continue;
      if (rows.ofAnnotations[g] != rows.ofDetections[detection]) best = &pairs[p];
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
    for (std::size_t s = kObjectSizeCount; s-- > 0;) {  // all sizes last: its matches are used on
      const InstanceMatches& matches =
          share.matcher.match(image, iouThreshold, scoreThreshold, static_cast<ObjectSize>(s));
      point.images[i] = countMatches(matches);
      share.sizes[s] += point.images[i];
      if (static_cast<ObjectSize>(s) != ObjectSize::All) continue;
      countClasses(matches, set.rowsOf(i), share.classes);
      findConfusions(image, set.rowsOf(i), matches, iouThreshold, share);
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

}  // namespace lockstep::coco
