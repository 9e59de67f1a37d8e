#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// Of files, by the ids of their images.
using FileNames = std::map<std::int64_t, std::string>;

/// What detectionsToJson() writes; with `names` every entry ends with the `file_name` of its image,
/// which must be among them.
std::string detectionArray(const std::vector<Detection>& detections, MaskForm form,
                           const FileNames* names);

}  // namespace lockstep::coco
