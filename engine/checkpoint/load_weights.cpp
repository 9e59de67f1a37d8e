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
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/checkpoint/weights_layout.h"

namespace lockstep::checkpoint {
namespace {

constexpr const char* kClassScores = "roi_heads.box_predictor.cls_score.weight";
constexpr std::size_t kNamesInSummary = 4;
constexpr std::size_t kLongSummary = 200;  // bytes after which no further name is listed

/// The shape as in files.
std::string shapeText(const std::string& name, const at::Tensor& tensor) {
  std::ostringstream text;
  text << inFileShape(name, tensor).sizes();
  return base::shortened(text.str());
}

/// `a, b, c and 4 more`
std::string nameList(const std::vector<std::string>& names) {
  std::string text;
  std::size_t listed = 0;
  for (; listed < std::min(names.size(), kNamesInSummary) && text.size() < kLongSummary; ++listed)
    text += (listed ? ", " : "") + names[listed];
  if (names.size() > listed) text += " and " + std::to_string(names.size() - listed) + " more";
  return text;
}

void appendPart(std::string& text, const std::vector<std::string>& names, const char* what) {
  if (!names.empty())
    text += ", " + std::to_string(names.size()) + " " + what + " (" + nameList(names) + ")";
}

/// Compares names and shapes without copying. Matching tensors are in `loaded`.
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
      result.mismatched.push_back(name + " " + shapeText(name, found->second.tensor) +
                                  " in the file, " + shapeText(name, target) + " in the model");
    }
  }
  for (const auto& [name, inFile] : tensors) {
    if (!modelNames.contains(name) && !isUpdateCount(name))
      result.unexpected.push_back(base::shortened(name));
  }
  std::sort(result.unexpected.begin(), result.unexpected.end());
  return result;
}

void requireSameClassCount(const NamedTensors& model, const FileTensors& tensors,
                           const std::string& name) {
  const auto inFile = tensors.find(kClassScores);
  const auto inModel = std::find_if(model.begin(), model.end(),
                                    [](const auto& entry) { return entry.first == kClassScores; });
  if (inFile == tensors.end() || inModel == model.end() || inFile->second.tensor.dim() != 2) return;
  if (inFile->second.tensor.size(0) == inModel->second.size(0)) return;
  throw UserError(
      "weights do not match the model: " + name + " has " +
      base::counted(static_cast<std::uint64_t>(inFile->second.tensor.size(0)), "class") +
      ", the dataset has " + std::to_string(inModel->second.size(0)) + " (including background)");
}

/// Tensor names of both.
struct Names {
  std::vector<std::string> model, file;
};

Names namesOf(const NamedTensors& model, const FileTensors& tensors) {
  Names names;
  for (const auto& [name, tensor] : model) names.model.push_back(name);
  for (const auto& [name, inFile] : tensors) names.file.push_back(name);
  return names;
}

/// How the backbones differ, with the key to set; empty when their tensor names do not show it.
std::string backboneDifference(const Names& names) {
  const std::string inFile = backboneOf(names.file), inModel = backboneOf(names.model);
  if (!inFile.empty() && !inModel.empty() && inFile != inModel)
    return "its backbone is " + inFile + ", model.backbone is " + inModel;
  const bool fileHas = hasBatchNorms(names.file), modelHas = hasBatchNorms(names.model);
  if (fileHas == modelHas) return {};
  return fileHas ? "it has batch norms: set model.norm to frozen_batch"
                 : "it has no batch norms: set model.norm to group";
}

/// Which of the two alone has a mask head, with the key to set; empty: both or none.
std::string maskHeadDifference(const Names& names) {
  const auto hasMaskHead = [](const std::vector<std::string>& of) {
    return std::ranges::any_of(
        of, [](const std::string& name) { return name.starts_with("roi_heads.mask_"); });
  };
  if (hasMaskHead(names.file) == hasMaskHead(names.model)) return {};
  return hasMaskHead(names.file) ? "it has a mask head: set model.masks to true"
                                 : "it has no mask head: set model.masks to false";
}

void requireExactMatch(const LoadedWeights& weights, const Names& names, const std::string& name) {
  if (weights.mismatched.empty() && weights.missing.empty() && weights.unexpected.empty()) return;
  const std::string start = "weights do not match the model: " + name + ": ";
  std::string hint;
  for (const std::string& part :
       {backboneDifference(names), maskHeadDifference(names), originOf(weights.unexpected)}) {
    if (!part.empty()) hint += "; " + part;
  }
  if (!weights.mismatched.empty()) throw UserError(start + nameList(weights.mismatched) + hint);
  if (!weights.missing.empty())
    throw UserError(start + "missing keys: " + nameList(weights.missing) + hint);
  throw UserError(start + "unexpected keys: " + nameList(weights.unexpected) + hint);
}

/// Rejects other architectures: loading only the layers with equal names would give a model with
/// random layers in between.
void requireKnownLayout(const LoadedWeights& weights, const std::string& name) {
  std::vector<std::string> unexpected;
  std::ranges::copy_if(weights.unexpected, std::back_inserter(unexpected),
                       [](const std::string& key) { return !isNameOfLayout(key); });
  if (unexpected.empty()) return;
  const std::string origin = originOf(unexpected);
  throw UserError("model.weights: " + name +
                  " is neither a Mask R-CNN with a ResNet and FPN nor a ResNet under "
                  "torchvision's names: unexpected keys: " +
                  nameList(unexpected) + (origin.empty() ? "" : "; " + origin));
}

/// The whole backbone must match: otherwise some of its layers would be random between trained
/// ones.
void requireSameBackbone(const LoadedWeights& weights, const Names& names,
                         const std::string& name) {
  if (std::ranges::none_of(names.file, isOfBody))
    throw UserError("model.weights: " + name + " has no backbone weights");
  const std::string difference = backboneDifference(names);
  constexpr std::array kProblems{std::pair{&LoadedWeights::mismatched, ""},
                                 std::pair{&LoadedWeights::missing, "missing key "},
                                 std::pair{&LoadedWeights::unexpected, "unexpected key "}};
  for (const auto& [list, problem] : kProblems) {
    const auto& listed = weights.*list;
    const auto found = std::ranges::find_if(listed, isOfBody);
    if (found == listed.end()) continue;
    throw UserError("model.weights: " + name + " does not match the model: " +
                    (difference.empty() ? problem + *found : difference));
  }
}

/// Requires finite values in the model's dtype: others only give an AP of 0.
void requireFinite(const NamedTensors& model, const FileTensors& tensors, const std::string& name) {
  for (const auto& [target, tensor] : model) {
    const auto found = tensors.find(target);
    if (found == tensors.end() || found->second.tensor.sizes() != tensor.sizes() ||
        !tensor.is_floating_point())
      continue;
    const at::Tensor values = found->second.tensor.to(tensor.scalar_type());
    const auto finite = at::isfinite(values).sum().item<std::int64_t>();
    if (finite == values.numel()) continue;
    const auto nans = at::isnan(values).sum().item<std::int64_t>();
    throw Error(name + ": tensor " + base::shortened(found->second.nameInFile) + " has " +
                std::to_string(nans) + " NaN and " +
                std::to_string(values.numel() - finite - nans) + " infinite of " +
                std::to_string(values.numel()) +
                " values: the file is corrupt or its training diverged; use other weights");
  }
}

}  // namespace

std::string LoadedWeights::summary() const {
  std::string text = base::counted(loaded.size(), "tensor") + " loaded";
  appendPart(text, mismatched, "skipped because of a shape mismatch");
  appendPart(text, missing, "missing");
  appendPart(text, unexpected, "unexpected");
  return text;
}

LoadedWeights loadWeights(const NamedTensors& model, const SafetensorsFile& file, WeightsUse use,
                          const std::string& name) {
  const FileTensors tensors = inModelNames({inModelShapes(file.tensors, model), {}});
  const Names names = namesOf(model, tensors);
  LoadedWeights result = compare(model, tensors);
  if (use == WeightsUse::Initial) {
    requireKnownLayout(result, name);
    requireSameBackbone(result, names, name);
  } else {
    requireSameClassCount(model, tensors, name);
    requireExactMatch(result, names, name);
  }
  if (use != WeightsUse::Exactly) requireFinite(model, tensors, name);
  at::NoGradGuard noGradient;
  for (const auto& [target, tensor] : model) {
    const auto found = tensors.find(target);
    if (found != tensors.end() && found->second.tensor.sizes() == tensor.sizes())
      tensor.copy_(found->second.tensor);
  }
  return result;
}

}  // namespace lockstep::checkpoint
