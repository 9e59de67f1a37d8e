#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/enum_text.h"

namespace lockstep::base {

/// A value of an enum, or an unknown string, which another version of the program may have written
/// and which is kept and displayed. Default-constructed: empty.
template <HasTexts Enum>
class OpenEnum {
 public:
  OpenEnum() = default;
  OpenEnum(Enum value) : value_(value) {}
  explicit OpenEnum(std::string_view text)
      : value_(parseEnum<Enum>(text)), other_(value_ ? std::string_view() : text) {}

  /// nullopt for an unknown string or when empty.
  const std::optional<Enum>& value() const { return value_; }
  std::string text() const { return value_ ? textOf(*value_) : other_; }
  bool isEmpty() const { return !value_ && other_.empty(); }

  friend bool operator==(const OpenEnum&, const OpenEnum&) = default;

 private:
  std::optional<Enum> value_;
  std::string other_;
};

}  // namespace lockstep::base
