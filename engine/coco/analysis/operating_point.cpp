#include "engine/coco/analysis/operating_point.h"

#include "engine/coco/analysis/image_chunks.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::coco {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? -1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// An object and the detection of another class that is matched with it, with their class rows.
struct ConfusedPair {
  std::uint32_t annotation, detection, actual, predicted;
};

/// The counts of a chunk of images.
struct CountChunk {
  std::vector<Counts> classes;
  std::vector<Counts> sizes;
  std::vector<ConfusedPair> confusions;
  InstanceMatcher matcher;
  std::vector<char> isFalse, isTaken;  ///< by detection and by annotation of one image
};

/// One size, the area with this index, for the image given to InstanceMatcher::begin(): false
/// positives are the shown detections of that size minus those that are matched or ignored.
Counts countSize(const OverlapSet::ClassRows& rows, std::uint32_t shown, std::size_t size,
                 const AreaLimits& area, InstanceMatcher& matcher) {
  Counts counts;
  for (std::uint32_t d = 0; d < shown; ++d) {
    counts.falsePositives += rows.sizesOfDetections[d] >> size & 1;
  }
  const auto take = [&](std::uint32_t d, const DetectionMatch& match) {
    if (match.verdict == MatchVerdict::FalsePositive) return;
    counts.falsePositives -= rows.sizesOfDetections[d] >> size & 1;
    counts.truePositives += match.verdict == MatchVerdict::TruePositive;
  };
  matcher.forMatched(area, take);
  for (const std::int32_t found : matcher.detectionOfAnnotation()) {
    counts.falseNegatives += found == kMissed;
  }
  return counts;
}

/// All sizes, by class, for the image given to InstanceMatcher::begin(). Sets chunk.isFalse.
Counts countClasses(const OverlapSet::ClassRows& rows, std::uint32_t shown, CountChunk& chunk) {
  Counts all;
  chunk.isFalse.resize(shown);
  for (std::uint32_t d = 0; d < shown; ++d) chunk.isFalse[d] = rows.sizesOfDetections[d] & 1;
  const auto take = [&](std::uint32_t d, const DetectionMatch& match) {
    if (match.verdict == MatchVerdict::FalsePositive) return;
    chunk.isFalse[d] = 0;
    if (match.verdict != MatchVerdict::TruePositive) return;
    ++chunk.classes[rows.ofDetections[d]].truePositives;
    ++all.truePositives;
  };
  chunk.matcher.forMatched(AreaLimits(), take);
  for (std::uint32_t d = 0; d < shown; ++d) {
    const auto isFalse = static_cast<std::uint64_t>(chunk.isFalse[d]);
    chunk.classes[rows.ofDetections[d]].falsePositives += isFalse;
    all.falsePositives += isFalse;
  }
  const std::vector<std::int32_t>& found = chunk.matcher.detectionOfAnnotation();
  for (std::size_t g = 0; g < found.size(); ++g) {
    chunk.classes[rows.ofAnnotations[g]].falseNegatives += found[g] == kMissed;
    all.falseNegatives += found[g] == kMissed;
  }
  return all;
}

/// Matches false positives with missed objects of other classes, by falling score. Call it after
/// countClasses.
void findConfusions(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                    double iouThreshold, CountChunk& chunk) {
  chunk.isTaken.assign(image.annotations.size(), 0);
  const std::vector<std::int32_t>& found = chunk.matcher.detectionOfAnnotation();
  const double least = cappedIouThreshold(iouThreshold);
  const auto& pairs = image.pairs;
  for (std::size_t p = 0; p < pairs.size();) {
    const std::uint32_t detection = pairs[p].detection;
    if (detection >= chunk.isFalse.size()) return;
    const Overlap* best = nullptr;
    for (; p < pairs.size() && pairs[p].detection == detection; ++p) {
      const std::uint32_t g = pairs[p].annotation;
      if (pairs[p].iou < least || !chunk.isFalse[detection] || chunk.isTaken[g]) continue;
      if (found[g] != kMissed || rows.ofAnnotations[g] == rows.ofDetections[detection]) continue;
      if (best == nullptr || pairs[p].iou >= best->iou) best = &pairs[p];
    }
    if (best == nullptr) continue;
    chunk.isTaken[best->annotation] = 1;
    chunk.confusions.push_back({best->annotation, detection, rows.ofAnnotations[best->annotation],
                                rows.ofDetections[detection]});
  }
}

ConfusionMatrix confusionMatrix(const std::vector<Counts>& classes,
                                const std::vector<CountChunk>& chunks) {
  ConfusionMatrix matrix(classes.size());
  const std::size_t background = matrix.background();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    matrix.at(k, k) = static_cast<std::uint32_t>(classes[k].truePositives);
    matrix.at(background, k) = static_cast<std::uint32_t>(classes[k].falsePositives);
    matrix.at(k, background) = static_cast<std::uint32_t>(classes[k].falseNegatives);
  }
  for (const CountChunk& chunk : chunks) {
    for (const ConfusedPair& pair : chunk.confusions) {
      ++matrix.at(pair.actual, pair.predicted);
      --matrix.at(background, pair.predicted);
      --matrix.at(pair.actual, background);
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

double Counts::precision() const { return ratio(truePositives, truePositives + falsePositives); }

double Counts::recall() const { return ratio(truePositives, truePositives + falseNegatives); }

double Counts::f1() const {
  return ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
}

OperatingPoint operatingPoint(const OverlapSet& set, double scoreThreshold, double iouThreshold,
                              int threads) {
  OperatingPoint point;
  point.images.resize(set.images().size());
  point.classes.resize(set.categories().size());
  point.sizes.resize(set.areas().size());
  const auto takeImage = [&](CountChunk& chunk, std::size_t i) {
    chunk.classes.resize(set.categories().size());
    chunk.sizes.resize(set.areas().size());
    const ImageOverlaps& image = set.images()[i];
    const OverlapSet::ClassRows& rows = set.rowsOf(i);
    const std::uint32_t shown = InstanceMatcher::countShown(image, scoreThreshold);
    chunk.matcher.begin(image, iouThreshold, shown);
    point.images[i] = countClasses(rows, shown, chunk);
    chunk.sizes[0] += point.images[i];
    findConfusions(image, rows, iouThreshold, chunk);
    for (std::size_t s = 1; s < set.areas().size(); ++s) {
      chunk.sizes[s] += countSize(rows, shown, s, set.areas()[s], chunk.matcher);
    }
  };
  const auto chunks = forImageChunks<CountChunk>(point.images.size(), threads, takeImage);
  for (const CountChunk& chunk : chunks) {
    for (std::size_t s = 0; s < point.sizes.size(); ++s) point.sizes[s] += chunk.sizes[s];
    for (std::size_t k = 0; k < point.classes.size(); ++k) point.classes[k] += chunk.classes[k];
  }
  point.all = point.sizes.front();
  point.confusion = confusionMatrix(point.classes, chunks);
  return point;
}

std::vector<ConfusedInstance> confusedInstances(const OverlapSet& set, std::size_t image,
                                                double scoreThreshold, double iouThreshold) {
  const ImageOverlaps& overlaps = set.images()[image];
  const OverlapSet::ClassRows& rows = set.rowsOf(image);
  const std::uint32_t shown = InstanceMatcher::countShown(overlaps, scoreThreshold);
  CountChunk chunk;
  chunk.classes.resize(set.categories().size());
  chunk.matcher.begin(overlaps, iouThreshold, shown);
  countClasses(rows, shown, chunk);
  findConfusions(overlaps, rows, iouThreshold, chunk);
  std::vector<std::int32_t> found = chunk.matcher.detectionOfAnnotation();
  for (const ConfusedPair& pair : chunk.confusions) {
    found[pair.annotation] = static_cast<std::int32_t>(pair.detection);
    chunk.isFalse[pair.detection] = 0;
  }
  std::vector<ConfusedInstance> instances;
  for (std::size_t g = 0; g < found.size(); ++g)
    if (found[g] != kNotCounted)
      instances.push_back({static_cast<std::int32_t>(g), found[g] == kMissed ? -1 : found[g]});
  for (std::uint32_t d = 0; d < shown; ++d)
    if (chunk.isFalse[d]) instances.push_back({-1, static_cast<std::int32_t>(d)});
  return instances;
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
