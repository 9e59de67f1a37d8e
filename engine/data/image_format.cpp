#include "engine/data/image_format.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::data {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKnownStarts{"\xff\xd8\xff"sv, "\x89PNG"sv, "BM"sv, "II*\0"sv, "MM\0*"sv};

/// Of the files whose first box is `ftyp`.
constexpr std::array kBrands{std::pair{"avif"sv, "is an AVIF"}, std::pair{"avis"sv, "is an AVIF"},
                             std::pair{"heic"sv, "is a HEIC"}, std::pair{"heix"sv, "is a HEIC"},
                             std::pair{"mif1"sv, "is a HEIF"}};

bool isAnimatedWebP(std::string_view bytes) {
  constexpr std::size_t kFlags = 20;
  constexpr unsigned kAnimation = 0x02;
  return bytes.substr(12, 4) == "VP8X"sv && bytes.size() > kFlags &&
         (static_cast<unsigned char>(bytes[kFlags]) & kAnimation) != 0;
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
    if (isAnimatedWebP(fileBytes)) return {false, "holds several frames (animated)"};
    return {true, {}};
  }
  return {std::ranges::any_of(kKnownStarts,
                              [&](std::string_view start) { return fileBytes.starts_with(start); }),
          {}};
}

}  // namespace lockstep::data
