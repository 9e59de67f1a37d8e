#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/base/ids.h"

namespace lockstep::data {

/// An image of a data set that is no whole image, or is not the one that its annotations are of.
struct ImageFault {
  ImageId id;
  std::string file;    ///< with its folder
  std::string reason;  ///< `is cut off: the end of the image is missing`
};

/// Thrown by whoever reads the image. what() names the file and says what to do.
class BadImage : public Error {
 public:
  BadImage(const std::string& message, ImageFault fault)
      : Error(message), fault_(std::move(fault)) {}
  const ImageFault& fault() const { return fault_; }

 private:
  ImageFault fault_;
};

/// What a reader says of the file, without its name: `FILE: reason; remedy` gives `reason; remedy`.
std::string withoutFileName(const std::string& message, const std::string& file);

/// From what a reader says of the file: `FILE: reason; remedy`.
BadImage badImage(ImageId id, const std::string& file, const std::string& message);

}  // namespace lockstep::data
