#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// How far from its point a label may be: Near, it seems to belong to it without a word.
enum class LabelReach { Near, Any };

/// The nearest place beside, above or below a point, within `area`, where a label covers no line;
/// std::nullopt if there is none in reach. All in px. The x of a line are ascending; a NaN y is a
/// gap.
std::optional<QRectF> freePlace(const QPointF& point, const QSizeF& label, const QRectF& area,
                                const std::vector<std::vector<QPointF>>& lines,
                                LabelReach reach = LabelReach::Near);

}  // namespace lockstep::widgets
