#pragma once

#include <QColor>
#include <QPen>

#include "widgets/instances/verdict.h"

class QPainter;
class QRectF;

namespace lockstep::widgets {

struct Theme;

QColor verdictColor(Verdict verdict, const Theme& theme);
/// Solid for true positives, dashed for false positives, dotted for missed objects, so that colour
/// is not the only cue. `widthPx`: of the widget, at any pixel ratio.
QPen verdictPen(Verdict verdict, const Theme& theme, double widthPx);
/// Paints the verdict's mark for tables and legends: disc, diamond, ring, dash.
void paintVerdictMark(QPainter& painter, const QRectF& rect, Verdict verdict, const Theme& theme);

}  // namespace lockstep::widgets
