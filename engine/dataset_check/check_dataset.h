#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/coco/masks/orientation.h"
#include "engine/config/experiment.h"
#include "engine/dataset_check/part_data.h"
#include "engine/dataset_check/part_facts.h"
#include "engine/dataset_check/picture.h"

/// `dataset check`: what is wrong with the annotations and images of an experiment, and what they
/// consist of.
namespace lockstep::dataset_check {

/// Called from one thread at a time; may throw to stop the check.
using CheckProgress =
    std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

struct CheckedPart {
  PartData data{};
  PartFacts facts{};
  bool isRead = true;                    ///< false: its annotation file is no COCO JSON
  std::vector<PictureState> pictures{};  ///< of each image
  std::vector<int> orientations{};       ///< of Picture::exifOrientation
  std::vector<bool> isAmbiguous{};       ///< of each image: another entry has its id

  /// Whether the annotations of an image can be turned to its stored pixels.
  bool isTurned(std::size_t image) const {
    return pictures[image] == PictureState::Turned && coco::swapsSides(orientations[image]);
  }
  /// Whether an image can be used, once it is turned.
  bool isUsable(std::size_t image) const {
    return (pictures[image] == PictureState::Usable || isTurned(image)) && !isAmbiguous[image];
  }
};

struct DatasetCheck {
  std::vector<CheckedPart> parts{};  ///< those that the experiment has
  bool isOneFile = false;            ///< both parts are the same annotations of the same images
  std::vector<Finding> faults{}, notes{};
  /// Why it cannot be trained on as it is; empty: it can, though it may have faults.
  std::vector<std::string> refusals{};
};

/// Decodes every image and rasterises every mask on all cores. Throws UserError if the experiment
/// has no part.
DatasetCheck checkDataset(const config::Experiment& experiment, const PictureReader& pictures,
                          const CheckProgress& onProgress = {});

}  // namespace lockstep::dataset_check
