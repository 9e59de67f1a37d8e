#pragma once

#include <QString>
#include <functional>

#include "widgets/export/figure_file.h"

class QObject;

namespace lockstep::app {

/// Makes the file of a figure and writes it, both in the background. Calls `done` with an error
/// message (empty: written) unless `context` is gone; before that once if the disk does not answer
/// for some seconds. Whoever chose the path has agreed to replace what is there.
void exportFigure(widgets::Figure figure, widgets::FigureFormat format, const QString& path,
                  QObject* context, std::function<void(const QString& error)> done);

/// Makes it in the background and gives it to the clipboard: a table as text, else a picture, also
/// as SVG. `done` is called then, with an error message (empty: it is there).
void copyFigure(widgets::Figure figure, widgets::FigureFormat format, QObject* context,
                std::function<void(const QString& error)> done);

/// A title or a run's name as part of a file name.
QString fileNameOf(const QString& title);

}  // namespace lockstep::app
