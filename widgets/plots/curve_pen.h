#pragma once

#include <QPen>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/curves/shaded_gap.h"

class QColor;
class QPainter;
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

/// More curves than there are styles to tell them apart: they are thin, and only the smoothed
/// values of those that are smoothed are drawn.
bool isCrowd(const std::vector<Curve>& curves);
struct LinePens {
  QPen raw, smooth;
};
/// Pens in a plot: of the values, and of the smoothed ones over them.
LinePens linePens(const Curve& curve, bool isSmoothed, const Theme& theme);
/// Of the area between a held-out curve and its training curve.
QColor gapColor(const Curve& heldOut, ShadedGap::Interval interval, const Theme& theme);
/// Of the band around the mean of a group.
QColor deviationColor(const Curve& mean, const Theme& theme);

/// The marker of an evaluation.
void paintMarker(QPainter& painter, const Curve& curve, const QColor& color, const QPointF& centre,
                 const QColor& background);
/// Paints a sample of a curve with its marker, for legends and readings. `left`: its left end.
void paintSample(QPainter& painter, const Curve& curve, const QPen& pen, const QPointF& left,
                 double widthPx, const QColor& background);

}  // namespace lockstep::widgets
