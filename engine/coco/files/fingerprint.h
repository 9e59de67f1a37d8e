#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// By what it can be told whether a data set is still the one it was: counts, and hashes of what
/// training and held-out figures are made of. Neither the order of a file's entries counts, nor how
/// its JSON is written, nor where it lies, nor the ids of annotations.
struct Fingerprint {
  std::int64_t images = 0, categories = 0, annotations = 0;
  std::string imagesHash;       ///< ids, file names below the images folder, sizes
  std::string categoriesHash;   ///< ids, names
  std::string annotationsHash;  ///< image, category, box, outline or runs, whether a crowd
  bool operator==(const Fingerprint&) const = default;
};

/// `withAreas`: of annotations as well, which held-out figures by size go by.
Fingerprint fingerprintOf(const Dataset& dataset, bool withAreas);

/// What is another one now, in words: `58 images instead of 60`, `other annotations, as many`.
std::vector<std::string> differences(const Fingerprint& before, const Fingerprint& now);

}  // namespace lockstep::coco
