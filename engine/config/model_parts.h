#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "engine/base/enum_text.h"

namespace lockstep::config {

/// Parts of the model whose gradient norm is recorded, in the order of the forward pass.
enum class ModelPart { Stem, Layer1, Layer2, Layer3, Layer4, Fpn, Rpn, BoxHead, MaskHead };
constexpr auto enumTexts(ModelPart) {
  using enum ModelPart;
  return std::to_array<base::EnumText<ModelPart>>({{Stem, "stem"},
                                                   {Layer1, "layer1"},
                                                   {Layer2, "layer2"},
                                                   {Layer3, "layer3"},
                                                   {Layer4, "layer4"},
                                                   {Fpn, "fpn"},
                                                   {Rpn, "rpn"},
                                                   {BoxHead, "box_head"},
                                                   {MaskHead, "mask_head"}});
}
inline constexpr std::size_t kModelParts = base::kEnumTexts<ModelPart>.size();

/// The part of a parameter, by torchvision's name; nothing for a name of another model.
constexpr std::optional<ModelPart> partOf(std::string_view parameter) {
  struct Prefix {
    std::string_view text;
    ModelPart part;
  };
  using enum ModelPart;
  constexpr Prefix kPrefixes[] = {{"backbone.body.layer1.", Layer1},
                                  {"backbone.body.layer2.", Layer2},
                                  {"backbone.body.layer3.", Layer3},
                                  {"backbone.body.layer4.", Layer4},
                                  {"backbone.body.", Stem},
                                  {"backbone.fpn.", Fpn},
                                  {"rpn.", Rpn},
                                  {"roi_heads.box_", BoxHead},
                                  {"roi_heads.mask_", MaskHead}};
  for (const Prefix& prefix : kPrefixes)
    if (parameter.starts_with(prefix.text)) return prefix.part;
  return std::nullopt;
}

}  // namespace lockstep::config
