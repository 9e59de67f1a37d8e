#include "engine/model/mask_rcnn.h"

#include <torch/types.h>

#include "engine/base/error.h"
#include "engine/config/pyramid.h"
#include "engine/model/activation_watch.h"
#include "engine/model/backbone.h"
#include "engine/model/detection_trace.h"
#include "engine/model/fpn.h"
#include "engine/model/roi_heads.h"
#include "engine/model/rpn.h"
#include "engine/ops/matching.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/boxes.h"
#include "engine/structures/image_row.h"

namespace lockstep::model {
namespace {

/// IoU of a proposal with an object from which the RPN counts as having proposed the object.
constexpr double kProposedIou = 0.5;

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Parameters, then buffers, then children: the order of PyTorch's state_dict.
void appendState(const torch::nn::Module& module, const std::string& prefix, NamedTensors& state) {
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    state.emplace_back(prefix + item.key(), item.value());
  }
  for (const auto& item : module.named_buffers(/*recurse=*/false)) {
    state.emplace_back(prefix + item.key(), item.value());
  }
  for (const auto& child : module.named_children()) {
    appendState(*child.value(), prefix + child.key() + ".", state);
  }
}

void appendTrainable(const torch::nn::Module& module, const std::string& prefix,
                     std::vector<ParameterInfo>& parameters) {
  const bool isNorm = dynamic_cast<const Norm*>(&module) != nullptr;
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    if (!item.value().requires_grad()) continue;
    ParameterInfo info{prefix + item.key(), item.value()};
    info.role = isNorm                 ? ParameterInfo::Role::Norm
                : item.key() == "bias" ? ParameterInfo::Role::Bias
                                       : ParameterInfo::Role::Weight;
    info.inBackbone = prefix.starts_with("backbone.body.");
    parameters.push_back(std::move(info));
  }
  for (const auto& child : module.named_children()) {
    appendTrainable(*child.value(), prefix + child.key() + ".", parameters);
  }
}

void checkBatch(const at::Tensor& images, const std::vector<base::ImageSize>& sizes) {
  constexpr std::int64_t kDivisor = config::kSizeDivisor;
  TORCH_CHECK(images.dim() == 4 &&
                  (images.size(1) == structures::kImageChannels ||
                   images.size(1) == structures::kPaddedChannels) &&
                  images.size(2) % kDivisor == 0 && images.size(3) % kDivisor == 0,
              "images must be [N,3,H,W] or [N,4,H,W] with H and W multiples of ", kDivisor,
              ", got ", images.sizes());
  TORCH_CHECK(static_cast<std::int64_t>(sizes.size()) == images.size(0), "got ", images.size(0),
              " images and ", sizes.size(), " sizes");
}

}  // namespace

struct MaskRcnn::Features {
  std::vector<at::Tensor> levels;  // five, finest first
  RpnOutput rpn;
};

MaskRcnn::MaskRcnn(const config::ModelConfig& config, std::int64_t classCount, std::uint64_t seed,
                   ops::SumOverRanks sumOverRanks)
    : classCount_(classCount), norm_(config.resolvedNorm()) {
  const NormChoice norm{norm_, config.normEpsilon, std::move(sumOverRanks)};
  const auto backbone = register_module("backbone", std::make_shared<torch::nn::Module>());
  body_ = backbone->register_module("body", makeBackbone(config.backbone, norm));
  const std::vector<Backbone::Level> levels = body_->levels();
  fpn_ = backbone->register_module("fpn", std::make_shared<Fpn>(levels, config.fpnChannels));
  rpn_ =
      register_module("rpn", std::make_shared<Rpn>(config.rpn, config.anchors, config.fpnChannels));
  RoiHeadsConfig heads{config.boxHead, std::nullopt, config.fpnChannels, {}, classCount};
  if (config.masks) heads.mask = config.maskHead;
  for (const Backbone::Level& level : levels) heads.featureStrides.push_back(level.stride);
  roiHeads_ = register_module("roi_heads", std::make_shared<RoiHeads>(heads));
  nameLayers(*this);
  cachedWeights_ = cachedWeights(*this);
  initialiseParameters(*this, seed);
  body_->freezeStages(config.resolvedFreezeStages());
}

MaskRcnn::Features MaskRcnn::features(const at::Tensor& images) {
  at::Tensor input = images.to(computeType_.value_or(images.scalar_type()))
                         .contiguous(at::MemoryFormat::ChannelsLast);
  // Images in evaluation have three channels.
  if (input.is_cuda() && c10::isReducedFloatingType(input.scalar_type()))
    input = ops::withFourChannels(input);
  CachedWeight::refresh(cachedWeights_);
  std::vector<at::Tensor> maps = runsInCudaGraphs() ? (*cudaGraphs_)(input) : mapsOf(input);
  const at::Tensor head = maps.back();
  maps.pop_back();
  std::vector<base::ImageSize> sizes;
  for (const at::Tensor& level : maps) sizes.push_back({level.size(2), level.size(3)});
  return {maps, rpn_->read(head, sizes, {images.size(2), images.size(3)})};
}

std::vector<at::Tensor> MaskRcnn::mapsOf(const at::Tensor& input) {
  std::vector<at::Tensor> maps = fpn_->forward(body_->forward(input));
  maps.push_back(rpn_->head(maps));
  return maps;
}

bool MaskRcnn::runsInCudaGraphs() const {
  return cudaGraphs_ && at::GradMode::is_enabled() && is_training() &&
         ActivationWatch::current() == nullptr;
}

bool MaskRcnn::hasMaskHead() const { return roiHeads_->hasMaskHead(); }

void MaskRcnn::setClassWeights(const std::vector<double>& weights) {
  if (weights.empty()) return roiHeads_->setClassWeights({});
  TORCH_CHECK(static_cast<std::int64_t>(weights.size()) + 1 == classCount_, "got ", weights.size(),
              " class weights for ", classCount_ - 1, " classes");
  at::Tensor all = at::ones({classCount_}, at::kFloat);
  for (std::size_t k = 0; k < weights.size(); ++k)
    all.mutable_data_ptr<float>()[k + 1] = static_cast<float>(weights[k]);
  roiHeads_->setClassWeights(all.to(parameters().front().device()));
}

void MaskRcnn::useCudaGraphs(CudaGraphCapture capture) {
  if (config::hasBatchStatistics(norm_)) {
    throw UserError(
        "runtime.cuda_graphs: is not for model.norm batch or sync_batch, whose statistics follow "
        "every batch: use frozen_batch or group, or set it to false");
  }
  CudaGraphFunction::Reads reads;
  for (const auto& [name, tensor] : namedState()) {
    if (name.starts_with("roi_heads.")) continue;
    (tensor.requires_grad() ? reads.parameters : reads.constants).push_back(tensor);
  }
  cudaGraphs_ =
      std::make_unique<CudaGraphFunction>([this](const at::Tensor& input) { return mapsOf(input); },
                                          std::move(reads), std::move(capture));
}

Losses MaskRcnn::lossesOf(const Features& shared, const std::vector<base::ImageSize>& sizes,
                          const structures::GtBatch& groundTruth,
                          const std::vector<std::uint64_t>& samplingKeys, RoiLosses* perRoi) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  TORCH_CHECK(groundTruth.imageCount() == count && samplingKeys.size() == sizes.size(), "got ",
              groundTruth.imageCount(), " ground truths and ", samplingKeys.size(),
              " sampling keys for ", sizes.size(), " images");
  const at::Device device = shared.rpn.anchors.device();
  const Proposals proposals =
      rpn_->proposals(shared.rpn, structures::boxLimits(sizes, device), /*forTraining=*/true);
  Losses losses = rpn_->losses(shared.rpn, groundTruth, samplingKeys);
  losses.counts[DetectorCount::Objects] = groundTruth.counts.sum(at::kFloat);
  losses.counts[DetectorCount::ProposedObjects] =
      (ops::bestOverlaps(groundTruth, proposals.boxes) >= kProposedIou).sum(at::kFloat);
  losses.take(roiHeads_->losses(shared.levels, proposals, groundTruth, samplingKeys,
                                shapesOn(device), perRoi));
  return losses;
}

std::vector<structures::PredInstances> MaskRcnn::detectionsOf(
    const Features& shared, const std::vector<base::ImageSize>& sizes, const Tracing* tracing) {
  const at::Device device = shared.rpn.anchors.device();
  const at::Tensor limits = structures::boxLimits(sizes, device);
  const Proposals proposals =
      rpn_->proposals(shared.rpn, limits, /*forTraining=*/false,
                      tracing != nullptr ? &tracing->trace.anchorsOfProposals : nullptr);
  if (tracing != nullptr) {
    tracing->trace.proposals = proposals;
    tracing->afterStage();
  }
  return roiHeads_->detect(shared.levels, proposals, limits, shapesOn(device), tracing);
}

RowShapes MaskRcnn::shapesOn(const at::Device& device) const {
  return rowShapes_.value_or(device.is_cpu() ? RowShapes::Compact : RowShapes::Fixed);
}

Losses MaskRcnn::losses(const at::Tensor& images, const std::vector<base::ImageSize>& sizes,
                        const structures::GtBatch& groundTruth,
                        const std::vector<std::uint64_t>& samplingKeys, RoiLosses* perRoi) {
  checkBatch(images, sizes);
  return lossesOf(features(images), sizes, groundTruth, samplingKeys, perRoi);
}

std::vector<structures::PredInstances> MaskRcnn::detect(const at::Tensor& images,
                                                        const std::vector<base::ImageSize>& sizes) {
  checkBatch(images, sizes);
  return detectionsOf(features(images), sizes);
}

LossesAndDetections MaskRcnn::lossesAndDetections(const at::Tensor& images,
                                                  const std::vector<base::ImageSize>& sizes,
                                                  const structures::GtBatch& groundTruth,
                                                  const std::vector<std::uint64_t>& samplingKeys,
                                                  RoiLosses* perRoi) {
  checkBatch(images, sizes);
  const Features shared = features(images);
  return {lossesOf(shared, sizes, groundTruth, samplingKeys, perRoi), detectionsOf(shared, sizes)};
}

DetectionTrace MaskRcnn::explain(const at::Tensor& images,
                                 const std::vector<base::ImageSize>& sizes,
                                 const structures::GtBatch& groundTruth,
                                 const std::function<void()>& afterStage) {
  checkBatch(images, sizes);
  const Features shared = features(images);
  afterStage();
  DetectionTrace trace{.rpn = shared.rpn, .matches = rpn_->matches(shared.rpn, groundTruth)};
  for (const at::Tensor& level : shared.levels)
    trace.levels.push_back({level.size(2), level.size(3)});
  const Tracing tracing{trace, afterStage};
  trace.detections = detectionsOf(shared, sizes, &tracing);
  return trace;
}

std::vector<std::pair<std::string, at::Tensor>> MaskRcnn::namedState() const {
  NamedTensors state;
  appendState(*this, "", state);
  return state;
}

std::vector<ParameterInfo> MaskRcnn::trainableParameters() const {
  std::vector<ParameterInfo> parameters;
  appendTrainable(*this, "", parameters);
  return parameters;
}

}  // namespace lockstep::model
