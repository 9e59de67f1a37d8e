#pragma once

#include "widgets/curves/curve_source.h"

class QColor;
class QPainter;
class QPen;
class QPointF;

namespace lockstep::widgets {

struct Theme;

/// That of its run, or a held-out curve's own.
QColor curveColor(const Curve& curve, const Theme& theme);
/// Drawn in dots, whatever the dash of its run is.
bool isDotted(const Curve& curve);
/// Whether the markers of an evaluation are filled, so that one in the run's dash differs from one
/// in dots.
bool isFilled(const Curve& curve);
/// Pen of a curve as plots, legends and readings draw it.
QPen curvePen(const Curve& curve, const Theme& theme);

/// A piece of a curve with its marker, from its left end, as legends and readings show it.
void paintSample(QPainter& painter, const Curve& curve, const QPen& pen, const QPointF& left,
                 double widthPx, const QColor& ground);

}  // namespace lockstep::widgets
