#include "engine/structures/packed_images.h"

#include <ATen/ATen.h>

#include <cstring>
#include <utility>

namespace lockstep::structures {

PackedImages PackedImages::to(const at::Device& device) const {
  const std::vector<at::Tensor> moved = blockTo({pixels, rows}, device);
  return {moved[0], moved[1]};
}

PackedImages makePackedImages(std::vector<ImageRow> images, HostMemory memory) {
  std::int64_t bytes = 0;
  for (ImageRow& image : images) {
    image.firstByte = bytes;
    bytes += image.height * image.width * kImageChannels;
  }
  const auto count = static_cast<std::int64_t>(images.size());
  const std::vector<at::Tensor> block =
      makeBlock({{at::kByte, {bytes}}, {at::kLong, {count, kImageRowFields}}}, memory);
  if (count > 0) {
    std::memcpy(block[1].mutable_data_ptr<std::int64_t>(), images.data(),
                images.size() * sizeof(ImageRow));
  }
  return {block[0], block[1]};
}

std::uint8_t* pixelsOf(const PackedImages& images, std::int64_t n) {
  const auto* rows = reinterpret_cast<const ImageRow*>(images.rows.const_data_ptr<std::int64_t>());
  return images.pixels.mutable_data_ptr<std::uint8_t>() + rows[n].firstByte;
}

}  // namespace lockstep::structures
