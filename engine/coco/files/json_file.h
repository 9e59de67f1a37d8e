#pragma once

#include <simdjson.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// COCO's JSON files, which may have hundreds of megabytes. Used by this folder alone.
namespace lockstep::coco {

/// Some elements of an array that stand side by side in the text.
struct JsonPiece {
  std::string_view text;  ///< without the array's brackets
  std::size_t first = 0;  ///< place of the first of them in the array
  std::size_t count = 0;
};

struct JsonTable {
  std::vector<JsonPiece> pieces;
  std::size_t count = 0;
};

/// What a file holds. Only its outline has been looked at: what the pieces hold may still be broken
/// JSON.
struct JsonOutline {
  struct Member {
    std::string_view key;
    const char* kind;  ///< "an array", "an object" …
    JsonTable table;   ///< of an array
  };

  const char* kind = "";        ///< of the root
  JsonTable elements;           ///< of an array
  std::vector<Member> members;  ///< of an object
  JsonTable rest;               ///< keys and values that are no tables, each a piece
};

/// A JSON text in memory. The index that simdjson makes of a text is often larger than the text, so
/// the text is cut into pieces that are read on demand, and a piece is all that is ever indexed.
class JsonFile {
 public:
  /// Throws Error; mendable where there is no such file. `what` names the kind of file: "annotation
  /// file".
  static JsonFile load(const std::filesystem::path& file, const char* what);
  /// `name` stands for the file in messages.
  JsonFile(std::string text, std::string name);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// 1-based; `at` points into text().
  std::size_t byteOf(const char* at) const {
    return static_cast<std::size_t>(at - text_.data()) + 1;
  }

  /// Throws Error where even the outline is broken.
  JsonOutline outline() const;
  /// Throws Error with line, column and byte of what is broken; `code` where nothing is found.
  [[noreturn]] void throwBroken(simdjson::error_code code) const;

 private:
  std::string text_;
  std::string name_;
};

/// Arrays and objects within one another that are read.
inline constexpr std::size_t kMaxJsonDepth = simdjson::DEFAULT_MAX_DEPTH;

}  // namespace lockstep::coco
