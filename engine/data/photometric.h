#pragma once

#include <cstdint>

#include "engine/data/rgb_image.h"
#include "engine/data/transform_plan.h"

/// Augmentation of pixel values, in place.
namespace lockstep::data {

/// Colour jitter, blur and noise, in that order.
void changeColours(RgbImage& image, const TransformPlan& plan);

/// Brightness, contrast and saturation in that order, as torchvision.transforms.v2.functional does
/// on uint8.
void jitterColour(RgbImage& image, double brightness, double contrast, double saturation);

/// Gaussian blur of kernel size 2 * ceil(3 * sigma) + 1 with mirrored borders, in float32, rounded:
/// as torchvision.transforms.v2.functional.gaussian_blur of that kernel size.
void blur(RgbImage& image, double sigmaPx);

/// Adds a normally distributed number, a hash of key and position, to every value. deviation: of
/// values in 0 … 1.
void addNoise(RgbImage& image, double deviation, std::uint64_t key);

}  // namespace lockstep::data
