#include "widgets/image_view/pixel_text.h"

#include <QCoreApplication>

#include "widgets/image_view/decoded_image.h"

namespace lockstep::widgets {
namespace {

struct PixelText {
  Q_DECLARE_TR_FUNCTIONS(PixelText)
};

}  // namespace

QString placeText(QPoint pixel) {
  return PixelText::tr("x %1  y %2").arg(pixel.x()).arg(pixel.y());
}

QString colourText(const ImageLevels& image, QPoint pixel) {
  const QColor colour = image.colourAt(pixel);
  return PixelText::tr("RGB %1 %2 %3").arg(colour.red()).arg(colour.green()).arg(colour.blue());
}

QString pixelText(const ImageLevels& image, QPoint pixel) {
  return placeText(pixel) % QStringLiteral("  ") % colourText(image, pixel);
}

}  // namespace lockstep::widgets
