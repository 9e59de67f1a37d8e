#include "engine/model/fpn.h"

#include <torch/types.h>

#include <optional>

namespace lockstep::model {

Fpn::Fpn(const std::vector<Backbone::Level>& levels, std::int64_t outChannels) {
  const auto inner = register_module("inner_blocks", std::make_shared<ModuleList>());
  const auto layer = register_module("layer_blocks", std::make_shared<ModuleList>());
  for (const Backbone::Level& level : levels) {
    const Conv2dOptions lateral{level.channels, outChannels, 1},
        smooth{outChannels, outChannels, 3};
    inner_.push_back(
        inner->append(std::make_shared<ConvBlock>(lateral, Conv2dInit::kaimingUniform(lateral))));
    layer_.push_back(
        layer->append(std::make_shared<ConvBlock>(smooth, Conv2dInit::kaimingUniform(smooth))));
  }
}

std::vector<at::Tensor> Fpn::forward(const std::vector<at::Tensor>& maps) const {
  TORCH_CHECK(maps.size() == inner_.size(), "got ", maps.size(), " maps for ", inner_.size(),
              " levels");
  std::vector<at::Tensor> levels(maps.size() + 1);
  const std::size_t last = maps.size() - 1;
  at::Tensor merged = inner_[last]->forward(maps[last]);
  levels[last] = layer_[last]->forward(merged);
  for (std::size_t i = last; i-- > 0;) {
    const at::Tensor lateral = inner_[i]->forward(maps[i]);
    merged = lateral + at::upsample_nearest2d(merged, {lateral.size(2), lateral.size(3)});
    levels[i] = layer_[i]->forward(merged);
  }
  // torchvision's LastLevelMaxPool (kernel 1, stride 2).
  levels.back() = levels[last]
                      .slice(2, 0, std::nullopt, 2)
                      .slice(3, 0, std::nullopt, 2)
                      .contiguous(at::MemoryFormat::ChannelsLast);
  return levels;
}

}  // namespace lockstep::model
