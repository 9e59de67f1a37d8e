#pragma once

#include <QString>
#include <vector>

#include "app/models/metric_store.h"
#include "widgets/comparison/compared_figure.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/instances/results_pair.h"

namespace lockstep::app {

/// What the runs logged of their evaluations at a step each: AP and AR of masks and boxes in COCO's
/// order, losses, and whatever else there is.
widgets::FigureSection evaluationFigures(const MetricStore& first, qint64 firstStep,
                                         const MetricStore& second, qint64 secondStep);

/// COCO's metrics on the common images.
widgets::FigureSection commonFigures(const widgets::ResultsPair& pair, coco::IouType type);
/// AP of each class that has objects, and how many. `matched`: nullptr: not known yet.
std::vector<widgets::ComparedClass> classFigures(const widgets::ResultsPair& pair,
                                                 const widgets::MatchedPair* matched);

/// Whether AP of masks or boxes differs, in plain words, with B - A, its interval and the number of
/// images.
QString verdictText(const widgets::ResultsPair& pair, coco::IouType type,
                    std::size_t imagesOfDataset);

}  // namespace lockstep::app
