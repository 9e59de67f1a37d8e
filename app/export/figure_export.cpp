#include "app/export/figure_export.h"

#include <QBuffer>
#include <memory>
#include <utility>

namespace lockstep::app {
namespace {

using widgets::DrawingFormat;
using widgets::Figure;
using widgets::FigureFormat;

QByteArray pngOf(const QImage& picture) {
  QByteArray png;
  QBuffer buffer(&png);
  picture.save(&buffer, "PNG");
  return png;
}

CopiedContent copiedOf(const Figure& figure, FigureFormat format) {
  if (contentFor(format) == widgets::FigureContent::Table)
    return {.text = fileOf(figure, format), .textType = QStringLiteral("text/csv")};
  return {.picture = pictureOf(figure), .svg = fileOf(figure, FigureFormat::Svg)};
}

}  // namespace

Exportable figureExport(const QString& name, const QString& file,
                        std::function<Figure(widgets::FigureContent)> take) {
  const struct {
    FigureFormat format;
    QString name;
  } formats[] = {{FigureFormat::Pdf, nameOf(DrawingFormat::Pdf)},
                 {FigureFormat::Svg, nameOf(DrawingFormat::Svg)},
                 {FigureFormat::Png, ExportText::tr("PNG, 2x")},
                 {FigureFormat::Csv, ExportText::tr("CSV, every point")},
                 {FigureFormat::Tex, ExportText::tr("LaTeX, pgfplots")}};
  Exportable all{name, file, {}};
  for (const auto& [format, formatName] : formats) {
    const bool isTable = contentFor(format) == widgets::FigureContent::Table;
    const auto taken = [take, format] {
      return std::make_shared<const Figure>(take(contentFor(format)));
    };
    all.formats.push_back(
        {.name = formatName,
         .suffix = suffixOf(format),
         .note =
             isTable
                 ? ExportText::tr("Every logged point of the curves, whatever is zoomed to: not "
                                  "smoothed, not downsampled.")
                 : ExportText::tr("For paper: the curves, ranges and axes that are shown, in the "
                                  "light theme. Lines hold the minimum and maximum of each pixel "
                                  "column; CSV has every point."),
         .save =
             [taken, format](const QString& path, QObject* context, ExportFormat::Done done) {
               writeMade(
                   path, context,
                   [figure = taken(), format](const jobs::Token&) {
                     return fileOf(*figure, format);
                   },
                   std::move(done));
             },
         .copyText =
             isTable ? ExportText::tr("Copy the table") : ExportText::tr("Copy the picture"),
         .copy =
             [taken, format](QObject* context, ExportFormat::Done done) {
               copyMade(
                   context, [figure = taken(), format] { return copiedOf(*figure, format); },
                   std::move(done));
             }});
  }
  return all;
}

ExportFormat screenFormat(std::function<QImage()> grab) {
  return {
      .name = ExportText::tr("PNG, as on the screen"),
      .suffix = QStringLiteral("png"),
      .note =
          ExportText::tr("As it is shown, pixel by pixel: theme, size, axes, smoothing and hidden "
                         "curves."),
      .save =
          [grab](const QString& path, QObject* context, ExportFormat::Done done) {
            writeMade(
                path, context, [picture = grab()](const jobs::Token&) { return pngOf(picture); },
                std::move(done));
          },
      .copyText = ExportText::tr("Copy the picture"),
      .copy =
          [grab](QObject* context, ExportFormat::Done done) {
            copyMade(
                context, [picture = grab()] { return CopiedContent{.picture = picture}; },
                std::move(done));
          }};
}

std::vector<ExportFormat> drawingFormats(const widgets::Drawing& drawing, const QString& note) {
  std::vector<ExportFormat> formats;
  for (const DrawingFormat format : {DrawingFormat::Png, DrawingFormat::Svg, DrawingFormat::Pdf})
    formats.push_back(
        {.name = nameOf(format),
         .suffix = suffixOf(format),
         .note = note,
         .save =
             [drawing, format](const QString& path, QObject* context, ExportFormat::Done done) {
               writeMade(
                   path, context,
                   [drawing, format](const jobs::Token&) { return fileOf(drawing, format); },
                   std::move(done));
             },
         .copyText = ExportText::tr("Copy the picture"),
         .copy =
             [drawing](QObject* context, ExportFormat::Done done) {
               copyMade(
                   context,
                   [drawing] {
                     return CopiedContent{.picture = pictureOf(drawing),
                                          .svg = fileOf(drawing, DrawingFormat::Svg)};
                   },
                   std::move(done));
             }});
  return formats;
}

}  // namespace lockstep::app
