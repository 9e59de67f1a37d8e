#pragma once

#include <opencv2/core/mat.hpp>
#include <string_view>

namespace lockstep::data {

/// A decoded file as it is displayed: the decoder, asked to, applies EXIF's orientation to all
/// formats but WebP. May change the pixels of `decoded`.
cv::Mat displayedImage(const cv::Mat& decoded, std::string_view fileBytes);

}  // namespace lockstep::data
