#include "engine/worker/dataset_pictures.h"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/image_header.h"
#include "engine/coco/masks/orientation.h"
#include "engine/data/bad_image.h"
#include "engine/data/displayed_image.h"
#include "engine/data/image_file.h"
#include "engine/data/image_format.h"

namespace lockstep::worker {
namespace {

namespace fs = std::filesystem;
using dataset_check::PictureState;

/// A file, and what it decodes to without its EXIF orientation.
struct Decoded {
  std::string bytes;
  bool hasEnd = false;
  cv::Mat grey;  ///< of 8 or 16 bits; empty: it is no image as most are
};

/// Grey alone takes half the time of colours, and finds the same errors. Of a PNG libpng would make
/// it by the file's gamma and profile, so that copies with the same pixels differ. Empty if it is
/// no image of 8 or 16 bits.
cv::Mat decodeGrey(std::string& bytes, int flags = 0) {
  const bool isPng = bytes.starts_with("\x89PNG");
  cv::Mat grey;
  try {
    grey = cv::imdecode(
        cv::Mat(1, static_cast<int>(bytes.size()), CV_8UC1, bytes.data()),
        (isPng ? cv::IMREAD_COLOR : cv::IMREAD_GRAYSCALE) | cv::IMREAD_ANYDEPTH | flags);
    if (isPng && !grey.empty()) cv::cvtColor(grey, grey, cv::COLOR_BGR2GRAY);
    if (flags == 0 && !grey.empty()) grey = data::displayedImage(grey, bytes);
  } catch (const cv::Exception&) {  // data::readAnnotatedImage() says why
    return {};
  }
  return grey.type() == CV_8UC1 || grey.type() == CV_16UC1 ? grey : cv::Mat();
}

/// As stored if it has this size so, else turned by its EXIF orientation. Empty if it has another.
cv::Mat decodeGrey(std::string& bytes, base::ImageSize size) {
  for (const int flags : {int{cv::IMREAD_IGNORE_ORIENTATION}, 0}) {
    cv::Mat grey = decodeGrey(bytes, flags);
    if (base::ImageSize{.height = grey.rows, .width = grey.cols} == size) return grey;
  }
  return {};
}

Decoded decode(const fs::path& file) {
  Decoded decoded;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return decoded;
  try {
    decoded.bytes = base::readFile(file);
  } catch (const base::SystemError&) {  // data::readAnnotatedImage() says why
    return decoded;
  }
  decoded.hasEnd = !decoded.bytes.empty() && data::endOf(decoded.bytes).isPresent;
  if (decoded.hasEnd) decoded.grey = decodeGrey(decoded.bytes, cv::IMREAD_IGNORE_ORIENTATION);
  return decoded;
}

template <typename Value>
dataset_check::GreyPixels<Value> pixelsOf(const cv::Mat& grey) {
  return {grey.ptr<Value>(), grey.cols, grey.rows, static_cast<std::ptrdiff_t>(grey.step1())};
}

/// Null for an empty image.
std::unique_ptr<dataset_check::Thumbnail> thumbnailOf(const cv::Mat& grey) {
  if (grey.empty()) return nullptr;
  return std::make_unique<dataset_check::Thumbnail>(
      grey.depth() == CV_8U ? dataset_check::thumbnailOf(pixelsOf<std::uint8_t>(grey))
                            : dataset_check::thumbnailOf(pixelsOf<std::uint16_t>(grey)));
}

/// 1: as stored, or unknown.
int orientationOf(std::string_view bytes) {
  const auto header = base::readImageHeader(bytes);
  return header ? header->exifOrientation : 1;
}

/// Decides as training does.
void readAsTraining(const fs::path& file, base::ImageSize annotated, Decoded& decoded,
                    dataset_check::Picture& picture) {
  try {
    data::readAnnotatedImage(file, annotated);
    if (decoded.grey.empty()) {
      picture.thumbnail = thumbnailOf(decodeGrey(decoded.bytes, annotated));
      return;
    }
    picture.state = PictureState::Turned;
    picture.storedThumbnail = std::move(picture.thumbnail);
    picture.thumbnail = thumbnailOf(decodeGrey(decoded.bytes));
    if (!coco::swapsSides(picture.exifOrientation)) picture.exifOrientation = 0;
  } catch (const data::UnreadableImage& error) {
    picture.problem = data::withoutFileName(error.what(), file.string());
    std::error_code ignored;
    picture.state = !fs::exists(file, ignored)                  ? PictureState::Missing
                    : !decoded.grey.empty()                     ? PictureState::WrongSize
                    : !decoded.bytes.empty() && !decoded.hasEnd ? PictureState::Truncated
                                                                : PictureState::Unreadable;
  }
}

}  // namespace

DatasetPictures::DatasetPictures() { cv::setNumThreads(1); }

dataset_check::Picture DatasetPictures::read(const fs::path& file,
                                             base::ImageSize annotated) const {
  dataset_check::Picture picture;
  Decoded decoded = decode(file);
  if (!decoded.grey.empty()) {
    picture.stored = {decoded.grey.rows, decoded.grey.cols};
    picture.exifOrientation = orientationOf(decoded.bytes);
    picture.thumbnail = thumbnailOf(decoded.grey);
    if (picture.stored == annotated) return picture;
  }
  readAsTraining(file, annotated, decoded, picture);
  return picture;
}

std::vector<std::uint8_t> DatasetPictures::readBlocks(const fs::path& file, base::ImageSize size,
                                                      base::ImageSize scaled) const {
  std::string bytes = base::readFile(file);
  const cv::Mat grey = decodeGrey(bytes, size);
  if (grey.empty()) return {};
  return grey.depth() == CV_8U ? dataset_check::blockMeansOf(pixelsOf<std::uint8_t>(grey), scaled)
                               : dataset_check::blockMeansOf(pixelsOf<std::uint16_t>(grey), scaled);
}

}  // namespace lockstep::worker
