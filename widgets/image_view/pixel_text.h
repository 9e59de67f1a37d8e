#pragma once

#include <QPoint>
#include <QString>

namespace lockstep::widgets {

class ImageLevels;

/// "x 12  y 8" and "RGB 1 2 3" of a pixel of an image, as in its file.
QString placeText(QPoint pixel);
QString colourText(const ImageLevels& image, QPoint pixel);
/// Both.
QString pixelText(const ImageLevels& image, QPoint pixel);

}  // namespace lockstep::widgets
