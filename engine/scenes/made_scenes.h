#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"

namespace lockstep::scenes {

/// A made picture and the exact masks of what can be seen of its objects.
struct MadeScene {
  data::RgbImage picture;
  std::vector<coco::Annotation>
      annotations;  ///< image and annotation ids are to be set; runs, tight boxes
};

/// Categories of made scenes: circle, box, star, ring (ids 1 … 4).
std::vector<coco::Category> madeSceneCategories();

/// Textured overlapping shapes on a textured ground under uneven light, with noise. A pure function
/// of seed and number.
MadeScene makeScene(std::uint64_t seed, std::uint64_t number);

struct MadeScenesOptions {
  std::filesystem::path folder;
  int trainImages = 100, valImages = 20;
  std::uint64_t seed = 1;
};

/// `dataset shapes`: writes FOLDER/{train,val}/, FOLDER/annotations/instances_{train,val}.json and
/// FOLDER/experiment.yaml. The folder appears whole or not at all. Throws Error (mendable) when it
/// is there and not empty.
void writeMadeScenes(const MadeScenesOptions& options,
                     const std::function<void(int done, int all)>& onProgress = {});

}  // namespace lockstep::scenes
