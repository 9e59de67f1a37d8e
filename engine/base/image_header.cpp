#include "engine/base/image_header.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace lockstep::base {
namespace {

constexpr std::string_view kExifName("Exif\0\0", 6);

/// Reads big- or little-endian numbers; bytes past the end are 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t at(std::size_t position, std::size_t count, bool isLittle = false) const {
    if (position > bytes_.size() || count > bytes_.size() - position) return 0;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = isLittle ? count - 1 - i : i;
      number = number << 8 | static_cast<unsigned char>(bytes_[position + from]);
    }
    return number;
  }

 private:
  std::string_view bytes_;
};

enum TiffTag : std::uint32_t { kWidth = 0x0100, kHeight = 0x0101, kOrientation = 0x0112 };

/// Of the first directory of a TIFF file, which the payload of Exif is as well; 0: not there.
std::uint32_t tiffValue(std::string_view tiff, TiffTag tag) {
  constexpr std::uint32_t kLong = 4;
  const bool isLittle = tiff.starts_with("II");
  const Bytes bytes(tiff);
  const std::size_t directory = bytes.at(4, 4, isLittle);
  const std::uint32_t entries = bytes.at(directory, 2, isLittle);
  for (std::uint32_t e = 0; e < entries; ++e) {
    const std::size_t entry = directory + 2 + std::size_t{12} * e;
    if (entry + 12 > tiff.size()) break;
    if (bytes.at(entry, 2, isLittle) != tag) continue;
    return bytes.at(entry + 8, bytes.at(entry + 2, 2, isLittle) == kLong ? 4 : 2, isLittle);
  }
  return 0;
}

/// `exif`: with its name before it or without.
void takeOrientation(std::string_view exif, ImageHeader& header) {
  if (exif.starts_with(kExifName)) exif.remove_prefix(kExifName.size());
  const std::uint32_t orientation = tiffValue(exif, kOrientation);
  if (orientation < 1 || orientation > 8) return;
  header.exifOrientation = static_cast<int>(orientation);
  header.exifSwapsSides = orientation >= 5;
}

/// Walks the segments up to the frame header (SOF), which has the size.
void readJpeg(std::string_view file, ImageHeader& header) {
  const Bytes bytes(file);
  for (std::size_t position = 2; position + 4 <= file.size();) {
    if (bytes.at(position, 1) != 0xff) return;
    const std::uint32_t marker = bytes.at(position + 1, 1);
    if (marker == 0xff) {  // fill byte
      ++position;
      continue;
    }
    const std::size_t length = bytes.at(position + 2, 2);
    const bool isSize =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (isSize) {
      header.height = static_cast<int>(bytes.at(position + 5, 2));
      header.width = static_cast<int>(bytes.at(position + 7, 2));
      return;
    }
    const std::string_view content = file.substr(position + 4, length < 2 ? 0 : length - 2);
    if (marker == 0xe1 && content.starts_with(kExifName)) takeOrientation(content, header);
    position += 2 + length;
  }
}

/// Exif mostly stands before the pixels: until they begin, the size as displayed is not known.
void readPng(std::string_view file, ImageHeader& header) {
  const Bytes bytes(file);
  for (std::size_t chunk = 8; chunk + 8 <= file.size();) {
    const std::size_t length = bytes.at(chunk, 4);
    const std::string_view name = file.substr(chunk + 4, 4);
    const bool isExif = name == "eXIf" && length <= file.size() - chunk - 8;
    if (isExif || name == "IDAT") {
      header.width = static_cast<int>(bytes.at(16, 4) & 0x7fffffffU);
      header.height = static_cast<int>(bytes.at(20, 4) & 0x7fffffffU);
    }
    if (isExif) return takeOrientation(file.substr(chunk + 8, length), header);
    chunk += 12 + length;
  }
}

/// What the first chunk of a WebP says of its size: lossy, lossless or extended.
void readWebpSize(std::string_view chunk, ImageHeader& header) {
  const Bytes bytes(chunk);
  if (chunk.starts_with("VP8X")) {
    header.width = static_cast<int>(bytes.at(12, 3, true)) + 1;
    header.height = static_cast<int>(bytes.at(15, 3, true)) + 1;
  } else if (chunk.starts_with("VP8L")) {
    const std::uint32_t bits = bytes.at(9, 4, true);
    header.width = static_cast<int>(bits & 0x3fff) + 1;
    header.height = static_cast<int>(bits >> 14 & 0x3fff) + 1;
  } else {
    header.width = static_cast<int>(bytes.at(14, 2, true) & 0x3fff);
    header.height = static_cast<int>(bytes.at(16, 2, true) & 0x3fff);
  }
}

/// Exif stands behind the pixels: until that is there, the size as displayed is not known.
void readWebp(std::string_view file, ImageHeader& header) {
  constexpr std::uint32_t kHasExif = 8;
  const Bytes bytes(file);
  const std::string_view first = file.substr(std::min<std::size_t>(12, file.size()));
  if (first.size() < 18) return;
  const bool hasExif = first.starts_with("VP8X") && (bytes.at(20, 1) & kHasExif) != 0;
  if (!hasExif) return readWebpSize(first, header);
  for (std::size_t chunk = 12; chunk + 8 <= file.size();) {
    const std::size_t length = bytes.at(chunk + 4, 4, true);
    if (file.substr(chunk, 4) == "EXIF" && length <= file.size() - chunk - 8) {
      readWebpSize(first, header);
      return takeOrientation(file.substr(chunk + 8, length), header);
    }
    chunk += 8 + length + length % 2;
  }
}

void readBmp(std::string_view file, ImageHeader& header) {
  constexpr std::uint32_t kOldHeaderBytes = 12;
  const Bytes bytes(file);
  if (bytes.at(14, 4, true) == kOldHeaderBytes) {
    header.width = static_cast<int>(bytes.at(18, 2, true));
    header.height = static_cast<int>(bytes.at(20, 2, true));
    return;
  }
  const auto height = static_cast<std::int32_t>(bytes.at(22, 4, true));  // negative: from the top
  header.width = static_cast<int>(bytes.at(18, 4, true) & 0x7fffffffU);
  header.height = static_cast<int>(std::abs(std::int64_t{height}) & 0x7fffffff);
}

bool isTiff(std::string_view file) {
  using namespace std::string_view_literals;
  return file.starts_with("II*\0"sv) || file.starts_with("MM\0*"sv);
}

}  // namespace

std::int64_t pixelsOf(std::string_view fileBytes) {
  if (isTiff(fileBytes)) {
    constexpr std::int64_t kMostPx = 0x7fffffff;
    return std::min<std::int64_t>(tiffValue(fileBytes, kWidth), kMostPx) *
           std::min<std::int64_t>(tiffValue(fileBytes, kHeight), kMostPx);
  }
  const auto header = readImageHeader(fileBytes);
  return header ? std::int64_t{header->width} * header->height : 0;
}

std::optional<ImageHeader> readImageHeader(std::string_view fileBytes) {
  using namespace std::string_view_literals;
  const auto is = [&](std::string_view magic, std::size_t position = 0) {
    return fileBytes.size() >= position && fileBytes.substr(position).starts_with(magic);
  };
  ImageHeader header;
  if (is("\x89PNG\r\n\x1a\n")) {
    header.mime = "image/png";
    readPng(fileBytes, header);
  } else if (is("\xff\xd8\xff")) {
    header.mime = "image/jpeg";
    readJpeg(fileBytes, header);
  } else if (is("GIF87a") || is("GIF89a")) {
    header.mime = "image/gif";
  } else if (is("RIFF") && is("WEBP", 8)) {
    header.mime = "image/webp";
    readWebp(fileBytes, header);
  } else if (is("BM")) {
    header.mime = "image/bmp";
    readBmp(fileBytes, header);
  } else if (is("ftypavif"sv, 4)) {
    header.mime = "image/avif";
  } else {
    return std::nullopt;
  }
  return header;
}

}  // namespace lockstep::base
