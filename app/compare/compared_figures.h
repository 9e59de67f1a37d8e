#pragma once

#include <QString>
#include <vector>

#include "app/metrics/metric_store.h"
#include "engine/config/load.h"
#include "widgets/comparison/compared_figure.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/instances/results_pair.h"

namespace lockstep::app {

/// Logged evaluations at one step of each run: AP and AR of masks and boxes in COCO's order,
/// losses, and all others. `areWhole`: both evaluate the whole validation split.
widgets::FigureSection evaluationFigures(const MetricStore& first, qint64 firstStep,
                                         const MetricStore& second, qint64 secondStep,
                                         bool areWhole);

/// COCO's metrics on the common images.
widgets::FigureSection commonFigures(const widgets::ResultsPair& pair, coco::IouType type,
                                     std::size_t imagesOfDataset);
/// AP of each class that has objects, and how many. `matched`: nullptr: not known yet.
std::vector<widgets::ComparedClass> classFigures(const widgets::ResultsPair& pair,
                                                 const widgets::MatchedPair* matched);

/// A sentence for two runs at the same step if these differences of their settings change no more
/// than the seed; else "".
QString spreadText(const std::vector<config::ConfigDifference>& differences);

/// Difference of mask or box AP in plain words, with its interval and its images. `spread`:
/// spreadText(); if not empty, neither side is called better.
QString verdictText(const widgets::ResultsPair& pair, coco::IouType type,
                    std::size_t imagesOfDataset, const QString& spread = {});

}  // namespace lockstep::app
