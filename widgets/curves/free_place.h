#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// The nearest place beside a point, within `area`, where a label covers no line; std::nullopt if
/// there is none near it. All in px. The x of a line are ascending; a NaN y is a gap.
std::optional<QRectF> freePlace(const QPointF& point, const QSizeF& label, const QRectF& area,
                                const std::vector<std::vector<QPointF>>& lines);

}  // namespace lockstep::widgets
