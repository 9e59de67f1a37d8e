#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/formats/source.h"

/// Label images that OpenCV does not read as ids.
namespace lockstep::worker {

/// The indices of an indexed PNG, of which OpenCV gives the colours, or the values of a grey one of
/// less than 8 bits, which OpenCV scales; nullopt: another image, or a
/// damaged one.
std::optional<formats::LabelImage> readIndexedPng(std::string_view fileBytes);

/// A TIFF of one channel of unsigned 32 bits; nullopt: another image, or a damaged one.
std::optional<formats::LabelImage> readTiff32(const std::filesystem::path& file);

}  // namespace lockstep::worker
