#pragma once

#include <QString>
#include <functional>

class QCustomPlot;
class QObject;

namespace lockstep::widgets {

/// Writes a plot as .pdf or .svg (vector graphics) or .png, by the suffix, in the background. Calls
/// `done` with an error message (empty: written) unless `context` is gone; before that once if the
/// disk does not answer for some seconds.
void exportPlot(QCustomPlot* plot, const QString& path, QObject* context,
                std::function<void(const QString& error)> done);

}  // namespace lockstep::widgets
