#include "widgets/instances/precision_recall.h"

namespace lockstep::widgets {
namespace {

constexpr int kSteps = 200;

}  // namespace

std::optional<QPointF> precisionRecallAt(const coco::Counts& counts) {
  const QPointF point(counts.recall(), counts.precision());
  return point.x() < 0 || point.y() < 0 ? std::nullopt : std::optional(point);
}

std::vector<QPointF> precisionRecall(const ClassTallies& tallies,
                                     const std::set<CategoryId>& hidden) {
  std::vector<QPointF> points;
  for (int step = kSteps; step >= 0; --step) {
    const double score = static_cast<double>(step) / kSteps;
    if (const auto point = precisionRecallAt(countsAt(tallies, score, hidden)))
      points.push_back(*point);
  }
  return points;
}

}  // namespace lockstep::widgets
