#include "engine/model/fpn.h"

#include <torch/types.h>

#include <optional>

#include "engine/config/pyramid.h"

namespace lockstep::model {

Fpn::Fpn(const std::array<std::int64_t, 4>& inChannels, std::int64_t outChannels) {
  const auto inner = register_module("inner_blocks", std::make_shared<Numbered>());
  const auto layer = register_module("layer_blocks", std::make_shared<Numbered>());
  for (std::size_t i = 0; i < inChannels.size(); ++i) {
    const Conv2dShape lateral{inChannels[i], outChannels, 1}, smooth{outChannels, outChannels, 3};
    inner_[i] =
        inner->add(std::make_shared<ConvBlock>(lateral, Conv2dStart::kaimingUniform(lateral)));
    layer_[i] =
        layer->add(std::make_shared<ConvBlock>(smooth, Conv2dStart::kaimingUniform(smooth)));
  }
}

std::vector<at::Tensor> Fpn::forward(const std::array<at::Tensor, 4>& stages) const {
  std::vector<at::Tensor> levels(config::kPyramidLevels);
  at::Tensor merged = inner_[3]->forward(stages[3]);
  levels[3] = layer_[3]->forward(merged);
  for (int i = 2; i >= 0; --i) {
    const at::Tensor lateral = inner_[i]->forward(stages[i]);
    merged = lateral + at::upsample_nearest2d(merged, {lateral.size(2), lateral.size(3)});
    levels[i] = layer_[i]->forward(merged);
  }
  // torchvision's LastLevelMaxPool, whose windows are single pixels.
  levels[4] = levels[3]
                  .slice(2, 0, std::nullopt, 2)
                  .slice(3, 0, std::nullopt, 2)
                  .contiguous(at::MemoryFormat::ChannelsLast);
  return levels;
}

}  // namespace lockstep::model
