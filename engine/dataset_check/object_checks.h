#pragma once

#include <vector>

#include "engine/dataset_check/part_data.h"

namespace lockstep::dataset_check {

/// Entries that cannot be used as they are, ids that are missing or used twice. Not those that only
/// follow from another: annotations of an image whose entry is invalid.
std::vector<Finding> entryFaults(const PartData& part);

/// Whether its mask may have no pixel: COCO has polygons of less than a pixel, which training
/// ignores.
bool mayBeEmpty(const coco::Annotation& annotation);

/// The faults of an image's annotations: boxes, polygons, masks, objects that are annotated twice.
/// Rasterises every mask. Thread-safe.
std::vector<Finding> objectFaults(const PartData& part, std::size_t image);

}  // namespace lockstep::dataset_check
