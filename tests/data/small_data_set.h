#pragma once

#include <filesystem>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"

namespace lockstep::tests {

/// A picture of noise over a slope, the same for the same number.
data::RgbImage noisePicture(int width, int height, std::uint64_t number);

/// Images of several aspects with polygons, runs, a crowd, a thin and a protruding annotation; the
/// last has no annotation. Without pictures.
coco::Dataset smallDataset();
/// Writes the pictures of a data set (PNG) into a folder.
void writePictures(const coco::Dataset& dataset, const std::filesystem::path& folder);

}  // namespace lockstep::tests
