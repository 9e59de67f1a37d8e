#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/checkpoint/safetensors.h"

/// What the names of tensors say about the model they are of.
namespace lockstep::checkpoint {

/// A tensor of a file that stands under another name in the model.
struct FileTensor {
  std::string nameInFile;
  at::Tensor tensor;
};
/// By the model's names.
using FileTensors = std::unordered_map<std::string, FileTensor>;

/// Tensors under the model's names: those of a torchvision ResNet as its backbone, names of
/// torchvision before 0.13 as today's.
FileTensors inModelNames(const SafetensorsFile& file);

/// In files a weight that the model applies to maps at once, `roi_heads.box_head.fc6.weight`
/// [out,C,H,W], is torchvision's matrix [out,C * H * W]; the optimizer's state of it too, whose
/// name ends alike. Everything else is the same in both.
at::Tensor inFileShape(const std::string& name, const at::Tensor& ofModel);
/// All of a model or of its optimizer's state.
NamedTensors inFileShapes(NamedTensors ofModel);
/// Tensors of a file in the shapes that they have in a model (MaskRcnn::namedState()); what does
/// not fit it stays as it is.
NamedTensors inModelShapes(NamedTensors ofFile, const NamedTensors& model);

inline bool isOfBody(const std::string& name) { return name.starts_with("backbone.body."); }

/// Counts of batch norm's updates: files have them or not, and nothing in inference or training
/// needs them.
inline bool isUpdateCount(const std::string& name) { return name.ends_with("num_batches_tracked"); }

/// Whether a Mask R-CNN as the engine builds it can have such a tensor, whatever its configuration;
/// also the classifier of a ResNet, which nothing needs.
bool isNameOfLayout(const std::string& name);

/// What tensors that are of no such model are of, where that is known: a sentence without an end;
/// empty: it is not.
std::string originOf(const std::vector<std::string>& strangers);

/// `resnet50`, by the blocks of the backbone; empty where they are of none that is known.
std::string backboneOf(const std::vector<std::string>& names);

/// Whether the backbone has batch norms: they alone have running means.
bool hasBatchNorms(const std::vector<std::string>& names);

}  // namespace lockstep::checkpoint
