#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"

namespace lockstep::scenes {

/// A synthetic image and the exact masks of the visible pixels of its objects.
struct MadeScene {
  data::RgbImage image;
  std::vector<coco::Annotation>
      annotations;  ///< RLE masks and tight boxes; image and annotation ids are not set
};

/// Categories of synthetic scenes: circle, box, star, ring (ids 1 … 4).
std::vector<coco::Category> madeSceneCategories();

/// Textured overlapping shapes on a textured background under uneven light, with noise. A pure
/// function of seed and number.
MadeScene makeScene(std::uint64_t seed, std::uint64_t number);

struct MadeScenesOptions {
  std::filesystem::path folder;
  int trainImages = 100, valImages = 20;
  std::uint64_t seed = 1;
};

/// `dataset shapes`: writes FOLDER/{train,val}/, FOLDER/annotations/instances_{train,val}.json and
/// FOLDER/experiment.yaml. The folder is created atomically. Throws UserError if it exists and is
/// not empty.
void writeMadeScenes(const MadeScenesOptions& options,
                     const std::function<void(int done, int all)>& onProgress = {});

}  // namespace lockstep::scenes
