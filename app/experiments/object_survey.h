#pragma once

#include <QString>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_version.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/anchor_fit.h"

namespace lockstep::app {

/// The training objects of an experiment as its anchors and limits meet them.
struct ObjectSurvey {
  std::string key;                    ///< what of the experiment it is of
  base::FileVersion version;          ///< of the annotations
  std::vector<coco::Image> shapes{};  ///< one image of each size that occurs, without its name
  std::size_t objects = 0;
  std::size_t mostInImage = 0;
  QString mostCrowded{};  ///< file_name of the image with the most objects
  config::BoxSizes boxSizes{};
  double uncovered = 0;  ///< share of the objects with no anchor of IoU config::kCoveringIou
  double distant = 0;    ///< share with none of IoU model.rpn.bg_iou: all are background
  std::optional<config::AnchorConfig> betterAnchors{};  ///< where those of the experiment miss many
};

/// `known` if it is of the same annotations and settings. nullptr: the annotations cannot be read.
/// Blocks.
std::shared_ptr<const ObjectSurvey> surveyObjects(const config::Experiment& experiment,
                                                  std::shared_ptr<const ObjectSurvey> known);

}  // namespace lockstep::app
