// AP again and again from one ranked list for each class, with some of its entries read otherwise.
#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/image_shares.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

namespace lockstep::coco {
namespace {

/// What is mended: one type of error, or all false positives, or all false negatives.
constexpr std::size_t kFalsePositives = kErrorTypeCount, kFalseNegatives = kErrorTypeCount + 1,
                      kNothing = kErrorTypeCount + 2, kMendings = kErrorTypeCount + 3;

enum class Reading : std::uint8_t { Right, Wrong, Gone };

struct Entry {
  double score;
  Reading reading;  ///< as things are
  Reading mended;   ///< with its type of error mended
  ErrorType type;   ///< of an entry that is not right
};

struct ClassEntries {
  std::vector<Entry> entries;
  std::uint64_t gtCount = 0, falseNegatives = 0, missed = 0;
};

struct ImageShare {
  std::vector<ClassEntries> classes;
  std::array<std::uint64_t, kErrorTypeCount> counts{};
  InstanceMatcher matcher;
};

void takeError(const DetectionError& error, double score, const OverlapSet::ClassRows& rows,
               ImageShare& share) {
  ++share.counts[static_cast<std::size_t>(error.type)];
  const bool movesOn = error.type == ErrorType::Classification && error.becomesRight;
  const Reading mended = error.becomesRight && !movesOn ? Reading::Right : Reading::Gone;
  share.classes[rows.ofDetections[error.detection]].entries.push_back(
      {score, Reading::Wrong, mended, error.type});
  if (!movesOn) return;
  const auto annotation = static_cast<std::size_t>(error.annotation);
  share.classes[rows.ofAnnotations[annotation]].entries.push_back(
      {score, Reading::Gone, Reading::Right, error.type});
}

/// In the order of detections, which decides between equal scores.
void takeDetections(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                    const InstanceMatches& matches, const ImageErrors& errors, ImageShare& share) {
  auto nextError = errors.detections.begin();
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    const double score = image.detections[d].score;
    const MatchVerdict verdict = matches.detections[d].verdict;
    if (verdict == MatchVerdict::FalsePositive) takeError(*nextError++, score, rows, share);
    if (verdict != MatchVerdict::TruePositive) continue;
    share.classes[rows.ofDetections[d]].entries.push_back(
        {score, Reading::Right, Reading::Right, ErrorType::Missed});
  }
}

void takeAnnotations(const OverlapSet::ClassRows& rows, const InstanceMatches& matches,
                     const ImageErrors& errors, ImageShare& share) {
  for (std::size_t g = 0; g < rows.ofAnnotations.size(); ++g) {
    ClassEntries& own = share.classes[rows.ofAnnotations[g]];
    own.gtCount += matches.detectionOfAnnotation[g] != kNotCounted;
    own.falseNegatives += matches.detectionOfAnnotation[g] == kMissed;
  }
  for (const std::uint32_t g : errors.missed) ++share.classes[rows.ofAnnotations[g]].missed;
  share.counts[static_cast<std::size_t>(ErrorType::Missed)] += errors.missed.size();
}

Reading readingOf(const Entry& entry, std::size_t mending) {
  if (entry.reading == Reading::Right) return Reading::Right;
  if (mending == kFalsePositives) return Reading::Gone;
  return static_cast<std::size_t>(entry.type) == mending ? entry.mended : entry.reading;
}

std::uint64_t gtCountOf(const ClassEntries& list, std::size_t mending) {
  if (mending == kFalseNegatives) return list.gtCount - list.falseNegatives;
  const bool isOfMissed = mending == static_cast<std::size_t>(ErrorType::Missed);
  return isOfMissed ? list.gtCount - list.missed : list.gtCount;
}

RecallCurve curveOf(const ClassEntries& ranked, std::size_t mending) {
  RankedHits hits;
  double right = 0, counted = 0;
  for (const Entry& entry : ranked.entries) {
    const Reading reading = readingOf(entry, mending);
    counted += reading != Reading::Gone;
    if (reading == Reading::Right) hits.push_back({++right, counted});
  }
  return precisionAtRecalls(hits, static_cast<double>(gtCountOf(ranked, mending)));
}

/// Ranks the lists, then [mending] -> AP.
std::array<double, kMendings> apOfMendings(std::vector<ClassEntries>& lists, int threads) {
  std::vector<std::array<RecallCurve, kMendings>> curves(lists.size());
  base::parallelFor(lists.size(), threads, [&](std::size_t k) {
    std::stable_sort(lists[k].entries.begin(), lists[k].entries.end(),
                     [](const Entry& a, const Entry& b) { return a.score > b.score; });
    for (std::size_t m = 0; m < kMendings; ++m) {
      if (gtCountOf(lists[k], m) > 0) curves[k][m] = curveOf(lists[k], m);
    }
  });
  std::array<double, kMendings> ap;
  for (std::size_t m = 0; m < kMendings; ++m) {
    std::vector<RecallCurve> ofMending;
    for (std::size_t k = 0; k < lists.size(); ++k) {
      if (gtCountOf(lists[k], m) > 0) ofMending.push_back(curves[k][m]);
    }
    ap[m] = meanPrecision(ofMending);
  }
  return ap;
}

std::vector<ClassEntries> join(const std::vector<ImageShare>& shares, std::size_t classCount) {
  std::vector<ClassEntries> lists(classCount);
  for (const ImageShare& share : shares) {
    for (std::size_t k = 0; k < classCount; ++k) {
      const ClassEntries& part = share.classes[k];
      lists[k].entries.insert(lists[k].entries.end(), part.entries.begin(), part.entries.end());
      lists[k].gtCount += part.gtCount;
      lists[k].falseNegatives += part.falseNegatives;
      lists[k].missed += part.missed;
    }
  }
  return lists;
}

}  // namespace

ErrorCosts errorCosts(const OverlapSet& set, double iouThreshold, double backgroundIou,
                      int threads) {
  const auto takeImage = [&](ImageShare& share, std::size_t i) {
    share.classes.resize(set.categories().size());
    const ImageOverlaps& image = set.images()[i];
    const InstanceMatches& matches = share.matcher.match(image, iouThreshold);
    const ImageErrors errors = findErrors(image, matches, iouThreshold, backgroundIou);
    takeDetections(image, set.rowsOf(i), matches, errors, share);
    takeAnnotations(set.rowsOf(i), matches, errors, share);
  };
  const auto shares = forImageShares<ImageShare>(set.images().size(), threads, takeImage);
  std::vector<ClassEntries> lists = join(shares, set.categories().size());
  const auto ap = apOfMendings(lists, threads);
  const auto costOf = [&ap](std::size_t mending) {
    if (ap[kNothing] < 0) return 0.0;
    return ap[mending] < 0 ? 1 - ap[kNothing] : std::max(ap[mending] - ap[kNothing], 0.0);
  };
  ErrorCosts costs;
  costs.ap = ap[kNothing];
  for (const ImageShare& share : shares) {
    for (std::size_t e = 0; e < kErrorTypeCount; ++e) costs.types[e].count += share.counts[e];
  }
  for (std::size_t e = 0; e < kErrorTypeCount; ++e) {
    costs.types[e].apCost = costOf(e);
    const bool isOfDetections = static_cast<ErrorType>(e) != ErrorType::Missed;
    if (isOfDetections) costs.falsePositives.count += costs.types[e].count;
  }
  for (const ClassEntries& list : lists) costs.falseNegatives.count += list.falseNegatives;
  costs.falsePositives.apCost = costOf(kFalsePositives);
  costs.falseNegatives.apCost = costOf(kFalseNegatives);
  return costs;
}

}  // namespace lockstep::coco
