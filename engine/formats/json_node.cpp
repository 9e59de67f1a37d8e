#include "engine/formats/json_node.h"

#include <cmath>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/text_encoding.h"
#include "engine/coco/files/json_error.h"
#include "engine/coco/files/json_nan.h"

namespace lockstep::formats {
namespace {

using simdjson::dom::element_type;

bool isNan(simdjson::dom::element value) {
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS && coco::isQuotedNan(text);
}

const char* kindOf(simdjson::dom::element value) {
  if (isNan(value)) return "NaN";
  switch (value.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "a boolean";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

}  // namespace

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  simdjson::dom::element value;
  if (!value_.is_object() ||
      value_.get_object().value_unsafe().at_key(key).get(value) != simdjson::SUCCESS ||
      value.is_null() || isNan(value))
    return std::nullopt;
  return JsonNode(value, this, key, 0);
}

JsonNode JsonNode::at(std::string_view key) const {
  if (!value_.is_object()) failKind("an object");
  const auto found = find(key);
  if (!found) fail("has no \"" + std::string(key) + "\"");
  return *found;
}

std::string JsonNode::string() const {
  std::string_view text;
  if (value_.get_string().get(text) != simdjson::SUCCESS || coco::isQuotedNan(text))
    failKind("a string");
  return std::string(text);
}

double JsonNode::number() const {
  double number = 0;
  if (!isNumber() || value_.get_double().get(number) != simdjson::SUCCESS) failKind("a number");
  return number;
}

std::int64_t JsonNode::integer() const {
  std::int64_t whole = 0;
  if (value_.is_int64() && value_.get_int64().get(whole) == simdjson::SUCCESS) return whole;
  const double value = number();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value != std::floor(value) || std::abs(value) > kExact) fail("is not an integer");
  return static_cast<std::int64_t>(value);
}

std::size_t JsonNode::size() const {
  simdjson::dom::array array;
  if (value_.get_array().get(array) != simdjson::SUCCESS) failKind("an array");
  return array.size();
}

JsonNode JsonNode::operator[](std::size_t index) const {
  simdjson::dom::array array;
  if (value_.get_array().get(array) != simdjson::SUCCESS) failKind("an array");
  simdjson::dom::element value;
  if (array.at(index).get(value) != simdjson::SUCCESS)
    fail("has no element " + std::to_string(index));
  return {value, this, {}, index};
}

void JsonNode::forEach(const std::function<void(const JsonNode&)>& visit) const {
  simdjson::dom::array array;
  if (value_.get_array().get(array) != simdjson::SUCCESS) failKind("an array");
  std::size_t index = 0;
  for (const simdjson::dom::element value : array) visit({value, this, {}, index++});
}

void JsonNode::forEachMember(
    const std::function<void(std::string_view, const JsonNode&)>& visit) const {
  simdjson::dom::object object;
  if (value_.get_object().get(object) != simdjson::SUCCESS) failKind("an object");
  for (const auto& [key, value] : object) visit(key, {value, this, key, 0});
}

std::string JsonNode::place() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->place();
  if (key_.empty()) return before + "[" + std::to_string(index_) + "]";
  return before.empty() ? std::string(key_) : before + "." + std::string(key_);
}

void JsonNode::fail(const std::string& what) const {
  const std::string where = place();
  throw Error(where.empty() ? what : where + ": " + what);
}

void JsonNode::failKind(const char* expected) const {
  fail(std::string("is ") + kindOf(value_) + "; it must be " + expected);
}

std::string idTextIn(const JsonNode& node, std::string_view key) {
  const auto id = node.find(key);
  if (!id) return "";
  if (id->isNumber()) return base::shortNumber(id->number(), 17);  // 100000, not 1e+05
  return id->isString() ? id->string() : "";
}

std::vector<double> pointsIn(const JsonNode& list) {
  std::vector<double> xy;
  list.forEach([&](const JsonNode& point) {
    xy.push_back(point[0].number());
    xy.push_back(point[1].number());
  });
  return xy;
}

JsonDocument::JsonDocument(const std::filesystem::path& file) {
  std::string text = base::readUnicode(file);
  simdjson::error_code code = parser_.parse(text).get(root_);
  if (code != simdjson::SUCCESS && coco::quoteNan(text)) code = parser_.parse(text).get(root_);
  if (code == simdjson::SUCCESS) return;
  if (const std::string problem = base::utf8Problem(text); !problem.empty())
    throw Error(file.string() + ": " + problem + "; save the file as UTF-8");
  const auto error = coco::findJsonError(text);
  if (!error) throw Error(file.string() + ": " + simdjson::error_message(code));
  throw Error(file.string() + ":" + std::to_string(error->line) + ":" +
              std::to_string(error->column) + ": invalid JSON at byte " +
              std::to_string(error->byte) + ": " + error->reason);
}

}  // namespace lockstep::formats
