#include "engine/data/image_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/masks/orientation.h"
#include "engine/data/bad_image.h"
#include "engine/data/displayed_image.h"
#include "engine/data/image_format.h"

namespace lockstep::data {
namespace {

constexpr int kJpegQuality = 95;

/// Each image is decoded by one thread: loader threads run in parallel.
void keepOpenCvToOneThread() {
  static const bool done = [] {
    cv::setNumThreads(1);
    return true;
  }();
  static_cast<void>(done);
}

std::string sizeText(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height) + " px";
}

/// The file to read, and whether it belongs to an annotated dataset.
struct SourceFile {
  const std::filesystem::path& file;
  bool isAnnotated = false;

  UnreadableImage error(const std::string& reason, const std::string& remedy) const {
    return UnreadableImage(base::shortenedPath(file.string()) + ": " + reason + "; " + remedy +
                           (isAnnotated ? ", or remove the image from the annotations" : ""));
  }
};

bool isOfMemory(const cv::Exception& error) { return error.code == cv::Error::StsNoMem; }

/// Turns OpenCV's out-of-memory exception into std::bad_alloc.
template <typename Read>
RgbImage withinMemory(const Read& read) {
  try {
    return read();
  } catch (const cv::Exception& error) {
    if (!isOfMemory(error)) throw;
    throw std::bad_alloc();
  }
}

/// Empty if the bytes are not an image. Throws cv::Exception.
cv::Mat decodeBytes(const std::string& bytes, int flags) {
  keepOpenCvToOneThread();
  const cv::Mat input(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  return cv::imdecode(input, flags);
}

/// Whether all completed files decode to the same pixels, so that only the end marker is missing.
bool isWholeWithItsEnd(const std::vector<std::string>& completed) {
  if (completed.empty()) return false;
  try {
    constexpr int kAsStored = cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
    const cv::Mat first = decodeBytes(completed.front(), kAsStored);
    return !first.empty() && std::ranges::all_of(completed, [&](const std::string& bytes) {
      const cv::Mat other = decodeBytes(bytes, kAsStored);
      return other.size() == first.size() && cv::norm(other, first, cv::NORM_INF) == 0;
    });
  } catch (const cv::Exception& error) {
    if (isOfMemory(error)) throw;
    return false;
  }
}

struct FileBytes {
  std::string bytes;
  bool missingEndMarker = false;  ///< it was added to `bytes`
};

/// Whether an errno is an error of the file, not of the machine.
bool isOfFile(int number) {
  constexpr std::array kOfFile{ENOENT, ENOTDIR, EISDIR, ELOOP, EACCES, ENAMETOOLONG};
  return std::ranges::find(kOfFile, number) != kOfFile.end();
}

std::string readBytes(const SourceFile& source) {
  const std::filesystem::path& file = source.file;
  std::error_code ignored;  // readFile() reports it
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_other(status))  // reading a device or a pipe may never end
    throw source.error(base::inputFileError(file, "an image"), kRestoreImage);
  try {
    return base::readFile(file);
  } catch (const base::SystemError& error) {
    if (!isOfFile(error.number())) throw;
    throw source.error(withoutFileName(error.what(), file.string()),
                       error.number() == EACCES ? "make it readable" : kRestoreImage);
  }
}

FileBytes readWholeFile(const SourceFile& source) {
  std::string bytes = readBytes(source);
  if (bytes.empty()) throw source.error("is an empty file", kCopyAgain);
  ImageEnd end = endOf(bytes);
  if (end.isPresent) return {std::move(bytes)};
  if (!isWholeWithItsEnd(end.completed))
    throw source.error("is truncated: the end of the image is missing", kCopyAgain);
  return {std::move(end.completed.front()), true};
}

/// `32-bit floats` if the pixels have an unsupported type; empty if they are 8 or 16 bits.
std::string wideValuesIn(const std::string& bytes) {
  switch (decodeBytes(bytes, cv::IMREAD_UNCHANGED).depth()) {
    case CV_32F:
      return "32-bit floats";
    case CV_64F:
      return "64-bit floats";
    case CV_32S:
      return "32-bit integers";
    default:
      return {};
  }
}

/// The error for bytes that the decoder refuses.
UnreadableImage undecoded(const std::string& bytes, const SourceFile& source) {
  const ImageFormat format = formatOf(bytes);
  if (!format.unsupported.empty())
    return source.error(format.unsupported + ", which is unsupported", "convert it to PNG");
  if (const std::string values = wideValuesIn(bytes); !values.empty())
    return source.error("contains " + values + ", which are unsupported",
                        "convert it to 8 or 16 bits");
  return source.error("is not a supported image (JPEG, PNG, BMP, TIFF, WebP)",
                      format.isKnown ? kCopyAgain : kRestoreImage);
}

/// 8 or 16 bits, BGR. `asStored`: ignores the EXIF orientation.
cv::Mat decode(const std::string& bytes, bool asStored, const SourceFile& source) {
  const int flags = cv::IMREAD_COLOR | (asStored ? cv::IMREAD_IGNORE_ORIENTATION : 0);
  cv::Mat decoded;
  try {
    decoded = decodeBytes(bytes, flags | cv::IMREAD_ANYDEPTH);
    const bool isKnown = decoded.type() == CV_8UC3 || decoded.type() == CV_16UC3;
    if (!isKnown && !decoded.empty()) decoded = decodeBytes(bytes, flags);
    if (decoded.empty()) throw undecoded(bytes, source);
  } catch (const cv::Exception& error) {
    if (isOfMemory(error)) throw;
    if (error.err.find("CV_IO_MAX_IMAGE_") != std::string::npos)
      throw source.error("has more pixels than are allowed", "make it smaller");
    throw source.error("cannot be decoded: " + error.err, kCopyAgain);
  }
  CV_Assert(decoded.type() == CV_8UC3 || decoded.type() == CV_16UC3);
  return asStored ? decoded : displayedImage(decoded, bytes);
}

/// The upper 8 bits of every value.
template <typename Value>
RgbImage upperBits(const cv::Mat& bgr) {
  constexpr int kLowerBits = 8 * sizeof(Value) - 8;
  RgbImage image(bgr.cols, bgr.rows);
  std::uint8_t* out = image.pixels.get();
  for (int y = 0; y < bgr.rows; ++y) {
    const Value* in = bgr.ptr<Value>(y);
    for (int x = 0; x < bgr.cols; ++x, in += 3, out += 3) {
      for (int channel = 0; channel < 3; ++channel)
        out[channel] = static_cast<std::uint8_t>(in[2 - channel] >> kLowerBits);
    }
  }
  return image;
}

/// The largest value of a 16-bit image; 0 for an 8-bit image.
int highestOf16Bits(const cv::Mat& bgr) {
  if (bgr.depth() == CV_8U) return 0;
  double highest = 0;
  cv::minMaxIdx(bgr.reshape(1), nullptr, &highest);
  return static_cast<int>(highest);
}

RgbImage toRgb(const cv::Mat& bgr, bool missingEndMarker) {
  RgbImage image =
      bgr.depth() == CV_8U ? upperBits<std::uint8_t>(bgr) : upperBits<std::uint16_t>(bgr);
  image.highestOf16Bits = highestOf16Bits(bgr);
  image.missingEndMarker = missingEndMarker;
  return image;
}

RgbImage readSized(const std::filesystem::path& file, base::ImageSize annotated) {
  const SourceFile source{file, /*isAnnotated=*/true};
  const auto [bytes, missingEndMarker] = readWholeFile(source);
  const cv::Mat stored = decode(bytes, /*asStored=*/true, source);
  const int width = static_cast<int>(annotated.width), height = static_cast<int>(annotated.height);
  if (stored.cols == width && stored.rows == height) return toRgb(stored, missingEndMarker);
  const cv::Mat turned = decode(bytes, /*asStored=*/false, source);
  const bool swapsSides =
      turned.cols == stored.rows && turned.rows == stored.cols && turned.size() != stored.size();
  if (coco::shouldApplyExif({.height = stored.rows, .width = stored.cols}, swapsSides, annotated))
    return toRgb(turned, missingEndMarker);
  throw UnreadableImage(
      file.string() + ": is " + sizeText(stored.cols, stored.rows) + ", but the annotations say " +
      sizeText(width, height) +
      "; correct the size in the annotations, or replace the file with the annotated image");
}

}  // namespace

RgbImage readAnnotatedImage(const std::filesystem::path& file, base::ImageSize annotated) {
  return withinMemory([&] { return readSized(file, annotated); });
}

RgbImage readImage(const std::filesystem::path& file) {
  static_assert(coco::shouldApplyExif({}, true, std::nullopt));
  return withinMemory([&] {
    const SourceFile source{file};
    const auto [bytes, missingEndMarker] = readWholeFile(source);
    return toRgb(decode(bytes, /*asStored=*/false, source), missingEndMarker);
  });
}

std::string missingEndMarkerText(const std::filesystem::path& file) {
  return file.string() + ": the end marker is missing; all rows can be decoded, so it is used";
}

std::string darkImageWarning(const RgbImage& image, const std::filesystem::path& file) {
  constexpr int kDark = 0x4000;  // 14 of 16 bits: a quarter of the range
  const int highest = image.highestOf16Bits;
  if (highest == 0 || highest >= kDark) return {};
  return file.string() + ": its 16-bit values go up to only " + std::to_string(highest) +
         " of 65535, which is " + std::to_string(highest >> 8) +
         " of 255 after conversion to 8 bits, nearly black; rescale them to the full range";
}

std::string encodeImage(const RgbImage& image, const std::filesystem::path& file) {
  keepOpenCvToOneThread();
  cv::Mat bgr(image.height, image.width, CV_8UC3);
  const std::uint8_t* in = image.pixels.get();
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* out = bgr.ptr<std::uint8_t>(y);
    for (int x = 0; x < image.width; ++x, in += 3, out += 3) {
      out[0] = in[2];
      out[1] = in[1];
      out[2] = in[0];
    }
  }
  std::vector<std::uint8_t> bytes;
  try {
    if (!cv::imencode(file.extension().string(), bgr, bytes,
                      {cv::IMWRITE_JPEG_QUALITY, kJpegQuality})) {
      throw Error(file.string() + ": cannot be encoded");
    }
  } catch (const cv::Exception& error) {
    throw Error(file.string() + ": cannot be encoded: " + error.err);
  }
  return {bytes.begin(), bytes.end()};
}

void writeImage(const RgbImage& image, const std::filesystem::path& file) {
  base::writeFileAtomically(file, encodeImage(image, file));
}

}  // namespace lockstep::data
