#pragma once

#include <cstdint>

#include "engine/base/ids.h"
#include "engine/base/image_size.h"
#include "engine/coco/masks/mask_geometry.h"
#include "engine/config/experiment.h"
#include "engine/structures/image_row.h"

namespace lockstep::data {

/// The transform parameters of one image, chosen before it is read. They apply in the order of the
/// members.
struct TransformPlan {
  base::ImageSize original;  ///< of the image file, px
  int quarterTurns = 0;      ///< clockwise
  coco::PixelWindow window;  ///< the part of the turned image that is kept
  double brightness = 1, contrast = 1, saturation = 1;  ///< factors; 1: unchanged
  double blurPx = 0;                                    ///< standard deviation
  double noise = 0;            ///< standard deviation, of values in 0 … 1
  std::uint64_t noiseKey = 0;  ///< of its random numbers
  bool flipHorizontal = false;
  bool flipVertical = false;
  base::ImageSize resized;  ///< px

  base::ImageSize croppedSize() const { return window.size(); }
  bool isTurnedOrCropped() const { return quarterTurns != 0 || !(croppedSize() == original); }
  bool changesColour() const {
    return brightness != 1 || contrast != 1 || saturation != 1 || blurPx > 0 || noise > 0;
  }
};

/// The augmentation of a training image: a pure function of the arguments. `occurrence`: of the
/// image, see Sampler::Draw. Jitter factors are uniform in [max(0, 1 - x), 1 + x], blur and noise
/// in [0, x], the scale factor in its limits; the shortest side is drawn from min_size. A crop
/// keeps a uniform fraction of each side, and is made before the image is resized, as Detectron2's
/// RandomCrop of type relative_range. What a scale factor above 1 makes larger is cropped at a
/// random place, as in large-scale jitter (Ghiasi et al., "Simple Copy-Paste", CVPR 2021); what is
/// padded there is padded with the batch here.
TransformPlan planTraining(const config::AugmentConfig& augment, base::ImageSize original,
                           ImageId id, std::int64_t occurrence, std::uint64_t seed);

/// The transform of evaluation and prediction: resizes to the last of min_size, no augmentation.
TransformPlan planEvaluation(const config::AugmentConfig& augment, base::ImageSize original);

/// The resize parameters of an image that has been turned and cut, for ops::resizeImages.
structures::ImageRow imageRow(const TransformPlan& plan);

}  // namespace lockstep::data
