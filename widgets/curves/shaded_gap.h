#pragma once

#include <QPointF>
#include <array>
#include <optional>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// The shaded area between a held-out curve and its training curve, in two bands: until the lowest
/// held-out loss, and since. The second covers only held-out above training, which is overfitting.
struct ShadedGap {
  enum Interval { UntilLowest, SinceLowest, kIntervals };
  struct Band {
    std::vector<QPointF> top, bottom;  ///< at the same x
  };
  std::array<Band, kIntervals> bands;

  /// The interval of the band that contains a point.
  std::optional<Interval> intervalAt(double x, double y) const;
};

/// `lowestX`: x of the lowest value of `heldOut`, if it has one.
ShadedGap shadedGap(const CurveSamples& heldOut, const CurveSamples& training,
                    std::optional<double> lowestX);

}  // namespace lockstep::widgets
