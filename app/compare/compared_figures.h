#pragma once

#include <QString>
#include <vector>

#include "app/models/metric_store.h"
#include "engine/config/load.h"
#include "widgets/comparison/compared_figure.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/instances/results_pair.h"

namespace lockstep::app {

/// What the runs logged of their evaluations at a step each: AP and AR of masks and boxes in COCO's
/// order, losses, and whatever else there is.
/// `areWhole`: both evaluate the whole validation split.
widgets::FigureSection evaluationFigures(const MetricStore& first, qint64 firstStep,
                                         const MetricStore& second, qint64 secondStep,
                                         bool areWhole);

/// COCO's metrics on the common images.
widgets::FigureSection commonFigures(const widgets::ResultsPair& pair, coco::IouType type,
                                     std::size_t imagesOfDataset);
/// AP of each class that has objects, and how many. `matched`: nullptr: not known yet.
std::vector<widgets::ComparedClass> classFigures(const widgets::ResultsPair& pair,
                                                 const widgets::MatchedPair* matched);

/// Of two runs at one step whose settings differ by these: a sentence that says so if no more than
/// the seed can be why they differ; else "".
QString spreadText(const std::vector<config::ConfigDifference>& differences);

/// Whether AP of masks or boxes differs, in plain words, with the difference, its interval and the
/// images that these are over. `spread`: spreadText(), with which neither is called better.
QString verdictText(const widgets::ResultsPair& pair, coco::IouType type,
                    std::size_t imagesOfDataset, const QString& spread = {});

}  // namespace lockstep::app
