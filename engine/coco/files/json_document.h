#pragma once

#include <simdjson.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/coco/files/dataset.h"

/// Reading of COCO's JSON files. Used by this folder alone.
namespace lockstep::coco {

/// A JSON text in memory and its parsed form; elements taken from it live as long as it does.
class JsonDocument {
 public:
  /// Throws Error; mendable where there is no such file. `what` names the kind of file: "annotation
  /// file".
  static simdjson::padded_string read(const std::filesystem::path& file, const char* what);
  /// Throws Error with line, column and byte of what is broken. `name` stands for the file.
  JsonDocument(simdjson::padded_string text, const std::string& name);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  simdjson::dom::element root() const { return root_; }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

/// "a string", "an array" …
const char* kindOf(simdjson::dom::element element);

/// One object of a file whose values are taken by key. The first fault met is kept in words; what
/// follows it returns zeros.
class RecordReader {
 public:
  explicit RecordReader(simdjson::dom::element element);

  /// The value, unless it is absent or null.
  std::optional<simdjson::dom::element> find(const char* key) const;
  /// A whole number that must be there (42 or 42.0).
  std::int64_t takeWhole(const char* key);
  double takeNumber(const char* key);
  std::string takeText(const char* key);
  /// [x, y, width, height]; nullopt where absent, null or empty.
  std::optional<std::array<double, 4>> takeBox(const char* key);
  std::optional<double> takeOptionalNumber(const char* key);
  /// 0, 1, true or false; false where absent.
  bool takeFlag(const char* key);
  /// Polygons or runs; nullopt where absent, null or empty. `rle` sizes are checked against nothing
  /// here.
  std::optional<Segmentation> takeSegmentation(const char* key);

  /// Keeps a fault that the caller found, unless there is one.
  void fail(std::string fault);
  bool hasFault() const { return !fault_.empty(); }
  const std::string& fault() const { return fault_; }

 private:
  std::optional<simdjson::dom::element> require(const char* key);
  void failKind(const char* key, simdjson::dom::element value, const char* wanted);
  std::vector<std::vector<double>> takePolygons(const char* key, simdjson::dom::array polygons);
  Rle takeRle(simdjson::dom::object object);
  void takeCounts(simdjson::dom::element counts, Rle& rle);

  simdjson::dom::object object_;
  std::string fault_;
};

/// A whole number, also written as 42.0.
std::optional<std::int64_t> wholeNumber(simdjson::dom::element element);

}  // namespace lockstep::coco
