#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// Where a label beside a point covers no line, the nearest such place to the point; nothing: there
/// is none near it. All in px; a line's x rise, a NaN y is a gap. The label stays within `area`.
std::optional<QRectF> freePlace(const QPointF& point, const QSizeF& label, const QRectF& area,
                                const std::vector<std::vector<QPointF>>& lines);

}  // namespace lockstep::widgets
