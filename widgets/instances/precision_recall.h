#pragma once

#include <QPointF>
#include <optional>
#include <set>
#include <vector>

#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

/// Recall (x) and precision (y) of these counts; nothing where there is no detection or no object.
std::optional<QPointF> precisionRecallAt(const coco::Counts& counts);

/// Precision (y) over recall (x) as the score threshold falls from 1 to 0, at the chosen IoU.
std::vector<QPointF> precisionRecall(const ClassTallies& tallies,
                                     const std::set<CategoryId>& hidden);

}  // namespace lockstep::widgets
