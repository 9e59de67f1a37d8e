#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// Counts and hashes that show whether a dataset has changed in what training and evaluation use.
/// It does not depend on the order of entries, the JSON formatting, the path or the annotation ids.
struct Fingerprint {
  std::int64_t images = 0, categories = 0, annotations = 0;
  std::string imagesHash;       ///< ids, file names below the images folder, sizes
  std::string categoriesHash;   ///< ids, names
  std::string annotationsHash;  ///< image, category, bbox, polygons or RLE, iscrowd
  bool operator==(const Fingerprint&) const = default;
};

/// `withAreas`: also hash the annotations' areas, which metrics by object size depend on.
Fingerprint fingerprintOf(const Dataset& dataset, bool withAreas);

/// Describes what has changed: `58 images instead of 60`, `other annotations, as many`.
std::vector<std::string> differences(const Fingerprint& before, const Fingerprint& now);

}  // namespace lockstep::coco
