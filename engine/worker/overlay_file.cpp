#include "engine/worker/overlay_file.h"

#include <fstream>
#include <string_view>

#include "engine/base/atomic_file.h"

namespace lockstep::worker {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// A tEXt chunk with its length and CRC (PNG specification, section 11.3.3).
constexpr std::string_view kMarker = "\0\0\0\x11tEXtSoftware\0lockstep\xd0\x7d\x4f\x27"sv;
/// Offset after the signature and the IHDR chunk, which come first and have a fixed size.
constexpr std::size_t kMarkerOffset = 8 + 25;

}  // namespace

void writeOverlay(const data::RgbImage& image, const fs::path& file) {
  std::string bytes = data::encodeImage(image, file);
  bytes.insert(kMarkerOffset, kMarker);
  base::writeFileAtomically(file, bytes);
}

bool isOverlay(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  std::string beginning(kMarkerOffset + kMarker.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return stream && beginning.ends_with(kMarker);
}

}  // namespace lockstep::worker
