#include "widgets/export/figure_file.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "widgets/export/figure_csv.h"
#include "widgets/export/figure_painter.h"
#include "widgets/export/figure_tex.h"

namespace lockstep::widgets {
namespace {

constexpr int kPixelsPerPx = 2, kMostRows = 32767;  ///< that QPainter can draw
constexpr int kPxPerInch = 96, kPointsPerInch = 72;
constexpr double kMetresPerInch = 0.0254;

void paintOn(QPaintDevice* device, const Figure& figure) {
  QPainter painter(device);
  paintFigure(painter, figure);
}

QByteArray pdfOf(const Figure& figure) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kPxPerInch);
  writer.setPageSize(QPageSize(figureSize(figure) * kPointsPerInch / kPxPerInch, QPageSize::Point,
                               {}, QPageSize::ExactMatch));
  writer.setPageMargins({});
  writer.setTitle(figure.runNames());
  writer.setCreator(QStringLiteral("Lockstep"));
  paintOn(&writer, figure);
  return buffer.data();
}

QByteArray svgOf(const Figure& figure) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(figureSize(figure).toSize());
  generator.setResolution(kPxPerInch);
  generator.setViewBox(QRectF({}, figureSize(figure)));
  generator.setTitle(figure.runNames());
  generator.setDescription(QStringLiteral("Lockstep"));
  paintOn(&generator, figure);
  return buffer.data();
}

QByteArray pngOf(const Figure& figure) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  pictureOf(figure).save(&buffer, "PNG");
  return buffer.data();
}

}  // namespace

QString suffixOf(FigureFormat format) {
  switch (format) {
    case FigureFormat::Pdf:
      return QStringLiteral("pdf");
    case FigureFormat::Svg:
      return QStringLiteral("svg");
    case FigureFormat::Png:
      return QStringLiteral("png");
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
      return pdfOf(figure);
    case FigureFormat::Svg:
      return svgOf(figure);
    case FigureFormat::Png:
      return pngOf(figure);
    case FigureFormat::Csv:
      return csvOf(figure);
    case FigureFormat::Tex:
      return texOf(figure);
  }
  return {};
}

QImage pictureOf(const Figure& figure) {
  const QSize size = (figureSize(figure) * kPixelsPerPx).toSize();
  if (size.height() > kMostRows) return {};
  QImage picture(size, QImage::Format_RGB32);
  if (picture.isNull()) return picture;
  const int perMetre = static_cast<int>(kPxPerInch * kPixelsPerPx / kMetresPerInch);
  picture.setDotsPerMeterX(perMetre);
  picture.setDotsPerMeterY(perMetre);
  QPainter painter(&picture);
  painter.scale(kPixelsPerPx, kPixelsPerPx);
  paintFigure(painter, figure);
  return picture;
}

}  // namespace lockstep::widgets
