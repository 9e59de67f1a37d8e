#pragma once

#include <QString>

class QCustomPlot;

namespace lockstep::widgets {

/// Writes a plot as .pdf or .svg (lines and letters, no pixels) or .png by the name's end. Empty,
/// or why it could not: what, where, how to mend it.
QString exportPlot(QCustomPlot* plot, const QString& path);

}  // namespace lockstep::widgets
