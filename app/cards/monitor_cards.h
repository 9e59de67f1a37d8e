#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// A curve of a card, drawn for every shown run.
struct CardCurve {
  std::string tag;
  QString name;
  bool evaluation = false;  ///< few points, with markers
  widgets::Curve::Stroke stroke = widgets::Curve::Stroke::Automatic;
  bool markLowest = false;
  QString valueName;           ///< in the label of the lowest value
  bool gapToPrevious = false;  ///< held-out curve after the training curve: the gap is shaded
  bool smooth = true;
  std::vector<std::string> less;  ///< of a part of a stack: tags that are taken off its values
  bool isOfMasks = false;         ///< not drawn for detectors of boxes
  bool needsRanks = false;        ///< of a part of a stack: not drawn for a single rank
};

/// A card of the Monitor page.
struct CardPlan {
  QString title;
  std::vector<CardCurve> curves;
  /// Drawn instead of the curves, on top of one another, if a single run is shown; may be empty.
  std::vector<CardCurve> stack;
  /// Drawn instead of the stack for a run that has its tags; may be empty.
  std::vector<CardCurve> fineStack;
  int rowSpan = 1, columnSpan = 1;  ///< in four columns
  std::optional<double> yMin;
  bool ignoreOutliers = true;
  QString emptyText;
  /// Its only curve, time/rankN/…, is drawn for each rank. Shown only for a single run with several
  /// ranks.
  bool perRank = false;
  /// Its curves system/gpuN/… are drawn for each GPU with metrics. Shown only for a single run.
  bool perGpu = false;
  bool needsGpu = false;  ///< hidden for runs without GPU metrics
  std::optional<double> yMax{};
  QString fullName;  ///< first line of the title's tool tip; empty: none
  QString tip;       ///< tool tip after the tags
};

/// In their order. The first of those that are shown fill two rows of four columns: one card of
/// three columns and two rows, and two beside it.
std::vector<CardPlan> monitorCards();

}  // namespace lockstep::app
