#include "engine/base/text_encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace lockstep::base {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

struct Start {
  std::string_view bytes;  ///< x: any ASCII character but NUL
  const char* encoding;
};
/// Longer ones first: they begin with shorter ones.
constexpr std::array<Start, 8> kStarts{{{"\xff\xfe\0\0"sv, "UTF-32LE"},
                                        {"\0\0\xfe\xff"sv, "UTF-32BE"},
                                        {"\xff\xfe"sv, "UTF-16LE"},
                                        {"\xfe\xff"sv, "UTF-16BE"},
                                        {"x\0\0\0"sv, "UTF-32LE"},
                                        {"\0\0\0x"sv, "UTF-32BE"},
                                        {"x\0"sv, "UTF-16LE"},
                                        {"\0x"sv, "UTF-16BE"}}};

bool startsWith(std::string_view text, const Start& start) {
  return text.size() >= start.bytes.size() &&
         std::equal(start.bytes.begin(), start.bytes.end(), text.begin(),
                    [](char expected, char byte) {
                      return expected == 'x' ? byte > 0 : expected == byte;
                    });
}

/// An open conversion of the C library.
class Converter {
 public:
  explicit Converter(const std::string& encoding)
      : descriptor_(::iconv_open("UTF-8", encoding.c_str())) {
    if (descriptor_ == reinterpret_cast<iconv_t>(-1))
      throw Error("its encoding, " + encoding + ", is not known here; save it as UTF-8");
  }
  ~Converter() { ::iconv_close(descriptor_); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  /// Takes what it can from the text. errno as of iconv(); 0: all was taken.
  int convert(std::string_view& text, std::string& converted) {
    std::array<char, 4096> buffer{};
    char* in = const_cast<char*>(text.data());  // iconv() does not change it
    std::size_t inLeft = text.size();
    char* out = buffer.data();
    std::size_t outLeft = buffer.size();
    const bool isDone = ::iconv(descriptor_, &in, &inLeft, &out, &outLeft) != std::size_t(-1);
    const int reason = isDone ? 0 : errno;
    converted.append(buffer.data(), buffer.size() - outLeft);
    text.remove_prefix(text.size() - inLeft);
    return reason;
  }

 private:
  iconv_t descriptor_;
};

}  // namespace

std::string wideEncodingOf(std::string_view text) {
  const auto found =
      std::ranges::find_if(kStarts, [&](const Start& start) { return startsWith(text, start); });
  return found == kStarts.end() ? "" : found->encoding;
}

std::string toUtf8(std::string_view text, const std::string& encoding) {
  Converter converter(encoding);
  std::string converted;
  for (std::string_view left = text;;) {
    const int reason = converter.convert(left, converted);
    if (reason == 0) break;
    if (reason == E2BIG) continue;
    throw Error("byte " + std::to_string(text.size() - left.size() + 1) + " is not " + encoding +
                "; save it as UTF-8");
  }
  if (converted.starts_with(kUtf8Mark)) converted.erase(0, kUtf8Mark.size());
  return converted;
}

std::string utf8Problem(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8CharacterLength(text, at);
    if (length > 0) {
      at += length;
      continue;
    }
    return "line " + std::to_string(1 + std::ranges::count(text.substr(0, at), '\n')) + ": byte " +
           std::to_string(at + 1) + " is not UTF-8";
  }
  return {};
}

std::string readUnicode(const std::filesystem::path& file) {
  std::string text = readFile(file);
  if (const std::string wide = wideEncodingOf(text); !wide.empty()) {
    try {
      return toUtf8(text, wide);
    } catch (const Error& error) {
      throw Error(file.string() + ": " + error.what());
    }
  }
  if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
  return text;
}

std::string readUtf8(const std::filesystem::path& file) {
  std::string text = readUnicode(file);
  if (const std::string problem = utf8Problem(text); !problem.empty())
    throw Error(file.string() + ": " + problem + "; save the file as UTF-8");
  return text;
}

}  // namespace lockstep::base
