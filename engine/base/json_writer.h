#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::base {

/// Appends compact JSON to `out`, value by value, with the commas. Non-finite numbers become the
/// strings "NaN", "Infinity" and "-Infinity", as in every file and message of Lockstep.
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
  template <std::integral Integer>
  void value(Integer number) {
    value(static_cast<std::int64_t>(number));
  }
  void value(std::int64_t number);
  /// The shortest decimal that round-trips to the same double or float.
  void value(double number);
  void value(float number);
  /// Invalid UTF-8 becomes U+FFFD.
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  /// A complete value that is already JSON.
  void raw(std::string_view json);

  template <typename Value>
  void member(std::string_view name, const Value& value) {
    key(name);
    this->value(value);
  }
  /// [a,b,…]
  template <typename Values>
  void values(const Values& values) {
    beginArray();
    for (const auto& value : values) this->value(value);
    endArray();
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void appendQuoted(std::string_view text);

  std::string& out_;
  bool needsComma_ = false;
};

}  // namespace lockstep::base
