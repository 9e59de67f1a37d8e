#pragma once

#include <QString>

namespace lockstep::tests {

/// Images of 7 x 5 px with each orientation of Exif in each format (1.png … 8.tiff), and their
/// pixels as Pillow displays them (1.png.ppm …); the JPEGs have ten times the sides. Needs
/// python(). Whether that went well.
bool makeExifImages(const QString& folder);

}  // namespace lockstep::tests
