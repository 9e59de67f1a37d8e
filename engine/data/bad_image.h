#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/base/ids.h"

namespace lockstep::data {

/// An image of a dataset that cannot be decoded or does not have the annotated size.
struct BadImageInfo {
  ImageId id;
  std::string file;    ///< path
  std::string reason;  ///< `is truncated: the end of the image is missing`
};

/// Thrown when such an image is read. what() names the file and how to fix it.
class BadImage : public Error {
 public:
  BadImage(const std::string& message, BadImageInfo info)
      : Error(message), info_(std::move(info)) {}
  const BadImageInfo& info() const { return info_; }

 private:
  BadImageInfo info_;
};

/// A message without its file name: `FILE: reason; remedy` becomes `reason; remedy`.
std::string withoutFileName(const std::string& message, const std::string& file);

/// Makes a BadImage of a decoder's message, `FILE: reason; remedy`.
BadImage badImage(ImageId id, const std::string& file, const std::string& message);

}  // namespace lockstep::data
