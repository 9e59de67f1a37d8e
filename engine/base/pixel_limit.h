#pragma once

#include <cstdint>

/// How many pixels an image may have that somebody sends: small files can hold enormous images.
/// OPENCV_IO_MAX_IMAGE_PIXELS says it to this program, to its children and to their decoder.
namespace lockstep::base {

/// Sets the variable where a person has not. Before there are threads.
void limitPixels();

/// What the variable says; 100 million where it says nothing, or no number.
std::int64_t pixelLimit();

}  // namespace lockstep::base
