#include "widgets/image_view/decoded_image.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QImageReader>
#include <QTransform>
#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include "engine/base/file_text.h"
#include "engine/base/image_header.h"
#include "engine/base/image_size.h"
#include "engine/base/input_file.h"
#include "engine/coco/masks/orientation.h"
#include "widgets/image_view/png_shrinking.h"

namespace lockstep::widgets {
namespace {

constexpr int kSmallEnoughPx = 1500;
constexpr qint64 kMostPixels = 40'000'000;                // that are decoded: 160 MB
constexpr qint64 kMostPredictedPixels = qint64{1} << 30;  // OpenCV's limit
constexpr int kJpegTailBytes = 4096;
constexpr qsizetype kHeadBytes = 12;

struct DecodedImageText {
  Q_DECLARE_TR_FUNCTIONS(DecodedImage)
};

bool swapsSides(QImageIOHandler::Transformations transformation) {
  return transformation.testFlag(QImageIOHandler::TransformationRotate90);
}

/// As Exif says of the file, which Qt reads of JPEG and TIFF alone.
QImageIOHandler::Transformations transformationOf(std::string_view file,
                                                  const QImageReader& reader) {
  static constexpr std::array kOfOrientations{QImageIOHandler::TransformationNone,
                                              QImageIOHandler::TransformationMirror,
                                              QImageIOHandler::TransformationRotate180,
                                              QImageIOHandler::TransformationFlip,
                                              QImageIOHandler::TransformationFlipAndRotate90,
                                              QImageIOHandler::TransformationRotate90,
                                              QImageIOHandler::TransformationMirrorAndRotate90,
                                              QImageIOHandler::TransformationRotate270};
  const auto header = base::readImageHeader(file);
  if (!header || header->exifOrientation == 1) return reader.transformation();
  return kOfOrientations.at(static_cast<std::size_t>(header->exifOrientation - 1));
}

QImage oriented(const QImage& image, QImageIOHandler::Transformations transformation) {
  const QImage mirrored =
      image.mirrored(transformation.testFlag(QImageIOHandler::TransformationMirror),
                     transformation.testFlag(QImageIOHandler::TransformationFlip));
  return swapsSides(transformation) ? mirrored.transformed(QTransform().rotate(90)) : mirrored;
}

bool needsOrientation(QSize stored, QImageIOHandler::Transformations transformation,
                      QSize annotated) {
  std::optional<base::ImageSize> size;
  if (!annotated.isEmpty())
    size = base::ImageSize{.height = annotated.height(), .width = annotated.width()};
  return coco::shouldApplyExif({.height = stored.height(), .width = stored.width()},
                               swapsSides(transformation), size);
}

/// Rejects what is no file: reading a pipe or a device would not end.
QString openError(const QString& path) {
  const QString error =
      QString::fromStdString(base::inputFileError(path.toStdString(), "an image"));
  return error.startsWith(QStringLiteral("is ")) ? DecodedImageText::tr("it %1").arg(error) : error;
}

QString sizeWarning(QSize size, QSize annotated) {
  const QString difference = differenceOfSizes(size, annotated);
  return difference.isEmpty()
             ? QString()
             : DecodedImageText::tr("%1: masks may be misaligned.").arg(difference);
}

/// Each side of a file of this size is decoded at 1 / this, a power of two.
int shrinkOf(QSize stored) {
  int shrink = 1;
  while (qint64{stored.width()} * stored.height() / (qint64{shrink} * shrink) > kMostPixels)
    shrink *= 2;
  return shrink;
}

/// A file in memory, or mapped.
class OpenFile {
 public:
  /// Throws std::exception.
  explicit OpenFile(const QString& path) : text_(base::FileText::map(path.toStdString())) {
    buffer_.open(QIODevice::ReadOnly);
    reader_.setDecideFormatFromContent(true);
    reader_.setAutoTransform(false);
    format_ = reader_.format();
  }

  QImageReader& reader() { return reader_; }
  QImageIOHandler::Transformations transformation() const {
    return transformationOf(text_.view(), reader_);
  }
  /// libjpeg fills missing data with grey without an error. A complete JPEG has an end marker near
  /// its end.
  bool isTruncated() const {
    return (format_ == "jpeg" || format_ == "jpg") &&
           !bytes_.right(kJpegTailBytes).contains("\xff\xd9");
  }
  /// With each side divided by `shrink`. A null image: error() says why.
  QImage read(int shrink) {
    if (shrink > 1 && format_ == "png") return decodePngSmaller(bytes_, shrink, error_);
    if (shrink > 1) reader_.setScaledSize(reader_.size() / shrink);
    return readAsIs();
  }
  QImage readAsIs() {
    const QImage image = reader_.read();
    if (image.isNull()) error_ = reader_.errorString();
    return image;
  }
  /// All pixels of a large one need not be in memory for a small copy.
  bool canReadSmaller() const {
    return format_ == "png" || reader_.supportsOption(QImageIOHandler::ScaledSize);
  }
  /// Of about this size; all of a large PNG is never in memory.
  QImage readThumbnail(QSize stored, QSize size) {
    if (format_ == "png" && shrinkOf(stored) > 1) {
      int shrink = 2;
      while (stored.width() / (2 * shrink) >= size.width() &&
             stored.height() / (2 * shrink) >= size.height())
        shrink *= 2;
      const QImage smaller = read(shrink);
      if (smaller.isNull()) return smaller;
      return smaller.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    reader_.setScaledSize(size);
    return readAsIs();
  }
  QString error() const {
    if (bytes_.isEmpty()) return DecodedImageText::tr("the file is empty");
    if (format_.isEmpty())
      return unknownFormat(bytes_.first(std::min(kHeadBytes, bytes_.size())),
                           QImageReader::supportedImageFormats());
    return DecodedImageText::tr("its content cannot be decoded: %1").arg(error_);
  }

 private:
  base::FileText text_;
  QByteArray bytes_ =
      QByteArray::fromRawData(text_.view().data(), static_cast<qsizetype>(text_.view().size()));
  QBuffer buffer_{&bytes_};
  QImageReader reader_{&buffer_};
  QByteArray format_;
  QString error_;
};

QString shrunkWarning(QSize size, int shrink) {
  if (shrink == 1) return {};
  return DecodedImageText::tr(
             "The file has %1 megapixels: its picture is shown at 1/%2 of its width and height, "
             "masks and outlines in full.")
      .arg(qint64{size.width()} * size.height() / 1'000'000)
      .arg(shrink);
}

/// A null image: `failure` says why, unless it cannot be decoded.
QImage readSmall(OpenFile& file, QSize annotatedSize, int heightPx, QString& failure) {
  QSize stored = file.reader().size();
  if (!stored.isValid()) stored = annotatedSize;
  if (shrinkOf(stored) > 1 && !file.canReadSmaller()) {
    failure = DecodedImageText::tr("too large for a thumbnail");
    return {};
  }
  const QImageIOHandler::Transformations transformation = file.transformation();
  const bool orients = needsOrientation(stored, transformation, annotatedSize);
  QImage image;
  if (stored.isEmpty()) {
    image = file.readAsIs();
  } else {
    const QSize limit = orients && swapsSides(transformation) ? QSize(heightPx, 4 * heightPx)
                                                              : QSize(4 * heightPx, heightPx);
    image = file.readThumbnail(stored,
                               stored.scaled(limit, Qt::KeepAspectRatio).expandedTo(QSize(1, 1)));
  }
  return orients && !image.isNull() ? oriented(image, transformation) : image;
}

}  // namespace

QString differenceOfSizes(QSize size, QSize annotated) {
  if (annotated.isEmpty() || size == annotated) return {};
  return DecodedImageText::tr("The file is %1 × %2 px, the annotations say %3 × %4")
      .arg(size.width())
      .arg(size.height())
      .arg(annotated.width())
      .arg(annotated.height());
}

QString unknownFormat(const QByteArray& head, const QList<QByteArray>& readable) {
  const bool isTiff = head.startsWith("II*") || head.startsWith("II+") ||
                      head.startsWith(QByteArrayView("MM\0*", 4)) ||
                      head.startsWith(QByteArrayView("MM\0+", 4));
  const bool isWebp = head.startsWith("RIFF") && head.mid(8, 4) == "WEBP";
  const char* const name = isTiff ? "tiff" : isWebp ? "webp" : nullptr;
  if (name == nullptr || readable.contains(name))
    return DecodedImageText::tr("the image format is unknown");
  return DecodedImageText::tr(
             "No Qt plugin that reads %1 is installed: install the package "
             "qt6-image-formats-plugins and start again")
      .arg(isTiff ? QStringLiteral("TIFF") : QStringLiteral("WebP"));
}

ImageLevels::ImageLevels(const QImage& image, QSize fullSize)
    : fullSize_(fullSize.isEmpty() ? image.size() : fullSize) {
  if (image.isNull()) return;
  levels_.push_back(image);
  while (std::max(levels_.back().width(), levels_.back().height()) > kSmallEnoughPx) {
    const QSize half = (levels_.back().size() / 2).expandedTo(QSize(1, 1));
    levels_.push_back(levels_.back().scaled(half, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
  }
}

const QImage& ImageLevels::levelFor(double scale) const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() && levels_[level + 1].width() >= scale * fullSize_.width()) {
    ++level;
  }
  return levels_[level];
}

bool ImageLevels::has(double scale) const {
  return largest().width() >= std::min(scale, 1.0) * fullSize_.width();
}

QColor ImageLevels::colourAt(QPoint pixel) const {
  const qint64 x = qint64{pixel.x()} * largest().width() / fullSize_.width(),
               y = qint64{pixel.y()} * largest().height() / fullSize_.height();
  return largest().pixelColor(static_cast<int>(x), static_cast<int>(y));
}

qint64 ImageLevels::sizeBytes() const {
  qint64 bytes = 0;
  for (const QImage& level : levels_) bytes += level.sizeInBytes();
  return bytes;
}

DecodedImage decodeImage(const QString& path, QSize annotatedSize) {
  DecodedImage decoded;
  decoded.version = base::FileVersion::of(path.toStdString());  // before it is read
  decoded.failure = openError(path);
  if (!decoded.failure.isEmpty()) return decoded;
  try {
    OpenFile file(path);
    const QImageIOHandler::Transformations transformation = file.transformation();
    QSize size = file.reader().size();
    const int shrink = shrinkOf(size);
    QImage image = file.read(shrink);
    if (image.isNull()) {
      decoded.failure = file.error();
      return decoded;
    }
    if (shrink == 1) size = image.size();
    if (needsOrientation(size, transformation, annotatedSize)) {
      image = oriented(image, transformation);
      if (swapsSides(transformation)) size.transpose();
    }
    decoded.warning =
        file.isTruncated()
            ? DecodedImageText::tr("The file is truncated: the lower part of the image is missing.")
            : sizeWarning(size, annotatedSize);
    if (decoded.warning.isEmpty()) decoded.warning = shrunkWarning(size, shrink);
    image.convertTo(image.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied
                                            : QImage::Format_RGB32);
    decoded.levels = ImageLevels(image, size);
  } catch (const std::exception& error) {
    decoded.failure =
        DecodedImageText::tr("it cannot be read: %1").arg(QString::fromUtf8(error.what()));
  }
  return decoded;
}

Thumbnail decodeThumbnail(const QString& path, QSize annotatedSize, int heightPx) {
  Thumbnail thumbnail;
  thumbnail.version = base::FileVersion::of(path.toStdString());  // before it is read
  if (openError(path).isEmpty()) {
    try {
      OpenFile file(path);
      thumbnail.image = readSmall(file, annotatedSize, heightPx, thumbnail.failure);
    } catch (const std::exception&) {  // the page says why, once the image is chosen
    }
  }
  if (thumbnail.image.isNull() && thumbnail.failure.isEmpty())
    thumbnail.failure = DecodedImageText::tr("cannot be shown");
  return thumbnail;
}

bool hasChanged(const QString& path, const base::FileVersion& decoded) {
  return base::FileVersion::of(path.toStdString()) != decoded;
}

ImageFileFacts readImageFacts(const QString& path) {
  ImageFileFacts facts{{}, openError(path)};
  if (!facts.failure.isEmpty()) return facts;
  try {
    OpenFile file(path);
    facts.size = file.reader().size();
    if (facts.size.isEmpty()) facts.size = file.readAsIs().size();
    if (facts.size.isEmpty()) facts.failure = file.error();
    if (qint64{facts.size.width()} * facts.size.height() > kMostPredictedPixels)
      facts.failure =
          DecodedImageText::tr(
              "%1 × %2 px are more than the engine reads (2³⁰ pixels): scale it down or "
              "cut it into parts")
              .arg(facts.size.width())
              .arg(facts.size.height());
    if (swapsSides(file.transformation())) facts.size.transpose();
  } catch (const std::exception& error) {
    facts.failure =
        DecodedImageText::tr("it cannot be read: %1").arg(QString::fromUtf8(error.what()));
  }
  return facts;
}

}  // namespace lockstep::widgets
