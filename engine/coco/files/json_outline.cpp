// Splits a JSON text at the commas of its outermost arrays. It only counts brackets and skips
// strings; the reader of a piece validates it.
#include <array>
#include <cstring>
#include <utility>

#include "engine/coco/files/json_file.h"

namespace lockstep::coco {
namespace {

/// Large enough to amortise the cost per piece, small enough for the piece and its index to stay in
/// the cache.
constexpr std::size_t kPieceBytes = 128 << 10;

enum class Mark : std::uint8_t { None, Quote, Open, Close, Comma, Nan };

constexpr std::array<Mark, 256> kMarks = [] {
  std::array<Mark, 256> marks{};
  marks['"'] = Mark::Quote;
  marks['['] = marks['{'] = Mark::Open;
  marks[']'] = marks['}'] = Mark::Close;
  marks[','] = Mark::Comma;
  marks['N'] = marks['I'] = Mark::Nan;  // the first letters of no other value
  return marks;
}();

const char* kindOfValue(char first) {
  switch (first) {
    case '[':
      return "an array";
    case '{':
      return "an object";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "a boolean";
    case 'n':
      return "null";
    default:
      return "a number";
  }
}

class OutlineReader {
 public:
  explicit OutlineReader(const JsonFile& file)
      : file_(file), at_(file.content().data()), end_(at_ + file.content().size()) {}

  JsonOutline read() {
    JsonOutline outline;
    outline.kind = kindOfValue(peek());
    if (peek() == '[') {
      outline.elements = takeArray();
    } else if (peek() == '{') {
      takeMembers(outline);
    } else {
      takeRest(outline, [&] { at_ = end_; });
      return outline;
    }
    skipBlanks();
    if (at_ != end_) fail();
    return outline;
  }

 private:
  [[noreturn]] void fail(simdjson::error_code code = simdjson::TAPE_ERROR) {
    file_.throwBroken(code);
  }

  void skipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  /// The next character that is not whitespace.
  char peek() {
    skipBlanks();
    if (at_ == end_) fail();
    return *at_;
  }

  void expect(char character) {
    if (peek() != character) fail();
    ++at_;
  }

  void skipString() {
    for (++at_;;) {
      const auto* quote =
          static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (quote == nullptr) fail();
      const char* escapes = quote;
      while (escapes > at_ && escapes[-1] == '\\') --escapes;
      at_ = quote + 1;
      if ((quote - escapes) % 2 == 0) return;
    }
  }

  /// Advances to the comma or bracket that ends the current value.
  void skipValue() {
    for (std::size_t depth = 0; at_ != end_; ++at_) {
      switch (kMarks[static_cast<unsigned char>(*at_)]) {
        case Mark::None:
          break;
        case Mark::Nan:
          mayHaveNan_ = true;
          break;
        case Mark::Quote:
          skipString();
          --at_;
          break;
        case Mark::Open:
          if (++depth >= kMaxJsonDepth) fail(simdjson::DEPTH_ERROR);
          break;
        case Mark::Close:
          if (depth-- == 0) return;
          break;
        case Mark::Comma:
          if (depth == 0) return;
          break;
      }
    }
    fail();
  }

  JsonTable takeArray() {
    JsonTable table;
    ++at_;
    if (peek() == ']') {
      ++at_;
      return table;
    }
    JsonPiece piece;
    for (const char* begin = at_;;) {
      skipValue();
      ++piece.count;
      const bool isLast = *at_ != ',';
      const auto bytes = static_cast<std::size_t>(at_ - begin);
      if (isLast || bytes >= kPieceBytes) {
        piece.text = {begin, bytes};
        piece.mayHaveNan = std::exchange(mayHaveNan_, false);
        table.pieces.push_back(piece);
        table.count += piece.count;
        file_.used(bytes);
        piece = {.text = {}, .first = table.count};
        begin = at_ + 1;
      }
      ++at_;
      if (!isLast) continue;
      if (at_[-1] != ']') fail();
      return table;
    }
  }

  void takeMembers(JsonOutline& outline) {
    ++at_;
    if (peek() == '}') {
      ++at_;
      return;
    }
    for (bool isLast = false; !isLast;) {
      if (peek() != '"') fail();
      const char* const key = at_ + 1;
      takeRest(outline, [&] { skipString(); });
      JsonOutline::Member member{{key, static_cast<std::size_t>(at_ - 1 - key)}, "", {}};
      expect(':');
      member.kind = kindOfValue(peek());
      if (*at_ == '[') {
        member.table = takeArray();
      } else {
        takeRest(outline, [&] { skipValue(); });
      }
      outline.members.push_back(std::move(member));
      isLast = peek() != ',';
      if (isLast && *at_ != '}') fail();
      ++at_;
    }
  }

  template <typename Skip>
  void takeRest(JsonOutline& outline, Skip skip) {
    const char* const begin = at_;
    skip();
    outline.rest.pieces.push_back({{begin, static_cast<std::size_t>(at_ - begin)},
                                   outline.rest.count++,
                                   1,
                                   std::exchange(mayHaveNan_, false)});
  }

  const JsonFile& file_;
  const char* at_;
  const char* end_;
  bool mayHaveNan_ = false;  ///< of the piece
};

}  // namespace

JsonOutline JsonFile::outline() const { return OutlineReader(*this).read(); }

}  // namespace lockstep::coco
