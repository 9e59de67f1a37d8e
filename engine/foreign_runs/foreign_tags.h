#pragma once

#include <string>
#include <string_view>

namespace lockstep::foreign_runs {

/// The tag that a scalar of another program has in our logs, and what its values are multiplied by:
/// detectron2's AP is a percentage.
struct OwnTag {
  std::string tag;
  double factor = 1;
};

/// Knows detectron2, MMDetection, torchvision's references, PyTorch Lightning, Ultralytics, YOLOv5,
/// YOLOX, RF-DETR, TensorFlow's object detection, Hugging Face's Trainer and Matterport's Mask
/// R-CNN; other tags are their own.
OwnTag ownTagOf(std::string_view foreign);

/// Whether a tag is one of a training step or known to be none of an evaluation: a learning rate, a
/// time.
bool isOfTraining(std::string_view foreign);

}  // namespace lockstep::foreign_runs
