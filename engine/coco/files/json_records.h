#pragma once

#include <simdjson.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/json_file.h"

/// The entries of a table, read on demand: every value is looked at once, in the text's order, and
/// every one is looked at, so that broken JSON does not pass. Used by this folder alone. simdjson's
/// errors (simdjson_error) leave these functions where the text is no JSON.
namespace lockstep::coco {

using JsonValue = simdjson::ondemand::value;

/// Looks at a value that nobody wants.
void passOver(JsonValue value);

class FieldReader;

/// One object of a table. The first fault met is kept in words; the rest is still read.
class RecordReader {
 public:
  /// Calls visit(key, FieldReader) for every field that is not null. Faults: it is no object, or
  /// one of the `required` is not there.
  template <typename Visit>
  void read(JsonValue element, std::initializer_list<const char*> required, Visit visit);

  /// Keeps a fault, unless there is one.
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  bool hasFault() const { return !fault_.empty(); }
  const std::string& fault() const { return fault_; }
  /// Its field "id", where that was a whole number.
  std::optional<std::int64_t> id() const { return id_; }

 private:
  friend class FieldReader;
  bool isObject(JsonValue& element);

  std::string fault_;
  std::optional<std::int64_t> id_;
};

/// One value of an object, to be taken once as what is wanted of it. What it cannot be is told to
/// the record, and zeros are returned.
class FieldReader {
 public:
  FieldReader(RecordReader& record, std::string_view key, JsonValue value)
      : record_(record), key_(key), value_(value) {}

  /// 42 or 42.0.
  std::int64_t whole();
  double number();
  std::string text();
  /// 0, 1, true or false.
  bool flag();
  /// [x, y, width, height]; nullopt where empty.
  std::optional<std::array<double, 4>> box();
  /// Polygons or runs; nullopt where empty. The size of runs is checked against nothing here.
  std::optional<Segmentation> segmentation();
  /// The text of runs as it stands, {"size": …, "counts": …}, for parseRuns(); empty where the
  /// segmentation is. Polygons are a fault.
  std::string_view runsText();
  void pass() { passOver(value_); }

 private:
  void failKind(const char* wanted);
  std::vector<std::vector<double>> polygons(simdjson::ondemand::array list);

  RecordReader& record_;
  std::string_view key_;
  JsonValue value_;
};

/// Runs of a text that runsText() gave, in `piece`'s hands. Throws Error that says what is wrong,
/// without a place.
Rle parseRuns(std::string_view text, simdjson::ondemand::parser& parser);

template <typename Visit>
void RecordReader::read(JsonValue element, std::initializer_list<const char*> required,
                        Visit visit) {
  if (!isObject(element)) return;
  std::uint32_t seen = 0;
  for (auto field : element.get_object()) {
    const std::string_view key = field.unescaped_key();
    JsonValue value = field.value();
    if (value.is_null()) continue;
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
