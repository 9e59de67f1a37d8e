#include "engine/serve/multipart.h"

#include <algorithm>
#include <optional>

#include "engine/base/utf8.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

constexpr std::size_t kMostHeadBytes = 8192;

[[noreturn]] void refuse(const char* why) {
  throw HttpError{400, std::string("the multipart body ") + why};
}

/// The value of a header of a part; empty: there is none.
std::string_view headerOf(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && base::lowerCase(line.substr(0, colon)) == name)
      return withoutSpace(line.substr(colon + 1));
  }
  return {};
}

MultipartPart partOf(std::string_view text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos || end > kMostHeadBytes) refuse("has a part without headers");
  const std::string_view head = text.substr(0, end);
  const std::string_view disposition = headerOf(head, "content-disposition");
  MultipartPart part{.name = headerParameter(disposition, "name").value_or(""),
                     .content = text.substr(end + 4)};
  const auto fileName = headerParameter(disposition, "filename");
  const bool isLeftEmpty = fileName && fileName->empty() && part.content.empty();
  const bool isImage = base::lowerCase(headerOf(head, "content-type")).starts_with("image/");
  part.isFile = !isLeftEmpty && (fileName || isImage);
  return part;
}

/// A line that separates parts, with the line end before it, which is its own.
struct Delimiter {
  std::size_t begin = 0, end = 0;
  bool isLast = false;
};

/// `dashes`: the boundary behind `--`. More letters behind it are content of a part.
std::optional<Delimiter> nextDelimiter(std::string_view body, std::string_view dashes,
                                       std::size_t from) {
  for (std::size_t at = body.find(dashes, from); at != std::string_view::npos;
       at = body.find(dashes, at + 1)) {
    if (at > 0 && (at < 2 || body.substr(at - 2, 2) != "\r\n")) continue;
    const std::size_t begin = at == 0 ? 0 : at - 2, behind = at + dashes.size();
    const std::string_view rest = body.substr(behind);
    if (rest.starts_with("--")) return Delimiter{begin, behind + 2, true};
    const std::size_t space = std::min(rest.find_first_not_of(" \t"), rest.size());
    if (rest.substr(space).starts_with("\r\n")) return Delimiter{begin, behind + space + 2, false};
  }
  return std::nullopt;
}

}  // namespace

std::vector<MultipartPart> multipartParts(std::string_view body, std::string_view boundary,
                                          std::size_t most) {
  if (boundary.empty() || boundary.size() > 70) refuse("has no boundary in its Content-Type");
  const std::string dashes = "--" + std::string(boundary);
  auto here = nextDelimiter(body, dashes, 0);
  if (!here) refuse("does not begin with its boundary");
  std::vector<MultipartPart> parts;
  while (!here->isLast) {
    const auto next = nextDelimiter(body, dashes, here->end);
    if (!next) refuse("does not end with its boundary");
    if (parts.size() == most) refuse("has too many parts");
    const std::size_t bytes = next->begin > here->end ? next->begin - here->end : 0;
    parts.push_back(partOf(body.substr(here->end, bytes)));
    here = next;
  }
  return parts;
}

}  // namespace lockstep::serve
