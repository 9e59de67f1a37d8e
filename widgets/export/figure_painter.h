#pragma once

#include <QSizeF>

class QPainter;

namespace lockstep::widgets {

struct Figure;

/// px of 1/96 inch.
QSizeF figureSize(const Figure& figure);

/// Draws the runs' names, or their legend, and the plots below them, on white. Any thread.
void paintFigure(QPainter& painter, const Figure& figure);

}  // namespace lockstep::widgets
