#include "engine/coco/files/json_records.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/coco/files/json_nan.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

namespace ondemand = simdjson::ondemand;

const char* kindOf(JsonValue& value) {
  if (isNan(value)) return "NaN";
  switch (ondemand::json_type(value.type())) {
    case ondemand::json_type::array:
      return "an array";
    case ondemand::json_type::object:
      return "an object";
    case ondemand::json_type::number:
      return "a number";
    case ondemand::json_type::string:
      return "a string";
    case ondemand::json_type::boolean:
      return "a boolean";
    case ondemand::json_type::null:
      return "null";
  }
  return "something else";
}

bool isKind(JsonValue& value, ondemand::json_type type) {
  if (ondemand::json_type(value.type()) != type) return false;
  return type != ondemand::json_type::string || !isNan(value);
}

/// The value of an integer, which may be written as 42.0.
std::optional<std::int64_t> wholeNumber(JsonValue& value) {
  std::int64_t whole = 0;
  if (value.get_int64().get(whole) == simdjson::SUCCESS) return whole;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const double number = value.get_double();
  if (std::abs(number) > kExact || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// Unescapes a string; the fast path is for strings without escapes.
void passOverString(JsonValue& value) {
  const std::string_view token = value.raw_json_token();
  if (std::memchr(token.data(), '\\', token.size()) != nullptr) {
    [[maybe_unused]] const std::string_view text = value.get_string();
  } else {
    [[maybe_unused]] const ondemand::raw_json_string text = value.get_raw_json_string();
  }
}

/// Height and width of an RLE, both > 0 and with no more pixels than counts can represent;
/// otherwise 0 and 0.
std::array<int, 2> takeSize(JsonValue value) {
  constexpr std::array<int, 2> kNone{0, 0};
  std::array<std::int64_t, 2> size{};
  std::size_t count = 0;
  if (!isKind(value, ondemand::json_type::array)) return skipValue(value), kNone;
  for (auto element : value.get_array()) {
    JsonValue number = element.value();
    if (count >= 2 || !isKind(number, ondemand::json_type::number)) {
      skipValue(number);
      count = 3;
      continue;
    }
    size[count++] = wholeNumber(number).value_or(0);
  }
  const bool isSize = count == 2 && size[0] > 0 && size[1] > 0 && size[0] <= INT32_MAX &&
                      size[1] <= INT32_MAX &&
                      static_cast<std::uint64_t>(size[0]) * size[1] <= kMaxPixels;
  return isSize ? std::array<int, 2>{static_cast<int>(size[0]), static_cast<int>(size[1])} : kNone;
}

const char* takeCounts(JsonValue value, Rle& rle) {
  if (isKind(value, ondemand::json_type::string)) {
    const std::string_view text = value.get_string();
    return readCounts(text, rle);
  }
  const char* error = nullptr;
  if (!isKind(value, ondemand::json_type::array)) {
    skipValue(value);
    return "counts must be a string or a list of numbers";
  }
  ondemand::array list = value.get_array();
  rle.counts.reserve(list.count_elements());  // growing masks would take up to twice their memory
  for (auto element : list) {
    JsonValue number = element.value();
    const bool isNumber = isKind(number, ondemand::json_type::number);
    const std::int64_t count = isNumber ? wholeNumber(number).value_or(-1) : -1;
    if (!isNumber) skipValue(number);
    if (count < 0 || static_cast<std::uint64_t>(count) > kMaxPixels) {
      error = "counts must be non-negative integers";
    }
    rle.counts.push_back(static_cast<std::uint32_t>(count));
  }
  return error;
}

/// Sets `error` to what is wrong.
Rle readRle(ondemand::object object, std::string& error) {
  Rle rle;
  std::optional<std::array<int, 2>> size;
  bool hasCounts = false;
  const char* countError = nullptr;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    JsonValue value = field.value();
    if (key == "size") {
      size = takeSize(value);
    } else if (key == "counts") {
      hasCounts = true;
      rle.counts.clear();
      countError = takeCounts(value, rle);
    } else {
      skipValue(value);
    }
  }
  if (!size || !hasCounts) {
    error = "the RLE must be {\"size\": [height, width], \"counts\": …}";
    return rle;
  }
  rle.height = (*size)[0];
  rle.width = (*size)[1];
  if (rle.height == 0) {
    error = "the RLE's size must be [height, width], both greater than 0";
    return rle;
  }
  if (countError == nullptr) countError = countsError(rle);
  if (countError != nullptr) {
    error = "RLE of " + std::to_string(rle.height) + " x " + std::to_string(rle.width) +
            " px (height x width): " + countError;
  }
  return rle;
}

/// Reads [[x, y, …], …]. Accepts polygons nested in other ways, and skips other values.
class PolygonReader {
 public:
  explicit PolygonReader(RecordReader& record) : record_(record) {}

  std::vector<std::vector<double>> read(ondemand::array list) {
    take(list, 0);
    return std::move(polygons_);
  }

 private:
  void fail(std::string what) { record_.fail(std::move(what), EntryFault::EmptyPolygon); }

  void failElement(JsonValue& value, int depth) {
    if (depth == 0)
      fail(std::string("segmentation contains ") + kindOf(value) +
           "; it must be a list of polygons, each [x0, y0, x1, y1, …]");
    if (depth == 1)
      fail(std::string("a polygon contains ") + kindOf(value) + "; coordinates must be numbers");
  }

  void take(ondemand::array list, int depth) {
    std::vector<double> xy;
    if (depth > 0) xy.reserve(list.count_elements());
    const std::size_t before = polygons_.size();
    std::size_t lists = 0;
    bool hasOther = false;
    for (auto element : list) {
      JsonValue value = element.value();
      const bool isNumber = isKind(value, ondemand::json_type::number);
      const bool isList = isKind(value, ondemand::json_type::array);
      if (depth == 0 ? !isList : !isNumber) failElement(value, depth);
      if (isNumber) {
        xy.push_back(value.get_double());
      } else if (isList) {
        ++lists;
        take(value.get_array(), depth + 1);
      } else {
        hasOther = true;
        skipValue(value);
      }
    }
    if (lists > 0) return joinPoints(before, lists, depth);
    if (!hasOther && (depth > 0 || !xy.empty())) polygons_.push_back(std::move(xy));
  }

  /// A list of points is one polygon.
  void joinPoints(std::size_t before, std::size_t lists, int depth) {
    const auto points = std::ranges::subrange(
        polygons_.begin() + static_cast<std::ptrdiff_t>(before), polygons_.end());
    if (lists < kMinPolygonPoints || points.size() != lists ||
        !std::ranges::all_of(points, [](const auto& xy) { return xy.size() == 2; }))
      return;
    if (depth == 0) fail("segmentation is a list of points; it must be a list of polygons");
    std::vector<double> polygon;
    for (const std::vector<double>& xy : points)
      polygon.insert(polygon.end(), xy.begin(), xy.end());
    polygons_.resize(before);
    polygons_.push_back(std::move(polygon));
  }

  RecordReader& record_;
  std::vector<std::vector<double>> polygons_;
};

}  // namespace

bool isNan(JsonValue& value) {
  const std::string_view token = value.raw_json_token();
  return token.size() > 1 && token[0] == '"' && isQuotedNan(token.substr(1, 1));
}

void skipValue(JsonValue value) {
  switch (ondemand::json_type(value.type())) {
    case ondemand::json_type::array:
      for (auto element : value.get_array()) skipValue(element.value());
      return;
    case ondemand::json_type::object:
      for (auto field : value.get_object()) {
        [[maybe_unused]] const std::string_view key = field.unescaped_key();
        skipValue(field.value());
      }
      return;
    case ondemand::json_type::number: {
      [[maybe_unused]] const double number = value.get_double();
      return;
    }
    case ondemand::json_type::string:
      return passOverString(value);
    case ondemand::json_type::boolean: {
      [[maybe_unused]] const bool flag = value.get_bool();
      return;
    }
    case ondemand::json_type::null:
      if (!bool(value.is_null())) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
      return;
  }
}

void RecordReader::fail(std::string what, EntryFault fault) {
  if (!faults_.empty() && !isMendable(faults_.front().fault)) return;
  if (!isMendable(fault)) faults_.clear();
  if (std::ranges::find(faults_, fault, &RecordFault::fault) == faults_.end())
    faults_.push_back({std::move(what), fault});
}

bool RecordReader::isObject(JsonValue& element) {
  if (isKind(element, ondemand::json_type::object)) return true;
  fail(std::string("is ") + kindOf(element) + ", not an object");
  skipValue(element);
  return false;
}

void FieldReader::failKind(const char* expected, EntryFault fault) {
  record_.fail(std::string(key_) + " is " + kindOf(value_) + "; it must be " + expected, fault);
  skipValue(value_);
}

std::int64_t FieldReader::integer() {
  if (!isKind(value_, ondemand::json_type::number)) return failKind("an integer"), 0;
  const auto whole = wholeNumber(value_);
  if (!whole) record_.fail(std::string(key_) + " is not an integer");
  if (key_ == "id") record_.id_ = whole;
  return whole.value_or(0);
}

std::optional<std::int64_t> FieldReader::integerIfAny() {
  if (!isKind(value_, ondemand::json_type::number)) return skip(), std::nullopt;
  const auto whole = wholeNumber(value_);
  if (key_ == "id") record_.id_ = whole;
  return whole;
}

std::optional<double> FieldReader::area() {
  if (isKind(value_, ondemand::json_type::number)) return double(value_.get_double());
  return failKind("a number", EntryFault::InvalidArea), std::nullopt;
}

double FieldReader::number() {
  if (!isKind(value_, ondemand::json_type::number)) return failKind("a number"), 0;
  return value_.get_double();
}

std::string FieldReader::string() {
  if (!isKind(value_, ondemand::json_type::string)) return failKind("a string"), std::string();
  return std::string(std::string_view(value_.get_string()));
}

bool FieldReader::boolean() {
  if (isKind(value_, ondemand::json_type::boolean)) return value_.get_bool();
  if (!isKind(value_, ondemand::json_type::number)) return failKind("0 or 1"), false;
  const auto whole = wholeNumber(value_);
  if (whole != 0 && whole != 1) record_.fail(std::string(key_) + " is a number; it must be 0 or 1");
  return whole == 1;
}

std::vector<std::int64_t> FieldReader::integers() {
  std::vector<std::int64_t> list;
  if (!isKind(value_, ondemand::json_type::array)) return failKind("a list of integers"), list;
  for (auto element : value_.get_array()) {
    JsonValue number = element.value();
    const bool isNumber = isKind(number, ondemand::json_type::number);
    if (!isNumber) skipValue(number);
    const auto whole = isNumber ? wholeNumber(number) : std::nullopt;
    if (!whole) record_.fail(std::string(key_) + " must be a list of integers");
    list.push_back(whole.value_or(0));
  }
  return list;
}

std::optional<std::array<double, 4>> FieldReader::box() {
  constexpr EntryFault kFault = EntryFault::EmptyBox;
  if (!isKind(value_, ondemand::json_type::array)) {
    return failKind("[x, y, width, height]", kFault), std::nullopt;
  }
  std::array<double, 4> box{};
  std::size_t count = 0;
  bool isValid = true;
  for (auto element : value_.get_array()) {
    JsonValue number = element.value();
    if (!isKind(number, ondemand::json_type::number)) {
      record_.fail(std::string(key_) + " contains " + kindOf(number) + "; it must be four numbers",
                   kFault);
      isValid = false;
      skipValue(number);
    } else {
      const double side = number.get_double();
      if (count < box.size()) box[count] = side;
    }
    ++count;
  }
  if (count == 0) return std::nullopt;
  if (count != box.size()) {
    record_.fail(std::string(key_) + " has " + base::counted(count, "number") +
                     "; it must be [x, y, width, height]",
                 kFault);
  } else if (box[2] < 0 || box[3] < 0) {
    record_.fail("negative " + std::string(key_) + " width or height", kFault);
  } else if (isValid) {
    return box;
  }
  return std::nullopt;
}

std::optional<Segmentation> FieldReader::segmentation() {
  if (isKind(value_, ondemand::json_type::array)) {
    auto list = PolygonReader(record_).read(value_.get_array());
    if (list.empty()) return std::nullopt;
    return list;
  }
  if (!isKind(value_, ondemand::json_type::object)) {
    return failKind("a list of polygons or an RLE object", EntryFault::EmptyPolygon), std::nullopt;
  }
  ondemand::object object = value_.get_object();
  if (bool(object.is_empty())) return std::nullopt;
  std::string error;
  Rle rle = readRle(object, error);
  if (!error.empty()) record_.fail(std::move(error), EntryFault::InvalidMask);
  return rle;
}

std::string_view FieldReader::rleText() {
  if (isKind(value_, ondemand::json_type::array)) {
    ondemand::array list = value_.get_array();
    if (!bool(list.is_empty())) {
      record_.fail(
          "segmentation is a polygon; masks in results must be RLE: {\"size\", \"counts\"}");
    }
    for (auto element : list) skipValue(element.value());
    return {};
  }
  if (!isKind(value_, ondemand::json_type::object)) return failKind("an RLE object"), "";
  ondemand::object object = value_.get_object();
  const std::string_view text = object.raw_json();
  if (bool(object.reset())) {
    for (auto field : object) {
      [[maybe_unused]] const std::string_view key = field.unescaped_key();
      skipValue(field.value());
    }
  }
  return text;
}

Rle parseRle(std::string_view text, ondemand::parser& parser) {
  const simdjson::padded_string copy(text);
  ondemand::document document = parser.iterate(copy);
  std::string error;
  Rle rle = readRle(document.get_object(), error);
  if (!error.empty()) throw Error(error);
  return rle;
}

}  // namespace lockstep::coco
