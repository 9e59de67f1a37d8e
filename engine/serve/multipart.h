#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::serve {

struct MultipartPart {
  std::string name;
  /// It has a file name, or the type of an image. False for a field whose file was not chosen.
  bool isFile = false;
  std::string_view content;
};

/// The parts of a multipart body (RFC 2046), which refer to it. Throws HttpError (400) for a body
/// that is not as its boundary says, or has more than `most` parts.
std::vector<MultipartPart> multipartParts(std::string_view body, std::string_view boundary,
                                          std::size_t most);

}  // namespace lockstep::serve
