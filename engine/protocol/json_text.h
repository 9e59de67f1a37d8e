#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

/// JSON as every file and message of Lockstep has it: non-finite numbers are the strings "NaN",
/// "Infinity", "-Infinity".
namespace lockstep::protocol {

/// Writes compact JSON behind `out`, value by value; sets the commas.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  void key(std::string_view name);
  void null() { raw("null"); }
  void value(bool flag) { raw(flag ? "true" : "false"); }
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  void value(std::int64_t number);
  /// The shortest text that reads back to the same double, or to the same float.
  void value(double number);
  void value(float number);
  /// Bytes that are no UTF-8 become U+FFFD.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  /// A whole value that is JSON already.
  void raw(std::string_view json);

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  std::string& out_;
  bool needsComma_ = false;
};

/// Parses a JSON object. Throws Error `WHAT: …` for text that is no JSON, no object or nested over
/// 100 deep.
nlohmann::json parseObject(std::string_view text, std::string_view what);

/// The number that a value stands for, "NaN" and its like included; nothing when it is none.
std::optional<double> numberOf(const nlohmann::json& value);
/// The integer a value is; nothing when it is none or does not fit.
std::optional<std::int64_t> integerOf(const nlohmann::json& value);
/// "a number", "a text", …: for error messages.
const char* kindOf(const nlohmann::json& value);

}  // namespace lockstep::protocol
