#include "widgets/instances/precision_recall.h"

namespace lockstep::widgets {
namespace {

constexpr int kSteps = 200;

}  // namespace

std::vector<QPointF> precisionRecall(const ClassTallies& tallies,
                                     const std::set<CategoryId>& hidden) {
  std::vector<QPointF> points;
  for (int step = kSteps; step >= 0; --step) {
    const ScoreCounts counts = countsAt(tallies, static_cast<double>(step) / kSteps, hidden);
    const int shown = counts.truePositives + counts.falsePositives;
    const int truths = counts.truePositives + counts.missed;
    if (shown == 0 || truths == 0) continue;
    points.emplace_back(static_cast<double>(counts.truePositives) / truths,
                        static_cast<double>(counts.truePositives) / shown);
  }
  return points;
}

}  // namespace lockstep::widgets
