#include "engine/config/backbones.h"

#include <string>

#include "engine/base/error.h"

namespace lockstep::config {
namespace {

constexpr Backbone kBackbones[] = {
    {"resnet18", BlockKind::Basic, {2, 2, 2, 2}},
    {"resnet34", BlockKind::Basic, {3, 4, 6, 3}},
    {"resnet50", BlockKind::Bottleneck, {3, 4, 6, 3}},
    {"resnet101", BlockKind::Bottleneck, {3, 4, 23, 3}},
};

/// Parameters of a convolution without bias and of the norm after it.
constexpr std::int64_t convAndNorm(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return in * out * kernel * kernel + 2 * out;
}

std::string namesText() {
  std::string text;
  for (std::size_t i = 0; i < std::size(kBackbones); ++i) {
    const bool isLast = i + 1 == std::size(kBackbones);
    text += (i == 0 ? "" : isLast ? " or " : ", ") + std::string(kBackbones[i].name);
  }
  return text;
}

}  // namespace

std::span<const Backbone> backbones() { return kBackbones; }

const Backbone& findBackbone(std::string_view name) {
  for (const Backbone& each : kBackbones) {
    if (name == each.name) return each;
  }
  throw UserError("model.backbone: unknown backbone '" + std::string(name) + "'; use " +
                  namesText());
}

std::int64_t Backbone::parameterCount() const {
  std::int64_t count = convAndNorm(3, width(0), 7);
  std::int64_t in = width(0);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    const std::int64_t middle = width(stage), out = channels(stage);
    for (int i = 0; i < blocks[stage]; ++i) {
      count += block == BlockKind::Bottleneck
                   ? convAndNorm(in, middle, 1) + convAndNorm(middle, middle, 3) +
                         convAndNorm(middle, out, 1)
                   : convAndNorm(in, middle, 3) + convAndNorm(middle, out, 3);
      const bool hasDownsample = i == 0 && (stage > 0 || in != out);
      if (hasDownsample) count += convAndNorm(in, out, 1);
      in = out;
    }
  }
  return count;
}

}  // namespace lockstep::config
