#pragma once

#include <QColor>
#include <QPen>

#include "widgets/instances/verdict.h"

class QPainter;
class QRectF;

namespace lockstep::widgets {

struct Theme;

QColor verdictColour(Verdict verdict, const Theme& theme);
/// Cosmetic pen: solid true positives, dashed false positives, dotted missed ones, so that colour
/// is never alone.
QPen verdictPen(Verdict verdict, const Theme& theme, double widthPx);
/// Mark of the verdict in tables and legends: disc, diamond, ring, dash.
void paintVerdictMark(QPainter& painter, const QRectF& rect, Verdict verdict, const Theme& theme);

}  // namespace lockstep::widgets
