#pragma once

#include <simdjson.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/error_list.h"
#include "engine/coco/files/json_file.h"

/// The entries of a table, parsed on demand: every value is visited exactly once, in the text's
/// order, so that invalid JSON is always detected. Used only in this folder. These functions throw
/// simdjson_error for invalid JSON.
namespace lockstep::coco {

using JsonValue = simdjson::ondemand::value;

/// Validates a value and discards it.
void skipValue(JsonValue value);
/// True for a value that was NaN, Infinity or -Infinity before quoteNan().
bool isNan(JsonValue& value);

class FieldReader;

struct RecordFault {
  std::string what;
  EntryFault fault = EntryFault::Invalid;
};

/// One object of a table. After an error the rest is still parsed.
class RecordReader {
 public:
  /// Calls visit(key, FieldReader) for every field that is neither null nor NaN. It is an error if
  /// it is not an object, or if one of the `required` fields is missing.
  template <typename Visit>
  void read(JsonValue element, std::initializer_list<const char*> required, Visit visit);

  /// Keeps the first error; if all can be mended, the first of each kind.
  void fail(std::string error, EntryFault fault = EntryFault::Invalid);
  bool hasError() const { return !faults_.empty(); }
  const std::vector<RecordFault>& faults() const { return faults_; }
  /// Its field "id", if that is an integer.
  std::optional<std::int64_t> id() const { return id_; }

 private:
  friend class FieldReader;
  bool isObject(JsonValue& element);

  std::vector<RecordFault> faults_;
  std::optional<std::int64_t> id_;
};

/// One value of an object, to be read once with the expected type. If the type does not match, the
/// record gets an error and zero or an empty value is returned.
class FieldReader {
 public:
  FieldReader(RecordReader& record, std::string_view key, JsonValue value)
      : record_(record), key_(key), value_(value) {}

  /// 42 or 42.0.
  std::int64_t integer();
  /// Returns nullopt for other values, without an error.
  std::optional<std::int64_t> integerIfAny();
  double number();
  /// nullopt: not a number.
  std::optional<double> area();
  std::string string();
  /// 0, 1, true or false.
  bool boolean();
  /// A list of them.
  std::vector<std::int64_t> integers();
  /// [x, y, width, height]; nullopt if empty or invalid.
  std::optional<std::array<double, 4>> box();
  /// Polygons or RLE; nullopt if empty. The RLE's size is not compared with the image's. Reads
  /// polygons written as [x, y, …] or [[[x, y], …]] too, and reports an error.
  std::optional<Segmentation> segmentation();
  /// The unparsed text of an RLE, {"size": …, "counts": …}, for parseRle(); empty if the
  /// segmentation is empty. Polygons are an error.
  std::string_view rleText();
  void skip() { skipValue(value_); }

 private:
  void failKind(const char* expected, EntryFault fault = EntryFault::Invalid);

  RecordReader& record_;
  std::string_view key_;
  JsonValue value_;
};

/// Parses a text that rleText() returned. Throws Error with what is wrong, without its position.
Rle parseRle(std::string_view text, simdjson::ondemand::parser& parser);

template <typename Visit>
void RecordReader::read(JsonValue element, std::initializer_list<const char*> required,
                        Visit visit) {
  if (!isObject(element)) return;
  std::uint32_t seen = 0;
  for (auto field : element.get_object()) {
    const std::string_view key = field.unescaped_key();
    JsonValue value = field.value();
    if (value.is_null() || isNan(value)) continue;
    std::uint32_t bit = 1;
    for (const char* name : required) {
      if (key == name) seen |= bit;
      bit <<= 1;
    }
    visit(key, FieldReader(*this, key, value));
  }
  for (const char* name : required) {
    if ((seen & 1) == 0) fail(std::string("has no \"") + name + "\"");
    seen >>= 1;
  }
}

}  // namespace lockstep::coco
