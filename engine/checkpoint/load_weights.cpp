#include "engine/checkpoint/load_weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/checkpoint/weights_layout.h"

namespace lockstep::checkpoint {
namespace {

constexpr const char* kClassScores = "roi_heads.box_predictor.cls_score.weight";
constexpr std::size_t kNamesInSummary = 4;
constexpr std::size_t kLongSummary = 200;  // bytes after which no further name is told

/// As files have it.
std::string shapeText(const std::string& name, const at::Tensor& tensor) {
  std::ostringstream text;
  text << inFileShape(name, tensor).sizes();
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
LoadedWeights compare(const NamedTensors& model, const FileTensors& tensors) {
  LoadedWeights result;
  std::set<std::string> modelNames;
  for (const auto& [name, target] : model) {
    modelNames.insert(name);
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      if (!isUpdateCount(name)) result.missing.push_back(name);
    } else if (found->second.tensor.sizes() == target.sizes()) {
      result.loaded.push_back(name);
    } else {
      result.leftOut.push_back(name + " " + shapeText(name, found->second.tensor) + " is not " +
                               shapeText(name, target));
    }
  }
  for (const auto& [name, inFile] : tensors) {
    if (!modelNames.contains(name) && !isUpdateCount(name))
      result.unused.push_back(base::shortened(name));
  }
  std::sort(result.unused.begin(), result.unused.end());
  return result;
}

void refuseOtherClassCount(const NamedTensors& model, const FileTensors& tensors,
                           const std::string& name) {
  const auto inFile = tensors.find(kClassScores);
  const auto inModel = std::find_if(model.begin(), model.end(),
                                    [](const auto& entry) { return entry.first == kClassScores; });
  if (inFile == tensors.end() || inModel == model.end() || inFile->second.tensor.dim() != 2) return;
  if (inFile->second.tensor.size(0) == inModel->second.size(0)) return;
  throw base::mendable("weights of another model: " + name + " has " +
                       std::to_string(inFile->second.tensor.size(0)) +
                       " classes, the data set has " + std::to_string(inModel->second.size(0)) +
                       " (with background)");
}

/// What both are made of.
struct Names {
  std::vector<std::string> model, file;
};

Names namesOf(const NamedTensors& model, const FileTensors& tensors) {
  Names names;
  for (const auto& [name, tensor] : model) names.model.push_back(name);
  for (const auto& [name, inFile] : tensors) names.file.push_back(name);
  return names;
}

/// In what the backbones differ, and the key that says so; empty where their names do not tell.
std::string backboneDifference(const Names& names) {
  const std::string inFile = backboneOf(names.file), inModel = backboneOf(names.model);
  if (!inFile.empty() && !inModel.empty() && inFile != inModel)
    return "its backbone is " + inFile + ", model.backbone is " + inModel;
  const bool fileHas = hasBatchNorms(names.file), modelHas = hasBatchNorms(names.model);
  if (fileHas == modelHas) return {};
  return fileHas ? "it has batch norms: set model.norm to frozen_batch"
                 : "it has no batch norms: set model.norm to group";
}

void refuseAnyDifference(const LoadedWeights& weights, const Names& names,
                         const std::string& name) {
  if (weights.leftOut.empty() && weights.missing.empty() && weights.unused.empty()) return;
  const std::string start = "weights of another model: " + name + ": ";
  const std::string difference = backboneDifference(names), origin = originOf(weights.unused);
  const std::string hint =
      (difference.empty() ? "" : "; " + difference) + (origin.empty() ? "" : "; " + origin);
  if (!weights.leftOut.empty()) throw base::mendable(start + nameList(weights.leftOut) + hint);
  if (!weights.missing.empty())
    throw base::mendable(start + "it lacks " + nameList(weights.missing) + hint);
  throw base::mendable(start + "the model lacks " + nameList(weights.unused) + hint);
}

/// What is loaded of a model that is put together otherwise would be parts without what belongs
/// between them.
void refuseOtherLayout(const LoadedWeights& weights, const std::string& name) {
  std::vector<std::string> strangers;
  std::ranges::copy_if(weights.unused, std::back_inserter(strangers),
                       [](const std::string& unused) { return !isNameOfLayout(unused); });
  if (strangers.empty()) return;
  const std::string origin = originOf(strangers);
  throw base::mendable("model.weights: " + name +
                       " is neither a Mask R-CNN with a ResNet and FPN nor a ResNet under "
                       "torchvision's names: left over are " +
                       nameList(strangers) + (origin.empty() ? "" : "; " + origin));
}

/// The backbone must fit whole: a part of it would start from noise between layers that were
/// trained.
void refuseOtherBackbone(const LoadedWeights& weights, const Names& names,
                         const std::string& name) {
  if (std::ranges::none_of(names.file, isOfBody))
    throw base::mendable("model.weights: nothing in " + name + " fits the backbone");
  const std::string difference = backboneDifference(names);
  constexpr std::array kFaults{std::pair{&LoadedWeights::leftOut, ""},
                               std::pair{&LoadedWeights::missing, "it lacks "},
                               std::pair{&LoadedWeights::unused, "the model lacks "}};
  for (const auto& [list, words] : kFaults) {
    const auto& listed = weights.*list;
    const auto found = std::ranges::find_if(listed, isOfBody);
    if (found == listed.end()) continue;
    throw base::mendable("model.weights: " + name + " is of another model: " +
                         (difference.empty() ? words + *found : difference));
  }
}

/// What is trained or used is finite, as the model's type holds it: of other numbers nothing
/// follows but an AP of 0.
void refuseNonFinite(const NamedTensors& model, const FileTensors& tensors,
                     const std::string& name) {
  for (const auto& [target, tensor] : model) {
    const auto found = tensors.find(target);
    if (found == tensors.end() || found->second.tensor.sizes() != tensor.sizes() ||
        !tensor.is_floating_point())
      continue;
    const at::Tensor values = found->second.tensor.to(tensor.scalar_type());
    const auto finite = at::isfinite(values).sum().item<std::int64_t>();
    if (finite == values.numel()) continue;
    const auto nans = at::isnan(values).sum().item<std::int64_t>();
    throw Error(name + ": tensor " + base::shortened(found->second.nameInFile) + " holds " +
                std::to_string(nans) + " NaN and " +
                std::to_string(values.numel() - finite - nans) + " infinite of its " +
                std::to_string(values.numel()) +
                " values: the file is damaged, or of a training that diverged; take another");
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
  const FileTensors tensors = inModelNames({inModelShapes(file.tensors, model), {}});
  const Names names = namesOf(model, tensors);
  LoadedWeights result = compare(model, tensors);
  if (use == WeightsUse::Start) {
    refuseOtherLayout(result, name);
    refuseOtherBackbone(result, names, name);
  } else {
    refuseOtherClassCount(model, tensors, name);
    refuseAnyDifference(result, names, name);
  }
  if (use != WeightsUse::Exactly) refuseNonFinite(model, tensors, name);
  at::NoGradGuard noGradient;
  for (const auto& [target, tensor] : model) {
    const auto found = tensors.find(target);
    if (found != tensors.end() && found->second.tensor.sizes() == tensor.sizes())
      tensor.copy_(found->second.tensor);
  }
  return result;
}

}  // namespace lockstep::checkpoint
