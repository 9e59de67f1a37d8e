#pragma once

#include <QByteArray>
#include <QColor>
#include <QImage>
#include <QList>
#include <QSize>
#include <QString>
#include <vector>

#include "engine/base/file_version.h"

namespace lockstep::widgets {

/// An image with smaller copies (mipmaps), so that a large image is drawn small fast and without
/// aliasing.
class ImageLevels {
 public:
  ImageLevels() = default;
  /// Halves until the longer side is at most 1500 px. `fullSize`: of which `image` is a smaller
  /// copy; empty: its own.
  explicit ImageLevels(const QImage& image, QSize fullSize = {});

  bool isNull() const { return levels_.empty(); }
  QSize size() const { return fullSize_; }
  /// The largest copy.
  const QImage& largest() const { return levels_.front(); }
  /// The smallest copy that has at least `scale` times the full size, else the largest one.
  const QImage& levelFor(double scale) const;
  /// Whether a copy has at least `scale` times the full size; at most 1 is asked for.
  bool has(double scale) const;
  /// At a pixel of the full size.
  QColor colourAt(QPoint pixel) const;
  qint64 sizeBytes() const;

 private:
  std::vector<QImage> levels_;
  QSize fullSize_;
};

/// One image file, decoded.
struct DecodedImage {
  ImageLevels levels;
  QString failure;  ///< why there is no image
  QString warning;  ///< there is an image, but something is wrong with the file
  base::FileVersion version{};
};

/// Decodes the file, of over 40 megapixels a smaller copy. Applies the EXIF orientation only if
/// that gives the annotated size (with an empty size: always). Blocks; call it from any thread.
DecodedImage decodeImage(const QString& path, QSize annotatedSize);

/// "The file is 30 × 20 px, the annotations say 60 × 40"; empty: it is so, or they say nothing.
QString differenceOfSizes(QSize size, QSize annotated);

/// What the head of an image file says.
struct ImageFileFacts {
  QSize size;       ///< px, as its EXIF orientation turns it
  QString failure;  ///< why it cannot be shown or predicted
};

/// Blocks; call it from any thread.
ImageFileFacts readImageFacts(const QString& path);

/// One image file, decoded small.
struct Thumbnail {
  QImage image;
  QString failure;  ///< in a few words, why there is no image
  base::FileVersion version{};
};

/// The image scaled to at most `heightPx`; of over 40 megapixels only in a format of which a
/// smaller copy is decoded without all pixels. Blocks; call it from any thread.
Thumbnail decodeThumbnail(const QString& path, QSize annotatedSize, int heightPx);

/// Whether the file is another one than was decoded, or has come or gone since. Blocks; call it
/// from any thread.
bool hasChanged(const QString& path, const base::FileVersion& decoded);

/// Why a file that begins with these bytes is no image of a format that can be read; `readable`:
/// the formats that can, as QImageReader names them.
QString unknownFormat(const QByteArray& head, const QList<QByteArray>& readable);

}  // namespace lockstep::widgets
