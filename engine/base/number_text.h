#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Numbers as people read them.
namespace lockstep::base {

/// "NaN", "Infinity" or "-Infinity"; null for a number that is finite.
const char* nonFiniteText(double value);
/// The shortest text that reads back to the same double, or to the same float; nonFiniteText.
std::string shortestNumber(double value);
std::string shortestNumber(float value);
/// With so many significant digits: 0.166667; nonFiniteText.
std::string shortNumber(double value, int digits = 6);
/// `4.0 GiB`
std::string gibibytes(double bytes);
/// The noun for so many: `image` of 1, else `images`; `classes` of a `class`.
std::string plural(std::uint64_t count, std::string_view noun);
/// `1 image`, `2 images`
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace lockstep::base
