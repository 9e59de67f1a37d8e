#pragma once

#include "widgets/curves/curve_source.h"

class QColor;
class QPainter;
class QPen;
class QPointF;

namespace lockstep::widgets {

struct Theme;

/// The colour of its run, or heldOutColor() if it has its own hue.
QColor curveColor(const Curve& curve, const Theme& theme);
/// Whether the curve is dotted, whatever the dash of its run is.
bool isDotted(const Curve& curve);
/// Whether the markers of an evaluation are filled. They are if it has the run's dash, so that it
/// differs from a dotted one.
bool isFilled(const Curve& curve);
/// Pen of a curve in plots, legends and readings.
QPen curvePen(const Curve& curve, const Theme& theme);

/// Paints a sample of a curve with its marker, for legends and readings. `left`: its left end.
void paintSample(QPainter& painter, const Curve& curve, const QPen& pen, const QPointF& left,
                 double widthPx, const QColor& background);

}  // namespace lockstep::widgets
