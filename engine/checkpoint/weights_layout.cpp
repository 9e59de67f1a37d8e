#include "engine/checkpoint/weights_layout.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/base/pattern.h"

namespace lockstep::checkpoint {
namespace {

bool replacePrefix(std::string& name, const std::string& from, const std::string& to) {
  if (!name.starts_with(from)) return false;
  name = to + name.substr(from.size());
  return true;
}

/// Converts names of torchvision before 0.13, which its published Mask R-CNN weights still have, to
/// the current ones: `inner_blocks.0.weight` to `inner_blocks.0.0.weight`, `mask_fcn1.weight` to
/// `0.0.weight`.
std::string currentName(std::string name) {
  for (const char* blocks : {"backbone.fpn.inner_blocks.", "backbone.fpn.layer_blocks."}) {
    if (!name.starts_with(blocks)) continue;
    const std::size_t dot = name.find('.', std::string(blocks).size());
    if (dot == std::string::npos) return name;
    const std::string rest = name.substr(dot + 1);
    if (rest == "weight" || rest == "bias") return name.substr(0, dot) + ".0." + rest;
    return name;
  }
  if (replacePrefix(name, "rpn.head.conv.weight", "rpn.head.conv.0.0.weight")) return name;
  if (replacePrefix(name, "rpn.head.conv.bias", "rpn.head.conv.0.0.bias")) return name;
  for (int i = 1; i <= 9; ++i) {
    const std::string layer = std::to_string(i);
    if (replacePrefix(name, "roi_heads.mask_head.mask_fcn" + layer + ".",
                      "roi_heads.mask_head." + std::to_string(i - 1) + ".0.")) {
      return name;
    }
  }
  return name;
}

constexpr const char* kConvolutionWeight = "roi_heads.box_head.fc6.weight";

/// Number of blocks in each of the four stages; a block counts if it has any tensor.
std::array<int, 4> blocksOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxPrefix = 60;  // bytes parsed: names in a file are untrusted
  std::array<int, 4> blocks{};
  for (const std::string& name : names) {
    int stage = 0, block = 0;
    const std::string start = name.substr(0, kMaxPrefix);
    if (std::sscanf(start.c_str(), "backbone.body.layer%1d.%3d.", &stage, &block) != 2) continue;
    if (stage < 1 || stage > 4 || block < 0) continue;
    int& count = blocks[static_cast<std::size_t>(stage) - 1];
    count = std::max(count, block + 1);
  }
  return blocks;
}

}  // namespace

FileTensors inModelNames(const SafetensorsFile& file) {
  const bool isResNet = file.find("conv1.weight") && file.find("layer1.0.conv1.weight");
  FileTensors tensors;
  for (const auto& [name, tensor] : file.tensors) {
    const bool isOfResNet = isResNet && !name.starts_with("fc.");
    tensors[isOfResNet ? "backbone.body." + name : currentName(name)] = {name, tensor};
  }
  return tensors;
}

at::Tensor inFileShape(const std::string& name, const at::Tensor& ofModel) {
  return name.ends_with(kConvolutionWeight) && ofModel.dim() == 4 ? ofModel.detach().flatten(1)
                                                                  : ofModel;
}

NamedTensors inFileShapes(NamedTensors ofModel) {
  for (auto& [name, tensor] : ofModel) tensor = inFileShape(name, tensor);
  return ofModel;
}

NamedTensors inModelShapes(NamedTensors ofFile, const NamedTensors& model) {
  const auto weight =
      std::ranges::find(model, kConvolutionWeight, &NamedTensors::value_type::first);
  if (weight == model.end()) return ofFile;
  const at::Tensor& own = weight->second;
  for (auto& [name, tensor] : ofFile) {
    const bool isMatrixOfIt = name.ends_with(kConvolutionWeight) && tensor.dim() == 2 &&
                              tensor.size(0) == own.size(0) && tensor.numel() == own.numel();
    if (isMatrixOfIt) tensor = tensor.view(own.sizes());
  }
  return ofFile;
}

bool isNameOfLayout(const std::string& name) {
  static const base::Pattern kNames(
      R"(fc\.(weight|bias)|backbone\.body\.(conv1|bn1|layer[1-4]\.\d+\.(conv[1-3]|bn[1-3]|downsample\.[01])))"
      R"(\.(weight|bias|running_mean|running_var|num_batches_tracked)|)"
      R"((backbone\.fpn\.(inner|layer)_blocks\.\d+\.0|rpn\.head\.(conv\.0\.0|cls_logits|bbox_pred)|)"
      R"(roi_heads\.(box_head\.fc[67]|box_predictor\.(cls_score|bbox_pred)|mask_head\.\d+\.0|)"
      R"(mask_predictor\.(conv5_mask|mask_fcn_logits)))\.(weight|bias))");
  return kNames.matches(name);
}

std::string originOf(const std::vector<std::string>& unexpected) {
  constexpr const char* kV2 =
      "they are of torchvision's maskrcnn_resnet50_fpn_v2, whose FPN and heads have norms and more "
      "convolutions; start from maskrcnn_resnet50_fpn or from a ResNet";
  constexpr std::array<std::pair<const char*, const char*>, 6> kOrigins{{
      {"backbone.fpn.inner_blocks.0.1.", kV2},
      {"roi_heads.box_head.0.0.", kV2},
      {"backbone.bottom_up.", "they are of Detectron2, whose Mask R-CNN is not compatible"},
      {"rpn_head.", "they are of MMDetection, whose Mask R-CNN is not compatible"},
      {"module.", "they are of a wrapped model; save the state_dict of the inner model"},
      {"model.", "they are of a wrapped model; save the state_dict of the inner model"},
  }};
  for (const auto& [prefix, text] : kOrigins) {
    const auto isOfIt = [&](const std::string& name) { return name.starts_with(prefix); };
    if (std::ranges::any_of(unexpected, isOfIt)) return text;
  }
  return {};
}

std::string backboneOf(const std::vector<std::string>& names) {
  struct ResNet {
    std::array<int, 4> blocks;
    const char *basic, *bottleneck;  // by the kind of its blocks
  };
  constexpr std::array kKnown{
      ResNet{{2, 2, 2, 2}, "resnet18", ""}, ResNet{{3, 4, 6, 3}, "resnet34", "resnet50"},
      ResNet{{3, 4, 23, 3}, "", "resnet101"}, ResNet{{3, 8, 36, 3}, "", "resnet152"}};
  const std::array<int, 4> blocks = blocksOf(names);
  const auto known = std::ranges::find(kKnown, blocks, &ResNet::blocks);
  if (known == kKnown.end()) return {};
  const bool hasBottlenecks = std::ranges::any_of(names, [](const std::string& name) {
    return isOfBody(name) && name.find(".conv3.") != std::string::npos;
  });
  return hasBottlenecks ? known->bottleneck : known->basic;
}

bool hasBatchNorms(const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    return isOfBody(name) && name.ends_with("running_mean");
  });
}

}  // namespace lockstep::checkpoint
