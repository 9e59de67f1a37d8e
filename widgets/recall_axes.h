#pragma once

#include <QPointF>
#include <QRectF>

class QPainter;
class QRect;

namespace lockstep::widgets {

/// The area of the curves in a plot of precision (up) against recall (right), both 0 … 1.
QRectF recallArea(const QRect& widget);
/// Where a point (recall, precision) lies in that area.
QPointF placeInRecallArea(const QRectF& area, QPointF point);
/// Draws grid, ticks and names of the axes around the area, in currentTheme().
void paintRecallAxes(QPainter& painter, const QRectF& area);

}  // namespace lockstep::widgets
