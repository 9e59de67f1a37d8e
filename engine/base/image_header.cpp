#include "engine/base/image_header.h"

#include <cstdint>

namespace lockstep::base {
namespace {

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

/// `tiff`: the payload of an Exif segment after its name.
int orientationIn(std::string_view tiff) {
  constexpr std::uint32_t kOrientation = 0x0112;
  const bool isLittle = tiff.starts_with("II");
  const Bytes bytes(tiff);
  const std::size_t directory = bytes.at(4, 4, isLittle);
  const std::uint32_t entries = bytes.at(directory, 2, isLittle);
  for (std::uint32_t e = 0; e < entries; ++e) {
    const std::size_t entry = directory + 2 + std::size_t{12} * e;
    if (entry + 12 > tiff.size()) break;
    if (bytes.at(entry, 2, isLittle) != kOrientation) continue;
    const std::uint32_t orientation = bytes.at(entry + 8, 2, isLittle);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

/// Walks the segments up to the frame header (SOF), which has the size.
void readJpeg(std::string_view file, ImageHeader& header) {
  constexpr std::string_view kExif("Exif\0\0", 6);
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
    if (marker == 0xe1 && content.starts_with(kExif)) {
      header.exifOrientation = orientationIn(content.substr(kExif.size()));
      header.exifSwapsSides = header.exifOrientation >= 5;
    }
    position += 2 + length;
  }
}

}  // namespace

std::optional<ImageHeader> readImageHeader(std::string_view fileBytes) {
  using namespace std::string_view_literals;
  const auto is = [&](std::string_view magic, std::size_t position = 0) {
    return fileBytes.size() >= position && fileBytes.substr(position).starts_with(magic);
  };
  ImageHeader header;
  if (is("\x89PNG\r\n\x1a\n")) {
    header.mime = "image/png";
    const std::uint32_t width = Bytes(fileBytes).at(16, 4), height = Bytes(fileBytes).at(20, 4);
    header.width = static_cast<int>(width & 0x7fffffffU);
    header.height = static_cast<int>(height & 0x7fffffffU);
  } else if (is("\xff\xd8\xff")) {
    header.mime = "image/jpeg";
    readJpeg(fileBytes, header);
  } else if (is("GIF87a") || is("GIF89a")) {
    header.mime = "image/gif";
  } else if (is("RIFF") && is("WEBP", 8)) {
    header.mime = "image/webp";
  } else if (is("BM")) {
    header.mime = "image/bmp";
  } else if (is("ftypavif"sv, 4)) {
    header.mime = "image/avif";
  } else {
    return std::nullopt;
  }
  return header;
}

}  // namespace lockstep::base
