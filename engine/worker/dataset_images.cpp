#include "engine/worker/dataset_images.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/image_header.h"
#include "engine/base/number_text.h"
#include "engine/data/image_file.h"
#include "engine/worker/label_files.h"

namespace lockstep::worker {
namespace {

/// The first bytes of a file, at most `count`.
std::string beginningOf(const std::filesystem::path& file, std::size_t count) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(failure ? 0 : std::min<std::uintmax_t>(count, size), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

template <typename Value, typename ToId>
void fillFrom(const cv::Mat& pixels, formats::LabelImage& labels, const ToId& toId) {
  std::size_t at = 0;
  for (int y = 0; y < pixels.rows; ++y) {
    const auto* row = pixels.ptr<Value>(y);
    for (int x = 0; x < pixels.cols; ++x) labels.ids[at++] = toId(row[x]);
  }
}

std::uint32_t wholeId(double value, const std::string& name) {
  if (!(value >= 0 && value <= 4294967295.0) || value != std::floor(value))
    throw Error(name + ": " + std::to_string(value) + " is not the id of an object");
  return static_cast<std::uint32_t>(value);
}

formats::LabelImage labelsIn(const cv::Mat& pixels, const std::string& name) {
  formats::LabelImage labels{pixels.cols, pixels.rows, {}};
  labels.ids.resize(static_cast<std::size_t>(pixels.rows) * static_cast<std::size_t>(pixels.cols));
  const auto same = [](auto value) { return static_cast<std::uint32_t>(value); };
  switch (pixels.type()) {
    case CV_8UC1:
      fillFrom<std::uint8_t>(pixels, labels, same);
      return labels;
    case CV_16UC1:
      fillFrom<std::uint16_t>(pixels, labels, same);
      return labels;
    case CV_32SC1:
      fillFrom<std::int32_t>(pixels, labels,
                             [&](std::int32_t value) { return wholeId(value, name); });
      return labels;
    case CV_32FC1:
      fillFrom<float>(pixels, labels,
                      [&](float value) { return wholeId(static_cast<double>(value), name); });
      return labels;
    case CV_8UC3:
      labels.isColour = true;
      fillFrom<cv::Vec3b>(pixels, labels, [](const cv::Vec3b& bgr) {
        return bgr[2] * 65536U + bgr[1] * 256U + bgr[0];
      });
      return labels;
    case CV_8UC4:
      labels.isColour = true;
      fillFrom<cv::Vec4b>(pixels, labels, [](const cv::Vec4b& bgra) {
        return bgra[2] * 65536U + bgra[1] * 256U + bgra[0];
      });
      return labels;
    default:
      throw Error(
          name + ": " + std::to_string(pixels.channels()) +
          " channels of this type are not a label image; it must be 8, 16 or 32 bit grey, or "
          "a palette");
  }
}

/// nullopt: OpenCV cannot read it.
std::optional<formats::LabelImage> decodedLabels(const std::string& bytes, const std::string& name,
                                                 std::int64_t maxPixels) {
  if (const std::int64_t pixels = base::pixelsOf(bytes); pixels > maxPixels)
    throw Error(name + ": has " + base::counted(static_cast<std::uint64_t>(pixels), "pixel") +
                ", but its image has " + std::to_string(maxPixels));
  if (bytes.starts_with("\xff\xd8\xff"))
    throw Error(name + ": is a JPEG, which changes values; save label images as PNG or TIFF");
  if (auto labels = readIndexedPng(bytes)) return labels;
  const cv::Mat input(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  cv::Mat pixels;
  try {
    if (!bytes.empty()) pixels = cv::imdecode(input, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {
    pixels.release();
  }
  return pixels.empty() ? std::nullopt : std::optional(labelsIn(pixels, name));
}

}  // namespace

formats::ImageFacts DatasetImages::factsOf(const std::filesystem::path& image) const {
  // Thumbnails and profiles may precede the size in a JPEG and the orientation in a PNG. A WebP has
  // the orientation after its pixels.
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  for (const std::size_t count : {std::size_t{4} << 10, std::size_t{256} << 10, kAll}) {
    const std::string bytes = beginningOf(image, count);
    const auto header = base::readImageHeader(bytes);
    if (header && header->width > 0)
      return {{header->height, header->width}, header->exifOrientation};
    if (!header || bytes.size() < count) break;
  }
  return {data::readImage(image).size()};  // TIFF, which is always read as it is displayed
}

formats::LabelImage DatasetImages::labelsOf(const std::filesystem::path& image,
                                            std::int64_t maxPixels) const {
  auto labels = decodedLabels(base::readFile(image), image.string(), maxPixels);
  if (!labels) labels = readTiff32(image);
  if (!labels) throw Error(image.string() + ": cannot be decoded as an image");
  return std::move(*labels);
}

formats::LabelImage DatasetImages::decodeLabels(const std::string& bytes, const std::string& name,
                                                std::int64_t maxPixels) const {
  auto labels = decodedLabels(bytes, name, maxPixels);
  if (!labels) throw Error(name + ": cannot be decoded as an image");
  return std::move(*labels);
}

std::string DatasetImages::encodeLabels(const formats::LabelImage& labels) const {
  const std::uint32_t most = labels.ids.empty() ? 0 : *std::ranges::max_element(labels.ids);
  if (most > 65535) throw Error("a label image of 16 bits cannot have id " + std::to_string(most));
  cv::Mat pixels(labels.height, labels.width, most > 255 ? CV_16UC1 : CV_8UC1);
  for (int y = 0, at = 0; y < labels.height; ++y) {
    for (int x = 0; x < labels.width; ++x, ++at) {
      const std::uint32_t id = labels.ids[static_cast<std::size_t>(at)];
      if (most > 255) {
        pixels.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(id);
      } else {
        pixels.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(id);
      }
    }
  }
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".png", pixels, bytes)) throw Error("a label image cannot be encoded");
  return {bytes.begin(), bytes.end()};
}

}  // namespace lockstep::worker
