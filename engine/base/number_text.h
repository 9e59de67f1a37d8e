#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Numbers as text.
namespace lockstep::base {

/// "NaN", "Infinity" or "-Infinity"; null for a finite number.
const char* nonFiniteText(double value);
/// The shortest decimal that round-trips to the same double or float; else nonFiniteText().
std::string shortestNumber(double value);
std::string shortestNumber(float value);
/// With that many significant digits: 0.166667; else nonFiniteText().
std::string shortNumber(double value, int digits = 6);
/// With a sign and that many decimals: `+0.1286`, never `-0.0000`; else nonFiniteText().
std::string signedNumber(double value, int decimals);
/// `1.5 %`, `38 %`
std::string percent(double fraction);
/// `4.0 GiB`
std::string gibibytes(double bytes);
/// The noun in singular for 1, else in plural: `image`, `images`; `class`, `classes`;
/// `category`, `categories`.
std::string plural(std::uint64_t count, std::string_view noun);
/// `1 image`, `2 images`
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace lockstep::base
