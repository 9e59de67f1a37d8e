// Recomputes AP from one ranked list per class, with one type of error fixed at a time.
#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/image_chunks.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

namespace lockstep::coco {
namespace {

/// What is fixed: one error type (by index), all false positives, all false negatives, or nothing.
constexpr std::size_t kFalsePositives = kErrorTypeCount, kFalseNegatives = kErrorTypeCount + 1,
                      kNothing = kErrorTypeCount + 2, kFixes = kErrorTypeCount + 3;

enum class EntryOutcome : std::uint8_t { TruePositive, FalsePositive, Removed };

struct Entry {
  double score;
  EntryOutcome outcome;  ///< as evaluated
  EntryOutcome fixed;    ///< if its type of error is fixed
  ErrorType type;        ///< unless it is a true positive
};

struct ClassEntries {
  std::vector<Entry> entries;
  std::uint64_t gtCount = 0, falseNegatives = 0, missed = 0;
};

struct ErrorChunk {
  std::vector<ClassEntries> classes;
  std::array<std::uint64_t, kErrorTypeCount> counts{};
  InstanceMatcher matcher;
};

void takeError(const DetectionError& error, double score, const OverlapSet::ClassRows& rows,
               ErrorChunk& chunk) {
  ++chunk.counts[static_cast<std::size_t>(error.type)];
  const bool changesClass = error.type == ErrorType::Classification && error.becomesTruePositive;
  const EntryOutcome fixed = error.becomesTruePositive && !changesClass ? EntryOutcome::TruePositive
                                                                        : EntryOutcome::Removed;
  chunk.classes[rows.ofDetections[error.detection]].entries.push_back(
      {score, EntryOutcome::FalsePositive, fixed, error.type});
  if (!changesClass) return;
  const auto annotation = static_cast<std::size_t>(error.annotation);
  chunk.classes[rows.ofAnnotations[annotation]].entries.push_back(
      {score, EntryOutcome::Removed, EntryOutcome::TruePositive, error.type});
}

/// In the order of detections, which breaks ties of equal scores.
void takeDetections(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                    const InstanceMatches& matches, const ImageErrors& errors, ErrorChunk& chunk) {
  auto nextError = errors.detections.begin();
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    const double score = image.detections[d].score;
    const MatchVerdict verdict = matches.detections[d].verdict;
    if (verdict == MatchVerdict::FalsePositive) takeError(*nextError++, score, rows, chunk);
    if (verdict != MatchVerdict::TruePositive) continue;
    chunk.classes[rows.ofDetections[d]].entries.push_back(
        {score, EntryOutcome::TruePositive, EntryOutcome::TruePositive, ErrorType::Missed});
  }
}

void takeAnnotations(const OverlapSet::ClassRows& rows, const InstanceMatches& matches,
                     const ImageErrors& errors, ErrorChunk& chunk) {
  for (std::size_t g = 0; g < rows.ofAnnotations.size(); ++g) {
    ClassEntries& own = chunk.classes[rows.ofAnnotations[g]];
    own.gtCount += matches.detectionOfAnnotation[g] != kNotCounted;
    own.falseNegatives += matches.detectionOfAnnotation[g] == kMissed;
  }
  for (const std::uint32_t g : errors.missed) ++chunk.classes[rows.ofAnnotations[g]].missed;
  chunk.counts[static_cast<std::size_t>(ErrorType::Missed)] += errors.missed.size();
}

EntryOutcome outcomeOf(const Entry& entry, std::size_t fix) {
  if (entry.outcome == EntryOutcome::TruePositive) return EntryOutcome::TruePositive;
  if (fix == kFalsePositives) return EntryOutcome::Removed;
  return static_cast<std::size_t>(entry.type) == fix ? entry.fixed : entry.outcome;
}

std::uint64_t gtCountOf(const ClassEntries& list, std::size_t fix) {
  if (fix == kFalseNegatives) return list.gtCount - list.falseNegatives;
  const bool isOfMissed = fix == static_cast<std::size_t>(ErrorType::Missed);
  return isOfMissed ? list.gtCount - list.missed : list.gtCount;
}

RecallCurve recallCurveOf(const ClassEntries& ranked, std::size_t fix) {
  RankedHits hits;
  double truePositives = 0, counted = 0;
  for (const Entry& entry : ranked.entries) {
    const EntryOutcome outcome = outcomeOf(entry, fix);
    counted += outcome != EntryOutcome::Removed;
    if (outcome == EntryOutcome::TruePositive) hits.push_back({++truePositives, counted});
  }
  return precisionAtRecalls(hits, static_cast<double>(gtCountOf(ranked, fix)));
}

/// Ranks the lists, then [fix] -> AP.
std::array<double, kFixes> apOfFixes(std::vector<ClassEntries>& lists, int threads) {
  std::vector<std::array<RecallCurve, kFixes>> curves(lists.size());
  base::parallelFor(lists.size(), threads, [&](std::size_t k) {
    std::stable_sort(lists[k].entries.begin(), lists[k].entries.end(),
                     [](const Entry& a, const Entry& b) { return a.score > b.score; });
    for (std::size_t m = 0; m < kFixes; ++m) {
      if (gtCountOf(lists[k], m) > 0) curves[k][m] = recallCurveOf(lists[k], m);
    }
  });
  std::array<double, kFixes> ap;
  for (std::size_t m = 0; m < kFixes; ++m) {
    std::vector<RecallCurve> ofFix;
    for (std::size_t k = 0; k < lists.size(); ++k) {
      if (gtCountOf(lists[k], m) > 0) ofFix.push_back(curves[k][m]);
    }
    ap[m] = meanPrecision(ofFix);
  }
  return ap;
}

std::vector<ClassEntries> join(const std::vector<ErrorChunk>& chunks, std::size_t classCount) {
  std::vector<ClassEntries> lists(classCount);
  for (const ErrorChunk& chunk : chunks) {
    for (std::size_t k = 0; k < classCount; ++k) {
      const ClassEntries& part = chunk.classes[k];
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
  const auto takeImage = [&](ErrorChunk& chunk, std::size_t i) {
    chunk.classes.resize(set.categories().size());
    const ImageOverlaps& image = set.images()[i];
    const InstanceMatches& matches = chunk.matcher.match(image, iouThreshold);
    const ImageErrors errors = findErrors(image, matches, iouThreshold, backgroundIou);
    takeDetections(image, set.rowsOf(i), matches, errors, chunk);
    takeAnnotations(set.rowsOf(i), matches, errors, chunk);
  };
  const auto chunks = forImageChunks<ErrorChunk>(set.images().size(), threads, takeImage);
  std::vector<ClassEntries> lists = join(chunks, set.categories().size());
  const auto ap = apOfFixes(lists, threads);
  const auto costOf = [&ap](std::size_t fix) {
    if (ap[kNothing] < 0) return 0.0;
    return ap[fix] < 0 ? 1 - ap[kNothing] : std::max(ap[fix] - ap[kNothing], 0.0);
  };
  ErrorCosts costs;
  costs.ap = ap[kNothing];
  for (const ErrorChunk& chunk : chunks) {
    for (std::size_t e = 0; e < kErrorTypeCount; ++e) costs.types[e].count += chunk.counts[e];
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
