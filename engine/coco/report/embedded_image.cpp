#include "engine/coco/report/embedded_image.h"

#include <algorithm>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/base64.h"
#include "engine/base/error.h"

namespace lockstep::coco::report {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;

/// Whether a file name from the dataset stays inside the images folder.
bool staysInside(const fs::path& name) {
  return name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
}

/// The bytes of a file, or nothing if it cannot be read.
std::optional<std::string> bytesOf(const fs::path& file) {
  try {
    return base::readFile(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

EmbeddedImage ImageEmbedder::embed(const std::string& fileName) {
  EmbeddedImage image;
  const auto without = [&image](const char* reason) {
    image.missingReason = reason;
    return std::move(image);
  };
  if (!staysInside(fileName)) return without("its path leaves the images folder");
  const fs::path file = folder_ / fileName;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return without("no such file");
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return without("cannot be read");
  if (size > kMostBytes) return without("larger than 8 MiB");
  if (size > bytesLeft_) return without("the report already has 32 MiB of images");
  const std::optional<std::string> bytes = bytesOf(file);
  if (!bytes) return without("cannot be read");
  const std::optional<base::ImageHeader> header = base::readImageHeader(*bytes);
  if (!header) return without("not an image format that browsers display");
  bytesLeft_ -= size;
  image.header = *header;
  image.dataUrl = std::string("data:") + header->mime + ";base64," + base::encodeBase64(*bytes);
  return image;
}

}  // namespace lockstep::coco::report
