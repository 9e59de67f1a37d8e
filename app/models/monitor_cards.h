#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// One curve of a card, for every run that is shown.
struct CardCurve {
  std::string tag;
  QString name;
  bool evaluation = false;  ///< few points, with markers
  widgets::Curve::Stroke stroke = widgets::Curve::Stroke::Automatic;
  bool markLowest = false;
  bool gapToPrevious = false;  ///< it is held-out, and the one before it training
  bool smooth = true;
};

/// One card of the Monitor page and its place in a grid of four columns; narrower windows flow in
/// the order of the list.
struct CardPlan {
  QString title;
  std::vector<CardCurve> curves;
  int row = 0, column = 0, rowSpan = 1, columnSpan = 1;
  std::optional<double> yLeast;
  bool ignoreOutliers = true;
  QString emptyText;
  /// Its one curve, time/rankN/…, is drawn for each rank. Only there for one run of several ranks.
  bool perRank = false;
  /// Its curves system/gpuN/… are drawn for each GPU that the run tells of. Only there for one run.
  bool perGpu = false;
  bool needsGpu = false;  ///< not there without one
  std::optional<double> yMost{};
  QString tip;  ///< shown with the tags, where the title does not say enough
};

std::vector<CardPlan> monitorCards();

}  // namespace lockstep::app
