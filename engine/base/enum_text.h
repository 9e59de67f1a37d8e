#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

/// String values of enums in files, messages and on the command line. Declared beside the enum:
///     enum class Split { Train, Val };
///     constexpr auto enumTexts(Split) {
///       using enum Split;
///       return std::to_array<base::EnumText<Split>>({{Train, "train"}, {Val, "val"}});
///     }
/// A string is parsed once, at the input; code compares enum values.
namespace lockstep::base {

template <typename Enum>
struct EnumText {
  Enum value;
  const char* text;
};

template <typename Enum>
concept HasTexts = std::is_enum_v<Enum> && requires(Enum value) {
  enumTexts(value);
};

/// Every value with its text, in the order of the table.
template <HasTexts Enum>
inline constexpr auto kEnumTexts = enumTexts(Enum{});

template <HasTexts Enum>
constexpr const char* textOf(Enum value) {
  for (const auto& row : kEnumTexts<Enum>)
    if (row.value == value) return row.text;
  return "";
}

/// The value of a string; nullopt for a string that is not in the table.
template <HasTexts Enum>
constexpr std::optional<Enum> parseEnum(std::string_view text) {
  for (const auto& row : kEnumTexts<Enum>)
    if (text == row.text) return row.value;
  return std::nullopt;
}

}  // namespace lockstep::base
