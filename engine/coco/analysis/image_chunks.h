#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/parallel_for.h"

namespace lockstep::coco {

/// Calls take(chunk, image) for every image, in parallel over chunks of images and in order within
/// a chunk, and returns the chunks in order.
template <typename Chunk, typename Take>
std::vector<Chunk> forImageChunks(std::size_t imageCount, int threads, Take take) {
  constexpr std::size_t kImages = 256;  // enough to be worth a chunk's own memory
  std::vector<Chunk> chunks((imageCount + kImages - 1) / kImages);
  base::parallelForChunks(imageCount, kImages, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) take(chunks[begin / kImages], i);
  });
  return chunks;
}

}  // namespace lockstep::coco
