// Implements image_file.h for the GPU checks, on machines without OpenCV: reads and writes PPM
// only, whatever the file name extension.
#include <cstdio>
#include <cstring>

#include "engine/base/atomic_file.h"
#include "engine/data/image_file.h"

namespace lockstep::data {

RgbImage readImage(const std::filesystem::path& file) {
  const std::string bytes = base::readFile(file);
  int width = 0, height = 0, begin = 0;
  const int read = std::sscanf(bytes.c_str(), "P6 %d %d 255%*1[\n]%n", &width, &height, &begin);
  if (read != 2 || begin == 0 || width < 1 || height < 1)
    throw UnreadableImage(file.string() + ": is not a PPM");
  RgbImage image(width, height);
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  if (bytes.size() != static_cast<std::size_t>(begin) + count)
    throw UnreadableImage(file.string() + ": is truncated");
  std::memcpy(image.pixels.get(), bytes.data() + begin, count);
  return image;
}

RgbImage readAnnotatedImage(const std::filesystem::path& file, base::ImageSize annotated) {
  RgbImage image = readImage(file);
  if (image.width != annotated.width || image.height != annotated.height)
    throw UnreadableImage(file.string() + ": does not have the size in the annotations");
  return image;
}

std::string missingEndMarkerText(const std::filesystem::path& file) {
  return file.string() + ": the end marker is missing";
}

std::string darkImageWarning(const RgbImage&, const std::filesystem::path&) { return {}; }

std::string encodeImage(const RgbImage& image, const std::filesystem::path&) {
  const std::size_t count =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3;
  return "P6 " + std::to_string(image.width) + " " + std::to_string(image.height) + " 255\n" +
         std::string(reinterpret_cast<const char*>(image.pixels.get()), count);
}

void writeImage(const RgbImage& image, const std::filesystem::path& file) {
  base::writeFileAtomically(file, encodeImage(image, file));
}

}  // namespace lockstep::data
