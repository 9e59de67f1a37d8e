#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// Arrays of 8-bit pixels, RGB or grey, as BMP files, which workers read.
namespace lockstep::serve {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// The images of a NumPy file: uint8 [height, width], [height, width, 1 or 3] or
/// [images, height, width, 1 or 3]. Throws HttpError.
void eachImageOfNpy(std::string_view npy, const std::function<void(std::string)>& add);
/// Rows of [red, green, blue]. Throws HttpError.
std::string imageOfPixels(const nlohmann::json& rows);

}  // namespace lockstep::serve
