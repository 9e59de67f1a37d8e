#pragma once

#include <QPointF>
#include <optional>
#include <set>
#include <vector>

#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

/// Recall (x) and precision (y) of these counts; std::nullopt without a detection or an object.
std::optional<QPointF> precisionRecallAt(const coco::Counts& counts);

/// Precision (y) over recall (x) for score thresholds from 1 to 0, at the tallies' IoU threshold.
std::vector<QPointF> precisionRecall(const ClassTallies& tallies,
                                     const std::set<CategoryId>& hidden);

}  // namespace lockstep::widgets
