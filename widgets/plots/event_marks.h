#pragma once

#include <QPainterPath>
#include <QString>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/curves/pixel_map.h"

class QColor;

namespace lockstep::widgets {

struct Theme;

/// In the key to the marks: "checkpoint".
QString markName(EventMark::Kind kind);
/// Around (0, 0), 8 px high at most.
QPainterPath markShape(EventMark::Kind kind);
QColor markColor(EventMark::Kind kind, const Theme& theme);
/// A character of about that shape, for a line of text.
QString markSign(EventMark::Kind kind);
/// Each once, in their order.
std::vector<EventMark::Kind> markKinds(const std::vector<EventMark>& marks);

/// Where the marks of a kind stand on the axis of a plot, px.
struct PlacedMarks {
  EventMark::Kind kind;
  std::vector<double> x;
  double abovePx;  ///< their middle, above the lower border of the area of curves
};
/// In two rows, the routine ones below. The more important kinds have their places first, and marks
/// that would touch one that has a place are left out.
std::vector<PlacedMarks> placeMarks(const std::vector<EventMark>& marks, const PixelMap& toX);

}  // namespace lockstep::widgets
