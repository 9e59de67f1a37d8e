#pragma once

#include <QPainterPath>
#include <QTransform>

namespace lockstep::widgets {

/// A path of lines in the view, without the points that are not seen there, because the time of a
/// stroke grows with its points: those less than 0.9 of a `pixel` of the view from the one before,
/// and those less than 0.4 of it from the line that stays. Its subpaths begin and end where they
/// did.
QPainterPath thinned(const QPainterPath& path, const QTransform& toView, double pixel);

}  // namespace lockstep::widgets
