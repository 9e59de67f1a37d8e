#pragma once

#include <string>

namespace lockstep::tests {

/// A JPEG's segments up to its size, 640 x 480 px; orientation 0: no Exif.
inline std::string madeJpeg(char orientation, bool isLittle) {
  using namespace std::string_literals;
  std::string file = "\xff\xd8"s;
  if (orientation > 0) {
    const std::string tiff = isLittle
                                 ? "II*\0\x08\0\0\0\x02\0"s + "\x0f\x01\x02\0\x01\0\0\0\0\0\0\0"s +
                                       "\x12\x01\x03\0\x01\0\0\0"s + orientation + "\0\0\0"s
                                 : "MM\0*\0\0\0\x08\0\x02"s + "\x01\x0f\0\x02\0\0\0\x01\0\0\0\0"s +
                                       "\x01\x12\0\x03\0\0\0\x01\0"s + orientation + "\0\0"s;
    file += "\xff\xe1\0"s + static_cast<char>(tiff.size() + 8) + "Exif\0\0"s + tiff;
  }
  return file + "\xff\xdb\0\x04xx"s + "\xff\xff\xc2\0\x0b\x08\x01\xe0\x02\x80\x03"s;
}

}  // namespace lockstep::tests
