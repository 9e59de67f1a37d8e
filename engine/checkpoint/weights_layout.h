#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/checkpoint/safetensors.h"

/// What tensor names reveal about the model.
namespace lockstep::checkpoint {

/// A tensor of a file with its name there, which may differ from that in the model.
struct FileTensor {
  std::string nameInFile;
  at::Tensor tensor;
};
/// Key: the model's name.
using FileTensors = std::unordered_map<std::string, FileTensor>;

/// Maps the tensors to the model's names: a torchvision ResNet becomes the backbone, names of
/// torchvision before 0.13 become the current ones.
FileTensors inModelNames(const SafetensorsFile& file);

/// The weight that the model applies as a convolution, `roi_heads.box_head.fc6.weight` [out,C,H,W],
/// is torchvision's matrix [out,C * H * W] in files, and so is its optimizer state, whose name has
/// the same suffix. All other tensors have the same shape in both.
at::Tensor inFileShape(const std::string& name, const at::Tensor& ofModel);
/// All tensors of a model or of its optimizer state.
NamedTensors inFileShapes(NamedTensors ofModel);
/// Tensors of a file in the shapes of a model (MaskRcnn::namedState()); others are unchanged.
NamedTensors inModelShapes(NamedTensors ofFile, const NamedTensors& model);

inline bool isOfBody(const std::string& name) { return name.starts_with("backbone.body."); }

/// Batch norm's update counters: optional in files, and unused in inference and training.
inline bool isUpdateCount(const std::string& name) { return name.ends_with("num_batches_tracked"); }

/// Whether a Mask R-CNN of any configuration can have a tensor of that name; also true for the
/// unused classifier of a ResNet.
bool isNameOfLayout(const std::string& name);

/// The project or wrapper that unexpected tensor names come from, as a clause for messages; empty:
/// unknown.
std::string originOf(const std::vector<std::string>& unexpected);

/// `resnet50`, by the block counts of the backbone; empty if unknown.
std::string backboneOf(const std::vector<std::string>& names);

/// Whether the backbone has batch norms: only these have running means.
bool hasBatchNorms(const std::vector<std::string>& names);

}  // namespace lockstep::checkpoint
