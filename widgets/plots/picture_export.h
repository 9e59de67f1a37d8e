#pragma once

#include <QString>

class QCustomPlot;

namespace lockstep::widgets {

/// Writes a plot as .pdf or .svg (vector graphics) or .png, by the suffix. Returns an error
/// message; empty: written.
QString exportPlot(QCustomPlot* plot, const QString& path);

}  // namespace lockstep::widgets
