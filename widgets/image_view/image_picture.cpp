#include "widgets/image_view/image_picture.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "widgets/image_view/canvas_painter.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kPictureGapPx = 8, kMarginPx = 8;
constexpr int kFontPx = 13;
/// A caption needs so much, however small the image is.
constexpr double kNarrowestPicturePx = 240;

/// The same in every file, whatever the desktop's size of text is.
QFont captionFont() {
  QFont font = interfaceFont(kFontPx);
  font.setPixelSize(kFontPx);
  return font;
}

QSizeF imageSize(const ShownResults& one) { return QSizeF(one.image().width, one.image().height); }

double columnWidth(const ShownResults& one) {
  return std::max(kNarrowestPicturePx, imageSize(one).width());
}

QString captionOf(const ShownResults& one) {
  return QStringLiteral("%1\n%2\n%3")
      .arg(QString::fromStdString(one.image().fileName), one.name, one.thresholds);
}

double captionHeight(const std::vector<ShownResults>& shown) {
  const QFontMetricsF metrics(captionFont());
  double height = 0;
  for (const ShownResults& one : shown)
    height = std::max(height, metrics
                                  .boundingRect(QRectF(0, 0, columnWidth(one), 1e6),
                                                Qt::TextWrapAnywhere, captionOf(one))
                                  .height());
  return height;
}

void paintColumn(QPainter& painter, const ShownResults& one) {
  const QRectF area(QPointF(), imageSize(one));
  painter.save();
  painter.setClipRect(area);
  CanvasPainter canvas(painter, QTransform(), area, *one.theme);
  if (one.decoded) canvas.drawImage(one.decoded->levels);
  if (one.scene) canvas.drawScene(*one.scene, one.layers);
  if (one.scene && one.layers.labels) canvas.drawLabels(*one.scene, one.layers);
  painter.restore();
  painter.setFont(captionFont());
  painter.setPen(Qt::black);
  painter.drawText(QRectF(0, area.height() + kMarginPx, columnWidth(one), 1e6),
                   Qt::TextWrapAnywhere, captionOf(one));
}

}  // namespace

QSizeF pictureSize(const std::vector<ShownResults>& shown) {
  double width = kMarginPx, height = 0;
  for (const ShownResults& one : shown) {
    width += columnWidth(one) + kPictureGapPx;
    height = std::max(height, imageSize(one).height());
  }
  return {width - kPictureGapPx + kMarginPx, height + captionHeight(shown) + 3 * kMarginPx};
}

void paintPicture(QPainter& painter, const std::vector<ShownResults>& shown) {
  painter.fillRect(QRectF(QPointF(), pictureSize(shown)), Qt::white);
  painter.translate(kMarginPx, kMarginPx);
  for (const ShownResults& one : shown) {
    paintColumn(painter, one);
    painter.translate(columnWidth(one) + kPictureGapPx, 0);
  }
}

}  // namespace lockstep::widgets
