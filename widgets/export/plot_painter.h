#pragma once

class QPainter;
class QRectF;

namespace lockstep::widgets {

struct FigurePlot;

/// Draws a plot with title, legend, axes and their names, in the light theme. Any thread.
void paintPlot(QPainter& painter, const FigurePlot& plot, const QRectF& place);

}  // namespace lockstep::widgets
