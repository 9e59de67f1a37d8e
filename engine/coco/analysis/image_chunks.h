#pragma once

#include <algorithm>
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
  base::parallelFor(chunks.size(), threads, [&](std::size_t s) {
    const std::size_t end = std::min((s + 1) * kImages, imageCount);
    for (std::size_t i = s * kImages; i < end; ++i) take(chunks[s], i);
  });
  return chunks;
}

}  // namespace lockstep::coco
