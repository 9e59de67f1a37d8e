#pragma once

#include <QColor>
#include <QImage>

namespace lockstep::tests {

/// How many pixels have exactly this colour.
inline int pixelsOf(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == color;
  return count;
}

}  // namespace lockstep::tests
