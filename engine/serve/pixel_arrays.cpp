#include "engine/serve/pixel_arrays.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

[[noreturn]] void refuseNpy(const char* why) {
  throw HttpError{400, std::string("application/x-npy: ") + why};
}

void addLittleEndian(std::string& bytes, std::size_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

/// `channels`: 3 for RGB, 1 for grey. Rows go from the bottom up, in BGR, each as whole words.
std::string bmpOf(std::string_view pixels, std::size_t width, std::size_t height,
                  std::size_t channels) {
  constexpr std::size_t kFileHeader = 14, kImageHeader = 40;
  const std::size_t rowBytes = (3 * width + 3) / 4 * 4, bytes = rowBytes * height;
  std::string file = "BM";
  file.reserve(kFileHeader + kImageHeader + bytes);
  addLittleEndian(file, kFileHeader + kImageHeader + bytes, 4);
  addLittleEndian(file, 0, 4);
  addLittleEndian(file, kFileHeader + kImageHeader, 4);
  addLittleEndian(file, kImageHeader, 4);
  addLittleEndian(file, width, 4);
  addLittleEndian(file, height, 4);
  addLittleEndian(file, 1, 2);   // planes
  addLittleEndian(file, 24, 2);  // bits of a pixel
  addLittleEndian(file, 0, 4);   // not compressed
  addLittleEndian(file, bytes, 4);
  for (int i = 0; i < 4; ++i) addLittleEndian(file, 0, 4);  // resolution, palette
  for (std::size_t y = height; y-- > 0;) {
    const std::string_view row = pixels.substr(y * width * channels, width * channels);
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t channel = 3; channel-- > 0;)
        file += row[x * channels + std::min(channel, channels - 1)];
    file.append(rowBytes - 3 * width, '\0');
  }
  return file;
}

/// A NumPy file's header, the text of a Python dictionary, and its data.
struct Npy {
  std::string_view header, data;

  explicit Npy(std::string_view file) {
    constexpr std::size_t kVersion = kNpyMagic.size(), kLength = kVersion + 2;
    if (!file.starts_with(kNpyMagic) || file.size() < kLength + 4) refuseNpy("is not a NumPy file");
    const std::size_t digits = file[kVersion] == 1 ? 2 : 4;
    std::size_t length = 0;
    for (std::size_t i = digits; i-- > 0;)
      length = length << 8 | static_cast<unsigned char>(file[kLength + i]);
    if (length > file.size() - kLength - digits) refuseNpy("the file is truncated");
    header = file.substr(kLength + digits, length);
    data = file.substr(kLength + digits + length);
  }
  std::string_view valueOf(std::string_view key) const {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) refuseNpy("the header of the file has no shape and dtype");
    return withoutSpace(header.substr(at + key.size()));
  }
};

/// `(192, 256, 3)`
std::vector<std::size_t> sidesIn(std::string_view tuple) {
  std::vector<std::size_t> sides;
  for (std::size_t at = 0; at < tuple.size() && tuple[at] != ')';) {
    std::size_t side = 0;
    const char* const begin = tuple.data() + at;
    const auto [end, error] = std::from_chars(begin, tuple.data() + tuple.size(), side);
    if (error == std::errc()) sides.push_back(side);
    at += std::max<std::size_t>(static_cast<std::size_t>(end - begin), 1);
  }
  return sides;
}

}  // namespace

void eachImageOfNpy(std::string_view file, const std::function<void(std::string)>& add) {
  const Npy npy(file);
  if (!npy.valueOf("'descr':").starts_with("'|u1'"))
    refuseNpy("the array must be uint8: send array.astype(numpy.uint8)");
  if (!npy.valueOf("'fortran_order':").starts_with("False"))
    refuseNpy("the array must be in C order: send numpy.ascontiguousarray(array)");
  std::vector<std::size_t> sides = sidesIn(npy.valueOf("'shape':"));
  if (sides.size() == 2) sides.push_back(1);
  if (sides.size() == 3) sides.insert(sides.begin(), 1);
  if (sides.size() != 4 || (sides[3] != 1 && sides[3] != 3))
    refuseNpy("the shape must be [height, width], [height, width, 3] or several of these");
  if (std::ranges::find(sides, 0U) != sides.end()) refuseNpy("the array is empty");
  std::size_t bytes = 1;
  for (const std::size_t side : sides) {
    bytes = side > npy.data.size() / bytes ? npy.data.size() + 1 : bytes * side;
    if (bytes > npy.data.size()) break;
  }
  if (bytes != npy.data.size()) refuseNpy("the file size does not match its shape");
  const std::size_t imageBytes = bytes / sides[0];
  for (std::size_t i = 0; i < sides[0]; ++i)
    add(bmpOf(npy.data.substr(i * imageBytes, imageBytes), sides[2], sides[1], sides[3]));
}

std::string imageOfPixels(const nlohmann::json& rows) {
  const auto require = [](bool isRight) {
    if (!isRight)
      throw HttpError{400,
                      "an image of pixels must be rows of [red, green, blue] from 0 to 255, all "
                      "of one length"};
  };
  require(rows.is_array() && !rows.empty() && rows[0].is_array() && !rows[0].empty());
  std::string pixels;
  for (const nlohmann::json& row : rows) {
    require(row.is_array() && row.size() == rows[0].size());
    for (const nlohmann::json& pixel : row) {
      require(pixel.is_array() && pixel.size() == 3);
      for (const nlohmann::json& value : pixel) {
        require(value.is_number_unsigned() && value.get<std::uint64_t>() <= 255);
        pixels += static_cast<char>(value.get<std::uint64_t>());
      }
    }
  }
  return bmpOf(pixels, rows[0].size(), rows.size(), 3);
}

}  // namespace lockstep::serve
