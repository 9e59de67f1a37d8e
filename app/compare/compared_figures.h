#pragma once

#include <QString>
#include <vector>

#include "app/models/metric_store.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/instances/results_pair.h"

namespace lockstep::app {

/// What the runs logged of their evaluations at a step each: losses and AP, in the order of the
/// first run's tags, then those that only the second has.
std::vector<widgets::ComparedFigure> evaluationFigures(const MetricStore& first, qint64 firstStep,
                                                       const MetricStore& second,
                                                       qint64 secondStep);

/// COCO's metrics on the common images.
std::vector<widgets::ComparedFigure> commonFigures(const widgets::ResultsPair& pair);
/// AP of each class that has objects.
std::vector<widgets::ComparedFigure> classFigures(const widgets::ResultsPair& pair);

/// Whether AP differs, in plain words, with the interval and the number of images.
QString verdictText(const widgets::ResultsPair& pair, std::size_t imagesOfDataset);

}  // namespace lockstep::app
