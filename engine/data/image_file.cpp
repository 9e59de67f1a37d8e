#include "engine/data/image_file.h"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/coco/orientation.h"
#include "engine/data/image_markers.h"

namespace lockstep::data {
namespace {

constexpr int kJpegQuality = 95;

/// One thread decodes one image: the loaders are the parallelism.
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

std::string readWholeFile(const std::filesystem::path& file) {
  std::string bytes = base::readFile(file);
  if (bytes.empty()) throw Error(file.string() + ": is an empty file");
  if (!reachesEndMarker(bytes))
    throw Error(file.string() + ": is cut off: the end of the image is missing");
  return bytes;
}

cv::Mat decode(const std::string& bytes, int flags, const std::filesystem::path& file) {
  keepOpenCvToOneThread();
  cv::Mat decoded;
  try {
    const cv::Mat input(1, static_cast<int>(bytes.size()), CV_8UC1,
                        const_cast<char*>(bytes.data()));
    decoded = cv::imdecode(input, flags);
  } catch (const cv::Exception& fault) {
    throw Error(file.string() + ": cannot be decoded: " + fault.err);
  }
  if (decoded.empty())
    throw Error(file.string() + ": is no image that can be decoded (JPEG, PNG, BMP, TIFF, WebP)");
  CV_Assert(decoded.type() == CV_8UC3);
  return decoded;
}

RgbImage toRgb(const cv::Mat& bgr) {
  RgbImage image(bgr.cols, bgr.rows);
  std::uint8_t* out = image.pixels.get();
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* in = bgr.ptr<std::uint8_t>(y);
    for (int x = 0; x < bgr.cols; ++x, in += 3, out += 3) {
      out[0] = in[2];
      out[1] = in[1];
      out[2] = in[0];
    }
  }
  return image;
}

}  // namespace

RgbImage::RgbImage(int widthPx, int heightPx)
    : width(widthPx),
      height(heightPx),
      pixels(std::make_unique_for_overwrite<std::uint8_t[]>(
          static_cast<std::size_t>(widthPx) * static_cast<std::size_t>(heightPx) * 3)) {}

RgbImage readAnnotatedImage(const std::filesystem::path& file, ImageSize annotated) {
  const std::string bytes = readWholeFile(file);
  const cv::Mat stored = decode(bytes, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION, file);
  const int width = static_cast<int>(annotated.width), height = static_cast<int>(annotated.height);
  if (stored.cols == width && stored.rows == height) return toRgb(stored);
  const cv::Mat turned = decode(bytes, cv::IMREAD_COLOR, file);
  const bool swapsSides =
      turned.cols == stored.rows && turned.rows == stored.cols && turned.size() != stored.size();
  if (coco::shouldApplyExif(stored.cols, stored.rows, swapsSides, width, height))
    return toRgb(turned);
  throw Error(file.string() + ": is " + sizeText(stored.cols, stored.rows) +
              ", its annotation says " + sizeText(width, height));
}

RgbImage readImage(const std::filesystem::path& file) {
  return toRgb(decode(readWholeFile(file), cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION, file));
}

void writeImage(const RgbImage& image, const std::filesystem::path& file) {
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
  } catch (const cv::Exception& fault) {
    throw Error(file.string() + ": cannot be encoded: " + fault.err);
  }
  base::writeFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace lockstep::data
