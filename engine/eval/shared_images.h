#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/dist/world.h"
#include "engine/eval/image_figures.h"
#include "engine/eval/parallel_images.h"

namespace lockstep::eval {

/// Who works on a number of images.
struct ImageSharing {
  dist::World* world = nullptr;  ///< its ranks share the images; null: this process does all
  int threads = 1;               ///< of this rank

  int rank() const { return world == nullptr ? 0 : world->rank(); }
  int ranks() const { return world == nullptr ? 1 : world->size(); }
  /// How many of `count` images are this rank's.
  std::int64_t ownCount(std::int64_t count) const;
  /// Index of this rank's `number`th image.
  std::int64_t indexOfOwn(std::int64_t number) const { return rank() + number * ranks(); }
};

using ImageWork = std::function<void(std::int64_t index, ImageFigures& figures)>;
/// What a rank needs for its work is made in here, so that a fault of it is one of the work.
using MakeImageWork = std::function<ImageWork()>;

/// Calls work(i, figures) for i = 0 … count - 1, each on one rank, and returns all figures on rank
/// 0, nothing on the others. Every rank calls it with the same count. A fault of any rank is thrown
/// on all. `progress` is of all ranks together, reckoned from this one's.
std::vector<ImageFigures> figuresOfImages(std::int64_t count, const ImageSharing& sharing,
                                          const MakeImageWork& makeWork,
                                          const Progress& progress = {});

}  // namespace lockstep::eval
