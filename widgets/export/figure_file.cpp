#include "widgets/export/figure_file.h"

#include "widgets/export/drawing.h"
#include "widgets/export/figure_csv.h"
#include "widgets/export/figure_painter.h"
#include "widgets/export/figure_tex.h"

namespace lockstep::widgets {
namespace {

constexpr int kPixelsPerPx = 2;

/// The figure must outlive it.
Drawing drawingOf(const Figure& figure) {
  return {figure.runNames(), figureSize(figure), kPixelsPerPx,
          [&figure](QPainter& painter) { paintFigure(painter, figure); }};
}

}  // namespace

QString suffixOf(FigureFormat format) {
  switch (format) {
    case FigureFormat::Pdf:
      return suffixOf(DrawingFormat::Pdf);
    case FigureFormat::Svg:
      return suffixOf(DrawingFormat::Svg);
    case FigureFormat::Png:
      return suffixOf(DrawingFormat::Png);
    case FigureFormat::Csv:
      return QStringLiteral("csv");
    case FigureFormat::Tex:
      return QStringLiteral("tex");
  }
  return {};
}

FigureContent contentFor(FigureFormat format) {
  return format == FigureFormat::Csv ? FigureContent::Table : FigureContent::Drawing;
}

QByteArray fileOf(const Figure& figure, FigureFormat format) {
  switch (format) {
    case FigureFormat::Pdf:
      return fileOf(drawingOf(figure), DrawingFormat::Pdf);
    case FigureFormat::Svg:
      return fileOf(drawingOf(figure), DrawingFormat::Svg);
    case FigureFormat::Png:
      return fileOf(drawingOf(figure), DrawingFormat::Png);
    case FigureFormat::Csv:
      return csvOf(figure);
    case FigureFormat::Tex:
      return texOf(figure);
  }
  return {};
}

QImage pictureOf(const Figure& figure) { return pictureOf(drawingOf(figure)); }

}  // namespace lockstep::widgets
