#pragma once

#include <functional>

#include "app/export/export_format.h"
#include "widgets/export/drawing.h"
#include "widgets/export/figure_file.h"

namespace lockstep::app {

/// Curves: as pictures, as a table and as LaTeX. `take` is called when it is written or copied.
Exportable figureExport(const QString& name, const QString& file,
                        std::function<widgets::Figure(widgets::FigureContent)> take);

/// The pixels of the screen, as PNG. `grab` is called when they are written or copied.
ExportFormat screenFormat(std::function<QImage()> grab);

/// As PDF, SVG and PNG. `note`: what is in the file.
std::vector<ExportFormat> drawingFormats(const widgets::Drawing& drawing, const QString& note);

}  // namespace lockstep::app
