#include "engine/checkpoint/load_weights.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::checkpoint {
namespace {

constexpr const char* kBody = "backbone.body.";
constexpr const char* kClassScores = "roi_heads.box_predictor.cls_score.weight";
constexpr std::size_t kNamesInSummary = 4;
constexpr std::size_t kLongSummary = 200;  // bytes after which no further name is told

bool isOfBody(const std::string& name) { return name.starts_with(kBody); }

/// Counts of batch norm's updates: files have them or not, and nothing in inference or training
/// needs them.
bool isUpdateCount(const std::string& name) { return name.ends_with("num_batches_tracked"); }

bool replacePrefix(std::string& name, const std::string& from, const std::string& to) {
  if (!name.starts_with(from)) return false;
  name = to + name.substr(from.size());
  return true;
}

/// torchvision's names before 0.13, which its published Mask R-CNN weights still have, as those of
/// today: `inner_blocks.0.weight` is `inner_blocks.0.0.weight`, `mask_fcn1.weight` is `0.0.weight`.
std::string todaysName(std::string name) {
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

/// Tensors of the file under the model's names.
std::unordered_map<std::string, at::Tensor> inModelNames(const SafetensorsFile& file) {
  const bool isResNet = file.find("conv1.weight") && file.find("layer1.0.conv1.weight");
  std::unordered_map<std::string, at::Tensor> tensors;
  for (const auto& [name, tensor] : file.tensors) {
    tensors[isResNet && !name.starts_with("fc.") ? kBody + name : todaysName(name)] = tensor;
  }
  return tensors;
}

std::string shapeText(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return base::shortened(text.str());
}

/// `a, b, c and 4 more`
std::string nameList(const std::vector<std::string>& names) {
  std::string text;
  std::size_t told = 0;
  for (; told < std::min(names.size(), kNamesInSummary) && text.size() < kLongSummary; ++told)
    text += (told ? ", " : "") + names[told];
  if (names.size() > told) text += " and " + std::to_string(names.size() - told) + " more";
  return text;
}

void appendPart(std::string& text, const std::vector<std::string>& names, const char* what) {
  if (!names.empty())
    text += ", " + std::to_string(names.size()) + " " + what + " (" + nameList(names) + ")";
}

/// Finds what fits without copying anything. A tensor that fits is in `loaded`.
LoadedWeights compare(const NamedTensors& model,
                      const std::unordered_map<std::string, at::Tensor>& tensors) {
  LoadedWeights result;
  std::set<std::string> modelNames;
  for (const auto& [name, target] : model) {
    modelNames.insert(name);
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      if (!isUpdateCount(name)) result.missing.push_back(name);
    } else if (found->second.sizes() == target.sizes()) {
      result.loaded.push_back(name);
    } else {
      result.leftOut.push_back(name + " " + shapeText(found->second) + " is not " +
                               shapeText(target));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (!modelNames.contains(name) && !isUpdateCount(name))
      result.unused.push_back(base::shortened(name));
  }
  std::sort(result.unused.begin(), result.unused.end());
  return result;
}

void refuseOtherClassCount(const NamedTensors& model,
                           const std::unordered_map<std::string, at::Tensor>& tensors,
                           const std::string& name) {
  const auto inFile = tensors.find(kClassScores);
  const auto inModel = std::find_if(model.begin(), model.end(),
                                    [](const auto& entry) { return entry.first == kClassScores; });
  if (inFile == tensors.end() || inModel == model.end() || inFile->second.dim() != 2) return;
  if (inFile->second.size(0) == inModel->second.size(0)) return;
  throw base::mendable("weights of another model: " + name + " has " +
                       std::to_string(inFile->second.size(0)) + " classes, the data set has " +
                       std::to_string(inModel->second.size(0)) + " (with background)");
}

/// Which key another norm is about: only batch norms have running means.
std::string normHint(const LoadedWeights& weights) {
  const auto hasMeans = [](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.ends_with("running_mean"); });
  };
  if (hasMeans(weights.unused)) return "; it has batch norms: set model.norm to frozen_batch";
  if (hasMeans(weights.missing)) return "; it has no batch norms: set model.norm to group";
  return {};
}

void refuseAnyDifference(const LoadedWeights& weights, const std::string& name) {
  const std::string start = "weights of another model: " + name + ": ";
  if (!weights.leftOut.empty()) throw base::mendable(start + nameList(weights.leftOut));
  if (!weights.missing.empty())
    throw base::mendable(start + "it lacks " + nameList(weights.missing) + normHint(weights));
  if (!weights.unused.empty())
    throw base::mendable(start + "the model lacks " + nameList(weights.unused) + normHint(weights));
}

/// The backbone must fit whole: a part of it would start from noise between layers that were
/// trained.
void refuseOtherBackbone(const LoadedWeights& weights, const std::string& name) {
  if (std::none_of(weights.loaded.begin(), weights.loaded.end(), isOfBody)) {
    throw base::mendable("model.weights: nothing in " + name + " fits the backbone");
  }
  const std::string start = "model.weights: " + name + " has another backbone or norm: ";
  constexpr std::array kFaults{std::pair{&LoadedWeights::leftOut, ""},
                               std::pair{&LoadedWeights::missing, "it lacks "},
                               std::pair{&LoadedWeights::unused, "the model lacks "}};
  for (const auto& [list, words] : kFaults) {
    const auto& names = weights.*list;
    const auto found = std::find_if(names.begin(), names.end(), isOfBody);
    if (found != names.end()) throw base::mendable(start + words + *found + normHint(weights));
  }
}

}  // namespace

std::string LoadedWeights::summary() const {
  std::string text = std::to_string(loaded.size()) + " tensors loaded";
  appendPart(text, leftOut, "left out");
  appendPart(text, missing, "missing");
  appendPart(text, unused, "unused");
  return text;
}

LoadedWeights loadWeights(const NamedTensors& model, const SafetensorsFile& file, WeightsUse use,
                          const std::string& name) {
  const std::unordered_map<std::string, at::Tensor> tensors = inModelNames(file);
  LoadedWeights result = compare(model, tensors);
  if (use == WeightsUse::Exactly) {
    refuseOtherClassCount(model, tensors, name);
    refuseAnyDifference(result, name);
  } else {
    refuseOtherBackbone(result, name);
  }
  at::NoGradGuard noGradient;
  for (const auto& [target, tensor] : model) {
    const auto found = tensors.find(target);
    if (found != tensors.end() && found->second.sizes() == tensor.sizes())
      tensor.copy_(found->second);
  }
  return result;
}

}  // namespace lockstep::checkpoint
