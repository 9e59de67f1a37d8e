#include <cmath>

#include "engine/coco/files/json_document.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {

namespace dom = simdjson::dom;

std::optional<std::int64_t> wholeNumber(dom::element element) {
  std::int64_t whole = 0;
  if (element.get_int64().get(whole) == simdjson::SUCCESS) return whole;
  double number = 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (element.get_double().get(number) == simdjson::SUCCESS && std::abs(number) <= kExact &&
      number == std::floor(number)) {
    return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

RecordReader::RecordReader(dom::element element) {
  if (element.get_object().get(object_) != simdjson::SUCCESS) {
    fail(std::string("is ") + kindOf(element) + ", not an object");
  }
}

void RecordReader::fail(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
}

void RecordReader::failKind(const char* key, dom::element value, const char* wanted) {
  fail(std::string(key) + " is " + kindOf(value) + "; it must be " + wanted);
}

std::optional<dom::element> RecordReader::find(const char* key) const {
  dom::element value;
  if (!fault_.empty() || object_.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) {
    return std::nullopt;
  }
  return value;
}

std::optional<dom::element> RecordReader::require(const char* key) {
  const auto value = find(key);
  if (!value) fail(std::string("has no \"") + key + "\"");
  return value;
}

std::int64_t RecordReader::takeWhole(const char* key) {
  const auto value = require(key);
  if (!value) return 0;
  const auto whole = wholeNumber(*value);
  if (!whole && value->is_number()) fail(std::string(key) + " is not a whole number");
  if (!whole) failKind(key, *value, "a whole number");
  return whole.value_or(0);
}

double RecordReader::takeNumber(const char* key) {
  const auto value = require(key);
  double number = 0;
  if (value && value->get_double().get(number) != simdjson::SUCCESS) {
    failKind(key, *value, "a number");
  }
  return number;
}

std::optional<double> RecordReader::takeOptionalNumber(const char* key) {
  if (!find(key)) return std::nullopt;
  return takeNumber(key);
}

std::string RecordReader::takeText(const char* key) {
  const auto value = require(key);
  std::string_view text;
  if (value && value->get_string().get(text) != simdjson::SUCCESS)
    failKind(key, *value, "a string");
  return std::string(text);
}

bool RecordReader::takeFlag(const char* key) {
  const auto value = find(key);
  if (!value) return false;
  bool flag = false;
  if (value->get_bool().get(flag) == simdjson::SUCCESS) return flag;
  const auto whole = wholeNumber(*value);
  if (!whole || (*whole != 0 && *whole != 1)) failKind(key, *value, "0 or 1");
  return whole == 1;
}

std::optional<std::array<double, 4>> RecordReader::takeBox(const char* key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  dom::array numbers;
  if (value->get_array().get(numbers) != simdjson::SUCCESS) {
    failKind(key, *value, "[x, y, width, height]");
    return std::nullopt;
  }
  if (numbers.size() == 0) return std::nullopt;
  std::array<double, 4> box{};
  std::size_t count = 0;
  for (dom::element number : numbers) {
    if (count < 4 && number.get_double().get(box[count]) != simdjson::SUCCESS) {
      fail(std::string(key) + " holds " + kindOf(number) + "; it must be four numbers");
    }
    ++count;
  }
  if (count != 4) {
    fail(std::string(key) + " has " + std::to_string(count) +
         " numbers; it must be [x, y, width, height]");
  } else if (box[2] < 0 || box[3] < 0) {
    fail(std::string(key) + " has a negative width or height");
  }
  return box;
}

std::optional<Segmentation> RecordReader::takeSegmentation(const char* key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  dom::array polygons;
  if (value->get_array().get(polygons) == simdjson::SUCCESS) {
    if (polygons.size() == 0) return std::nullopt;
    return takePolygons(key, polygons);
  }
  dom::object object;
  if (value->get_object().get(object) == simdjson::SUCCESS) return takeRle(object);
  failKind(key, *value, "a list of polygons or an RLE object");
  return std::nullopt;
}

std::vector<std::vector<double>> RecordReader::takePolygons(const char* key, dom::array polygons) {
  std::vector<std::vector<double>> taken;
  taken.reserve(polygons.size());
  for (dom::element element : polygons) {
    dom::array numbers;
    if (element.get_array().get(numbers) != simdjson::SUCCESS) {
      fail(std::string(key) + " holds " + kindOf(element) +
           "; it must be a list of polygons, each [x0, y0, x1, y1, …]");
      break;
    }
    std::vector<double>& xy = taken.emplace_back();
    xy.reserve(numbers.size());
    for (dom::element number : numbers) {
      double coordinate = 0;
      if (number.get_double().get(coordinate) != simdjson::SUCCESS) {
        fail(std::string("a polygon holds ") + kindOf(number) + " where a coordinate must be");
        return taken;
      }
      xy.push_back(coordinate);
    }
  }
  return taken;
}

Rle RecordReader::takeRle(dom::object object) {
  Rle rle;
  dom::array size;
  dom::element counts;
  if (object.at_key("size").get_array().get(size) != simdjson::SUCCESS || size.size() != 2 ||
      object.at_key("counts").get(counts) != simdjson::SUCCESS) {
    fail("the RLE must be {\"size\": [height, width], \"counts\": …}");
    return rle;
  }
  const auto height = wholeNumber(size.at(0).value_unsafe());
  const auto width = wholeNumber(size.at(1).value_unsafe());
  if (!height || !width || *height <= 0 || *width <= 0 || *height > INT32_MAX ||
      *width > INT32_MAX || static_cast<std::uint64_t>(*height) * *width > kMaxPixels) {
    fail("the RLE's size must be [height, width], both over 0");
    return rle;
  }
  rle.height = static_cast<int>(*height);
  rle.width = static_cast<int>(*width);
  takeCounts(counts, rle);
  return rle;
}

void RecordReader::takeCounts(dom::element counts, Rle& rle) {
  std::string_view text;
  dom::array numbers;
  const char* fault = nullptr;
  if (counts.get_string().get(text) == simdjson::SUCCESS) {
    fault = readCounts(text, rle);
  } else if (counts.get_array().get(numbers) == simdjson::SUCCESS) {
    rle.counts.reserve(numbers.size());
    for (dom::element number : numbers) {
      const std::int64_t count = wholeNumber(number).value_or(-1);
      if (count < 0 || static_cast<std::uint64_t>(count) > kMaxPixels) {
        fault = "its counts must be whole numbers that are not negative";
        break;
      }
      rle.counts.push_back(static_cast<std::uint32_t>(count));
    }
  } else {
    fault = "its counts must be a string or a list of numbers";
  }
  if (fault == nullptr) fault = countsFault(rle);
  if (fault != nullptr) {
    fail("RLE of " + std::to_string(rle.height) + " x " + std::to_string(rle.width) +
         " px (height x width): " + fault);
  }
}

}  // namespace lockstep::coco
