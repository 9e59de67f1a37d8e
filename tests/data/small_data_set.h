#pragma once

#include <filesystem>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"

namespace lockstep::tests {

/// An image of noise over a gradient, the same for the same number.
data::RgbImage noisePicture(int width, int height, std::uint64_t number);

/// Images of several aspects with polygons, RLE, a crowd, a thin annotation and one that exceeds
/// the image; the last image has no annotation. Without image files.
coco::Dataset smallDataset();
/// Writes the image files of a dataset (PNG) into a folder.
void writePictures(const coco::Dataset& dataset, const std::filesystem::path& folder);

}  // namespace lockstep::tests
