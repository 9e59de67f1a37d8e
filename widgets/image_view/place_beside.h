#pragma once

#include <QRectF>

namespace lockstep::widgets {

/// Where a card goes that is about `box`: right of it, left, below or above, the first that is
/// inside an area with its corner at 0; where none is, the one that covers the least of the box.
/// All in px; the result is inside the area unless the card is larger.
QRectF placeBeside(const QSizeF& card, const QRectF& box, const QSizeF& area);

}  // namespace lockstep::widgets
