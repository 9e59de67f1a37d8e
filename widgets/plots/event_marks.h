#pragma once

#include <QPainterPath>
#include <QString>

#include "widgets/curves/curve_source.h"

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

}  // namespace lockstep::widgets
