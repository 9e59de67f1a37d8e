#include "engine/data/image_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "engine/data/jpeg_outline.h"

namespace lockstep::data {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kKnownStarts{"\xff\xd8\xff"sv, "\x89PNG"sv, "BM"sv, "II*\0"sv, "MM\0*"sv};

/// Brands of files whose first box is `ftyp`.
constexpr std::array kBrands{std::pair{"avif"sv, "is an AVIF"}, std::pair{"avis"sv, "is an AVIF"},
                             std::pair{"heic"sv, "is a HEIC"}, std::pair{"heix"sv, "is a HEIC"},
                             std::pair{"mif1"sv, "is a HEIF"}};

bool isAnimatedWebP(std::string_view bytes) {
  constexpr std::size_t kFlags = 20;
  constexpr unsigned kAnimation = 0x02;
  return bytes.substr(12, 4) == "VP8X"sv && bytes.size() > kFlags &&
         (static_cast<unsigned char>(bytes[kFlags]) & kAnimation) != 0;
}

constexpr std::string_view kJpegEnd = "\xff\xd9";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kPngEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);
/// Length, type and CRC around a chunk's data.
constexpr std::size_t kChunkFrame = 12;

/// Enough bytes for a decoder that needs more data to consume some of them.
constexpr std::size_t kFillBytes = 256;
/// Filler patterns: every bit that a decoder may read from them differs between two patterns.
constexpr std::array<char, 3> kFills{'\x00', '\x55', '\xaa'};

ImageEnd endOfJpeg(std::string_view bytes, const JpegOutline& outline) {
  if (outline.reachesEnd) return {};
  ImageEnd end{false, {}};
  if (!outline.hasEveryScan) return end;
  std::string data(bytes.substr(0, outline.dataEnd));
  if (data.ends_with('\xff')) data.pop_back();  // first half of the end marker
  for (const char fill : kFills)
    end.completed.push_back(data + std::string(kFillBytes, fill) + std::string(kJpegEnd));
  end.completed.insert(end.completed.begin(), data + std::string(kJpegEnd));
  return end;
}

std::uint32_t lengthAt(std::string_view bytes, std::size_t position) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i)
    length = length << 8 | static_cast<unsigned char>(bytes[position + i]);
  return length;
}

/// Whether the rest contains no image data: the beginning of the IEND chunk, or padding.
bool isNothingButTheEnd(std::string_view rest) {
  return kPngEnd.starts_with(rest) || rest.find_first_not_of('\0') == std::string_view::npos;
}

ImageEnd endOfPng(std::string_view bytes) {
  std::size_t position = kPngStart.size();
  while (!isNothingButTheEnd(bytes.substr(position)) && position + kChunkFrame <= bytes.size()) {
    if (bytes.substr(position + 4, 4) == "IEND") return {};
    const std::uint32_t length = lengthAt(bytes, position);
    if (length > bytes.size() - position - kChunkFrame) break;
    position += length + kChunkFrame;
  }
  const std::string_view rest = bytes.substr(position);
  if (rest == kPngEnd) return {};
  if (!isNothingButTheEnd(rest)) return {false, {}};
  return {false, {std::string(bytes.substr(0, position)) + std::string(kPngEnd)}};
}

}  // namespace

ImageFormat formatOf(std::string_view fileBytes) {
  if (fileBytes.starts_with("GIF8"sv)) return {false, "is a GIF"};
  if (fileBytes.size() >= 12 && fileBytes.substr(4, 4) == "ftyp"sv) {
    for (const auto& [brand, name] : kBrands)
      if (fileBytes.substr(8, 4) == brand) return {false, name};
  }
  if (fileBytes.size() >= 12 && fileBytes.starts_with("RIFF"sv) &&
      fileBytes.substr(8, 4) == "WEBP"sv) {
    if (isAnimatedWebP(fileBytes)) return {false, "contains several frames (animated)"};
    return {true, {}};
  }
  return {std::ranges::any_of(kKnownStarts,
                              [&](std::string_view start) { return fileBytes.starts_with(start); }),
          {}};
}

ImageEnd endOf(std::string_view fileBytes) {
  if (const auto outline = outlineOfJpeg(fileBytes)) return endOfJpeg(fileBytes, *outline);
  if (fileBytes.starts_with(kPngStart)) return endOfPng(fileBytes);
  return {};
}

}  // namespace lockstep::data
