#include "engine/data/transform_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/counter_hash.h"
#include "engine/config/resized_size.h"

namespace lockstep::data {
namespace {

using base::RandomPurpose;
using coco::PixelWindow;

/// The random numbers of one occurrence of an image.
class Choices {
 public:
  Choices(std::uint64_t seed, ImageId id, std::int64_t occurrence)
      : seed_(seed),
        id_(static_cast<std::uint64_t>(id.value)),
        occurrence_(static_cast<std::uint64_t>(occurrence)) {}

  double uniform(RandomPurpose purpose) const {
    return base::counterUniform({seed_, static_cast<std::uint64_t>(purpose), occurrence_, id_});
  }
  /// The index-th of several for one purpose.
  double uniform(RandomPurpose purpose, std::uint64_t index) const {
    return base::counterUniform(
        {seed_, static_cast<std::uint64_t>(purpose), occurrence_, id_, index});
  }
  double between(RandomPurpose purpose, double low, double high) const {
    return low < high ? low + (high - low) * uniform(purpose) : low;
  }
  double factor(RandomPurpose purpose, double spread) const {
    return spread > 0 ? between(purpose, std::max(0.0, 1 - spread), 1 + spread) : 1;
  }
  std::uint64_t key(RandomPurpose purpose) const {
    return base::counterHash({seed_, static_cast<std::uint64_t>(purpose), occurrence_, id_});
  }

 private:
  std::uint64_t seed_, id_, occurrence_;
};

int roundedSide(double px) { return std::max(1, static_cast<int>(std::lround(px))); }

/// A part of a window, as large as the fractions of its sides, at a random place.
PixelWindow randomPart(const PixelWindow& window, double fractionX, double fractionY,
                       const Choices& choices, RandomPurpose purpose) {
  PixelWindow part{0, 0, std::min(roundedSide(window.width * fractionX), window.width),
                   std::min(roundedSide(window.height * fractionY), window.height)};
  // As many places as a whole number of px has.
  const auto offset = [&](std::uint64_t index, int spare) {
    return static_cast<int>(choices.uniform(purpose, index) * (spare + 1));
  };
  part.x = window.x + offset(2, window.width - part.width);
  part.y = window.y + offset(3, window.height - part.height);
  return part;
}

/// The part of the turned image that is kept, before the scale is chosen.
PixelWindow cropOf(const base::ImageSize& image, double least, const Choices& choices) {
  const PixelWindow whole{0, 0, static_cast<int>(image.width), static_cast<int>(image.height)};
  if (least <= 0 || least >= 1) return whole;
  const auto fraction = [&](std::uint64_t index) {
    return least + (1 - least) * choices.uniform(RandomPurpose::Crop, index);
  };
  return randomPart(whole, fraction(0), fraction(1), choices, RandomPurpose::Crop);
}

int minSizeOf(const config::AugmentConfig& augment, const Choices& choices) {
  const auto sizes = static_cast<double>(augment.minSize.size());
  return augment.minSize[static_cast<std::size_t>(choices.uniform(RandomPurpose::MinSize) * sizes)];
}

int quarterTurnsOf(double probability, const Choices& choices) {
  const double drawn = choices.uniform(RandomPurpose::QuarterTurn);
  return drawn < probability ? 1 + std::min(2, static_cast<int>(drawn / probability * 3)) : 0;
}

void chooseScale(TransformPlan& plan, const config::AugmentConfig& augment,
                 const Choices& choices) {
  plan.resized =
      config::resizedSize(plan.croppedSize(), minSizeOf(augment, choices), augment.maxSize);
  const double factor = choices.between(RandomPurpose::ScaleJitter, augment.scaleJitter.front(),
                                        augment.scaleJitter.back());
  if (factor < 1) {
    plan.resized = {roundedSide(static_cast<double>(plan.resized.height) * factor),
                    roundedSide(static_cast<double>(plan.resized.width) * factor)};
  } else if (factor > 1) {
    plan.window =
        randomPart(plan.window, 1 / factor, 1 / factor, choices, RandomPurpose::ScaleJitter);
  }
}

void chooseColours(TransformPlan& plan, const config::AugmentConfig& augment,
                   const Choices& choices) {
  plan.brightness = choices.factor(RandomPurpose::Brightness, augment.brightness);
  plan.contrast = choices.factor(RandomPurpose::Contrast, augment.contrast);
  plan.saturation = choices.factor(RandomPurpose::Saturation, augment.saturation);
  plan.blurPx = choices.between(RandomPurpose::Blur, 0, augment.blur);
  plan.noise = choices.between(RandomPurpose::Noise, 0, augment.noise);
  plan.noiseKey = choices.key(RandomPurpose::Noise);
}

TransformPlan wholeImage(base::ImageSize original) {
  TransformPlan plan;
  plan.original = original;
  plan.window = {0, 0, static_cast<int>(original.width), static_cast<int>(original.height)};
  return plan;
}

}  // namespace

TransformPlan planTraining(const config::AugmentConfig& augment, base::ImageSize original,
                           ImageId id, std::int64_t occurrence, std::uint64_t seed) {
  const Choices choices(seed, id, occurrence);
  TransformPlan plan = wholeImage(original);
  plan.quarterTurns = quarterTurnsOf(augment.quarterTurns, choices);
  base::ImageSize turned = original;
  if (plan.quarterTurns % 2 == 1) std::swap(turned.width, turned.height);
  plan.window = cropOf(turned, augment.crop, choices);
  chooseScale(plan, augment, choices);
  chooseColours(plan, augment, choices);
  plan.flipHorizontal = choices.uniform(RandomPurpose::HorizontalFlip) < augment.horizontalFlip;
  plan.flipVertical = choices.uniform(RandomPurpose::VerticalFlip) < augment.verticalFlip;
  return plan;
}

TransformPlan planEvaluation(const config::AugmentConfig& augment, base::ImageSize original) {
  TransformPlan plan = wholeImage(original);
  plan.resized = config::resizedSize(original, augment.minSize.back(), augment.maxSize);
  return plan;
}

structures::ImageRow imageRow(const TransformPlan& plan) {
  return {.height = plan.croppedSize().height,
          .width = plan.croppedSize().width,
          .resizedHeight = plan.resized.height,
          .resizedWidth = plan.resized.width,
          .flipsHorizontally = plan.flipHorizontal,
          .flipsVertically = plan.flipVertical};
}

}  // namespace lockstep::data
