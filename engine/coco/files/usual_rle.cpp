#include "engine/coco/files/usual_rle.h"

#include <charconv>
#include <cstring>

#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

/// Takes parts of a text from its beginning. After a part that is not there nothing is.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool take(std::string_view part) {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (left < part.size() || std::memcmp(at_, part.data(), part.size()) != 0) return false;
    at_ += part.size();
    return true;
  }

  /// Positive and below 10^9.
  bool takeSide(int& side) {
    constexpr std::ptrdiff_t kMaxDigits = 9;
    take("");
    const auto [after, failure] = std::from_chars(at_, end_, side);
    if (failure != std::errc() || after - at_ > kMaxDigits || side <= 0) return false;
    at_ = after;
    return true;
  }

  bool takeSize(Rle& rle) {
    return take("\"size\"") && take(":") && take("[") && takeSide(rle.height) && take(",") &&
           takeSide(rle.width) && take("]");
  }

  /// As written, with escapes. False if a quote is escaped.
  bool takeCounts(std::string_view& counts) {
    if (!take("\"counts\"") || !take(":") || !take("\"")) return false;
    const auto* quote =
        static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (quote == nullptr) return false;
    const char* escapes = quote;
    while (escapes > at_ && escapes[-1] == '\\') --escapes;
    counts = {at_, static_cast<std::size_t>(quote - at_)};
    at_ = quote + 1;
    return (quote - escapes) % 2 == 0;
  }

  bool isAtEnd() const { return at_ == end_; }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace

/// Copies them: the file may be written while it is read. Of their characters only the backslash
/// has to be escaped; empty if another one is.
std::string_view UsualRleReader::unescaped(std::string_view counts) {
  std::size_t escape = counts.find('\\');
  buffer_.clear();
  while (escape != std::string_view::npos) {
    if (escape + 1 == counts.size() || counts[escape + 1] != '\\') return {};
    buffer_.append(counts.substr(0, escape + 1));
    counts.remove_prefix(escape + 2);
    escape = counts.find('\\');
  }
  return buffer_.append(counts);
}

bool UsualRleReader::read(std::string_view text, Rle& rle) {
  Scanner scanner(text);
  std::string_view counts;
  if (!scanner.take("{")) return false;
  Scanner other = scanner;
  if (scanner.takeSize(rle)) {
    if (!scanner.take(",") || !scanner.takeCounts(counts)) return false;
  } else {
    scanner = other;
    if (!scanner.takeCounts(counts) || !scanner.take(",") || !scanner.takeSize(rle)) return false;
  }
  if (!scanner.take("}") || !scanner.isAtEnd()) return false;
  counts = unescaped(counts);
  return !counts.empty() && pixelCount(rle) <= kMaxPixels && readCounts(counts, rle) == nullptr &&
         countsError(rle) == nullptr;
}

}  // namespace lockstep::coco
