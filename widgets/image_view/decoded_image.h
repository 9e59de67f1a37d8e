#pragma once

#include <QImage>
#include <QSize>
#include <QString>
#include <vector>

namespace lockstep::widgets {

/// A picture with smaller copies of itself, so that a large one is drawn small both quickly and
/// well.
class ImageLevels {
 public:
  ImageLevels() = default;
  /// Halves until the longer side is at most 1500 px.
  explicit ImageLevels(const QImage& image);

  bool isNull() const { return levels_.empty(); }
  QSize size() const { return isNull() ? QSize() : levels_.front().size(); }
  const QImage& full() const { return levels_.front(); }
  /// The smallest copy that has at least `scale` times the full size.
  const QImage& levelFor(double scale) const;
  qint64 sizeBytes() const;

 private:
  std::vector<QImage> levels_;
};

/// One image file as it is shown.
struct DecodedImage {
  ImageLevels levels;
  QString failure;  ///< why there is no picture
  QString warning;  ///< the picture is there but something is wrong with the file
};

/// Decodes the file. Turned by its EXIF orientation only where that makes it the annotated size (an
/// empty size: always, as viewers do). Blocks; any thread.
DecodedImage decodeImage(const QString& path, QSize annotatedSize);

/// The file at most `heightPx` high, or a null image. Blocks; any thread.
QImage decodeThumbnail(const QString& path, QSize annotatedSize, int heightPx);

}  // namespace lockstep::widgets
