#include "engine/worker/label_files.h"

#include <png.h>
#include <tiffio.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace lockstep::worker {
namespace {

constexpr std::size_t kDepthAt = 24, kColourTypeAt = 25;  ///< after signature, width and height
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 30;

struct PngBytes {
  std::string_view left;
};

void readPngBytes(png_structp png, png_bytep out, std::size_t count) {
  auto* bytes = static_cast<PngBytes*>(png_get_io_ptr(png));
  if (count > bytes->left.size()) png_error(png, "truncated");
  std::memcpy(out, bytes->left.data(), count);
  bytes->left.remove_prefix(count);
}

void throwPngError(png_structp, const char*) { throw std::runtime_error("png"); }
void ignorePngWarning(png_structp, const char*) {}

class PngReader {
 public:
  PngReader() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, throwPngError, ignorePngWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Throws std::runtime_error for a damaged file.
  formats::LabelImage read(std::string_view fileBytes) {
    PngBytes bytes{fileBytes};
    png_set_read_fn(png_, &bytes, readPngBytes);
    png_read_info(png_, info_);
    png_set_packing(png_);  // a byte for each index
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    formats::LabelImage labels{static_cast<int>(png_get_image_width(png_, info_)),
                               static_cast<int>(png_get_image_height(png_, info_)),
                               {}};
    const auto width = static_cast<std::size_t>(labels.width);
    if (std::uint64_t{width} * static_cast<std::uint64_t>(labels.height) > kMostPixels)
      throw std::runtime_error("png");
    std::vector<png_byte> pixels(width * static_cast<std::size_t>(labels.height));
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t y = 0; y < static_cast<std::size_t>(labels.height); ++y)
        png_read_row(png_, &pixels[y * width], nullptr);
    }
    labels.ids.assign(pixels.begin(), pixels.end());
    return labels;
  }

 private:
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::optional<formats::LabelImage> readIndexedPng(std::string_view fileBytes) {
  using namespace std::string_view_literals;
  const bool isIndexed =
      fileBytes.starts_with("\x89PNG\r\n\x1a\n"sv) && fileBytes.size() > kColourTypeAt &&
      (fileBytes[kColourTypeAt] == PNG_COLOR_TYPE_PALETTE ||
       (fileBytes[kColourTypeAt] == PNG_COLOR_TYPE_GRAY && fileBytes[kDepthAt] < 8));
  if (!isIndexed) return std::nullopt;
  try {
    return PngReader().read(fileBytes);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::optional<formats::LabelImage> readTiff32(const std::filesystem::path& file) {
  static std::once_flag silenced;  // the handlers are the whole library's
  std::call_once(silenced, [] {
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
  });
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(file.c_str(), "r"), TIFFClose);
  if (!tiff) return std::nullopt;
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 0, channels = 1, format = SAMPLEFORMAT_UINT;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &channels);
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_SAMPLEFORMAT, &format);
  const std::uint64_t pixels = std::uint64_t{width} * height;
  if (bits != 32 || channels != 1 || format != SAMPLEFORMAT_UINT || pixels == 0 ||
      pixels > kMostPixels || TIFFIsTiled(tiff.get()) != 0 ||
      TIFFScanlineSize64(tiff.get()) != std::uint64_t{width} * 4)
    return std::nullopt;
  formats::LabelImage labels{static_cast<int>(width), static_cast<int>(height), {}};
  labels.ids.resize(pixels);
  for (std::uint32_t y = 0; y < height; ++y) {
    if (TIFFReadScanline(tiff.get(), &labels.ids[std::size_t{y} * width], y) != 1)
      return std::nullopt;
  }
  return labels;
}

}  // namespace lockstep::worker
