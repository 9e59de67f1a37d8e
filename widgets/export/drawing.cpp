#include "widgets/export/drawing.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace lockstep::widgets {
namespace {

constexpr int kMostRows = 32767;  ///< that QPainter can draw
constexpr int kPxPerInch = 96, kPointsPerInch = 72;
constexpr double kMetresPerInch = 0.0254;

void paintOn(QPaintDevice* device, const Drawing& drawing) {
  QPainter painter(device);
  painter.setRenderHint(QPainter::LosslessImageRendering);
  drawing.paint(painter);
}

QByteArray pdfOf(const Drawing& drawing) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kPxPerInch);
  writer.setPageSize(QPageSize(drawing.sizePx * kPointsPerInch / kPxPerInch, QPageSize::Point, {},
                               QPageSize::ExactMatch));
  writer.setPageMargins({});
  writer.setTitle(drawing.title);
  writer.setCreator(QStringLiteral("Lockstep"));
  paintOn(&writer, drawing);
  return buffer.data();
}

QByteArray svgOf(const Drawing& drawing) {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(drawing.sizePx.toSize());
  generator.setResolution(kPxPerInch);
  generator.setViewBox(QRectF({}, drawing.sizePx));
  generator.setTitle(drawing.title);
  generator.setDescription(QStringLiteral("Lockstep"));
  paintOn(&generator, drawing);
  return buffer.data();
}

QByteArray pngOf(const Drawing& drawing) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  pictureOf(drawing).save(&buffer, "PNG");
  return buffer.data();
}

}  // namespace

QString nameOf(DrawingFormat format) {
  switch (format) {
    case DrawingFormat::Pdf:
      return QCoreApplication::translate("Export", "PDF, vector graphics");
    case DrawingFormat::Svg:
      return QCoreApplication::translate("Export", "SVG, vector graphics");
    case DrawingFormat::Png:
      return QStringLiteral("PNG");
  }
  return {};
}

QString suffixOf(DrawingFormat format) {
  switch (format) {
    case DrawingFormat::Pdf:
      return QStringLiteral("pdf");
    case DrawingFormat::Svg:
      return QStringLiteral("svg");
    case DrawingFormat::Png:
      return QStringLiteral("png");
  }
  return {};
}

QByteArray fileOf(const Drawing& drawing, DrawingFormat format) {
  switch (format) {
    case DrawingFormat::Pdf:
      return pdfOf(drawing);
    case DrawingFormat::Svg:
      return svgOf(drawing);
    case DrawingFormat::Png:
      return pngOf(drawing);
  }
  return {};
}

QImage pictureOf(const Drawing& drawing) {
  const QSize size = (drawing.sizePx * drawing.pixelsPerPx).toSize();
  if (size.height() > kMostRows || size.width() > kMostRows) return {};
  QImage picture(size, QImage::Format_RGB32);
  if (picture.isNull()) return picture;
  const int perMetre = static_cast<int>(kPxPerInch * drawing.pixelsPerPx / kMetresPerInch);
  picture.setDotsPerMeterX(perMetre);
  picture.setDotsPerMeterY(perMetre);
  QPainter painter(&picture);
  painter.scale(drawing.pixelsPerPx, drawing.pixelsPerPx);
  drawing.paint(painter);
  return picture;
}

}  // namespace lockstep::widgets
