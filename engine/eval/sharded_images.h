#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/dist/world.h"
#include "engine/eval/image_result.h"
#include "engine/eval/parallel_images.h"

namespace lockstep::eval {

/// How images are distributed over ranks and threads.
struct ImageSharding {
  dist::World* world = nullptr;  ///< images are sharded over its ranks; null: this process only
  int threads = 1;               ///< on this rank

  int rank() const { return world == nullptr ? 0 : world->rank(); }
  int ranks() const { return world == nullptr ? 1 : world->size(); }
  /// The number of this rank's images, of `count` in total.
  std::int64_t ownCount(std::int64_t count) const;
  /// The index of this rank's `number`-th image.
  std::int64_t indexOfOwn(std::int64_t number) const { return rank() + number * ranks(); }
};

using ImageWork = std::function<void(std::int64_t index, ImageResult& result)>;
/// Creates what a rank needs for its work, so that errors in it are handled like errors of the
/// work.
using MakeImageWork = std::function<ImageWork()>;

/// Calls work(i, result) for i = 0 … count - 1, each on one rank, and returns all results on rank
/// 0, nothing on the others. Every rank must call it with the same count. An error on any rank is
/// thrown on all ranks, as dist::RankError. `progress` covers all ranks, extrapolated from this
/// one.
std::vector<ImageResult> evaluateImages(std::int64_t count, const ImageSharding& sharding,
                                        const MakeImageWork& makeWork,
                                        const Progress& progress = {});

}  // namespace lockstep::eval
