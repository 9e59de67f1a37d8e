#pragma once

#include <string>

/// Numbers as people read them.
namespace lockstep::base {

/// With so many significant digits: 0.166667; "NaN", "Infinity", "-Infinity".
std::string shortNumber(double value, int digits = 6);
/// `4.0 GiB`
std::string gibibytes(double bytes);

}  // namespace lockstep::base
