#pragma once

#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats {

/// A value of a parsed JSON text that knows its place for messages: `shapes[3].points[1]`.
/// Accessors throw Error with that place and what the value must be. A node must not outlive its
/// parent.
class JsonNode {
 public:
  explicit JsonNode(simdjson::dom::element root) : value_(root) {}

  bool isArray() const { return value_.is_array(); }
  bool isObject() const { return value_.is_object(); }
  bool isString() const { return value_.is_string(); }
  bool isNumber() const { return value_.is_number(); }
  bool isTrue() const { return value_.is_bool() && value_.get_bool().value_unsafe(); }

  /// nullopt: there is none, or it is null or NaN, or this is no object.
  std::optional<JsonNode> find(std::string_view key) const;
  JsonNode at(std::string_view key) const;
  std::string string() const;
  double number() const;  ///< finite
  std::int64_t integer() const;
  std::size_t size() const;  ///< of an array
  JsonNode operator[](std::size_t index) const;
  void forEach(const std::function<void(const JsonNode& element)>& visit) const;
  void forEachMember(
      const std::function<void(std::string_view key, const JsonNode& value)>& visit) const;

  std::string place() const;
  /// Throws Error: `place: what`.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonNode(simdjson::dom::element value, const JsonNode* parent, std::string_view key,
           std::size_t index)
      : value_(value), parent_(parent), key_(key), index_(index) {}
  [[noreturn]] void failKind(const char* expected) const;

  simdjson::dom::element value_;
  const JsonNode* parent_ = nullptr;
  std::string_view key_;  ///< empty: an array's element
  std::size_t index_ = 0;
};

/// An id, which programs write as a number or as a text; empty: there is none.
std::string idTextIn(const JsonNode& node, std::string_view key);

/// [[x, y], …] as x0 y0 x1 y1 …
std::vector<double> pointsIn(const JsonNode& list);

/// A parsed file.
class JsonDocument {
 public:
  /// Throws Error: `FILE: …`, for invalid JSON with its position.
  explicit JsonDocument(const std::filesystem::path& file);
  JsonNode root() const { return JsonNode(root_); }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

}  // namespace lockstep::formats
