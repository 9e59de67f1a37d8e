#pragma once

#include <QPointF>
#include <array>
#include <optional>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// The shaded area between a held-out curve and its training curve, apart up to the lowest held-out
/// loss and since: after it only held-out above training counts, as overfitting.
struct ShadedGap {
  enum Part { UntilLowest, SinceLowest, kParts };
  struct Band {
    std::vector<QPointF> top, bottom;  ///< at the same x
  };
  std::array<Band, kParts> bands;

  /// The part that a point lies in.
  std::optional<Part> partAt(double x, double y) const;
};

/// `lowestX`: x of the lowest value of `heldOut`; nothing: there is none.
ShadedGap shadedGap(const CurveSamples& heldOut, const CurveSamples& training,
                    std::optional<double> lowestX);

}  // namespace lockstep::widgets
