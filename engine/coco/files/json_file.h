#pragma once

#include <simdjson.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file_text.h"

/// Reading of COCO's JSON files, which may have hundreds of megabytes. Used only in this folder.
namespace lockstep::coco {

/// Some consecutive elements of an array.
struct JsonPiece {
  std::string_view text;  ///< without the array's brackets
  std::size_t first = 0;  ///< index of the first element in the array
  std::size_t count = 0;
  bool mayHaveNan = false;
};

struct JsonTable {
  std::vector<JsonPiece> pieces;
  std::size_t count = 0;
};

/// The structure of a file. Only the outermost level is parsed: the pieces may still be invalid
/// JSON.
struct JsonOutline {
  struct Member {
    std::string_view key;
    const char* kind;  ///< "an array", "an object" …
    JsonTable table;   ///< if it is an array
  };

  const char* kind = "";        ///< of the root
  JsonTable elements;           ///< if the root is an array
  std::vector<Member> members;  ///< if the root is an object
  JsonTable rest;               ///< keys and values that are not arrays, each a piece
};

/// A JSON text. Few parts of a large file are in memory at a time (FileText::map). simdjson's index
/// of a text is often larger than the text, so the text is split into pieces that are parsed on
/// demand, and only one piece per thread is indexed at a time.
class JsonFile {
 public:
  /// Throws Error, or UserError when there is no such file. `what`: the kind of file for messages,
  /// "annotation file".
  static JsonFile load(const std::filesystem::path& file, const char* what);
  /// `name`: the file name for messages.
  JsonFile(base::FileText content, std::string name);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_.view(); }
  /// The text after a byte order mark, if it has one.
  std::string_view content() const;
  /// To be called for parts of the text that are not needed soon.
  void used(std::size_t bytes) const {
    text_.used(bytes);
    if (onUsed_) onUsed_(bytes);
  }
  /// Called by all reading threads for what they use; may throw to stop them.
  void setOnUsed(std::function<void(std::size_t bytes)> onUsed) { onUsed_ = std::move(onUsed); }
  /// Throws Error if the file has become shorter since it was opened.
  void throwIfChanged() const;
  /// 1-based; `at` points into text().
  std::size_t byteOf(const char* at) const {
    return static_cast<std::size_t>(at - text_.view().data()) + 1;
  }

  /// Throws Error if the outermost level is invalid.
  JsonOutline outline() const;
  /// Throws Error with line, column and byte of the syntax error; with `code` if it is not found.
  [[noreturn]] void throwBroken(simdjson::error_code code) const;

 private:
  base::FileText text_;
  std::string name_;
  std::function<void(std::size_t)> onUsed_;
};

/// Maximum nesting of arrays and objects.
inline constexpr std::size_t kMaxJsonDepth = simdjson::DEFAULT_MAX_DEPTH;

}  // namespace lockstep::coco
