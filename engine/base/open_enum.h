#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/enum_text.h"

namespace lockstep::base {

/// A value of an enum, or a text that is none of its values: what another version of the program
/// has written is kept and shown. Empty unless it is set.
template <HasTexts Enum>
class OpenEnum {
 public:
  OpenEnum() = default;
  OpenEnum(Enum value) : value_(value) {}
  explicit OpenEnum(std::string_view text)
      : value_(parseEnum<Enum>(text)), other_(value_ ? std::string_view() : text) {}

  /// Nothing for another text, or none.
  const std::optional<Enum>& value() const { return value_; }
  std::string text() const { return value_ ? textOf(*value_) : other_; }
  bool isEmpty() const { return !value_ && other_.empty(); }

  friend bool operator==(const OpenEnum&, const OpenEnum&) = default;

 private:
  std::optional<Enum> value_;
  std::string other_;
};

}  // namespace lockstep::base
