#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/cuda_graph_function.h"
#include "engine/model/losses.h"
#include "engine/model/norm.h"
#include "engine/model/region_rows.h"
#include "engine/ops/sync_batch_norm.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, C classes including background, H W padded size in px.
namespace lockstep::model {

struct DetectionTrace;
struct Tracing;
class Backbone;
class Fpn;
class RoiHeads;
class Rpn;

/// A trainable parameter with its role, for the optimizer.
struct ParameterInfo {
  enum class Role { Weight, Bias, Norm };
  std::string name;  ///< as in torchvision
  at::Tensor tensor;
  Role role = Role::Weight;  ///< Norm: weight or bias of a normalisation layer
  bool inBackbone = false;   ///< in backbone.body, not in the FPN
};

struct LossesAndDetections {
  Losses losses;
  std::vector<structures::PredInstances> detections;  ///< one per image
};

/// Mask R-CNN with a backbone and FPN: torchvision 0.26's architecture, parameter names and
/// semantics; without model.masks its Faster R-CNN, whose loss_mask is 0.
///
/// `images` is [N,3,H,W] float32, RGB, normalised, zero-padded at the right and bottom to H and W
/// multiples of 32; contiguous or channels_last. Or [N,4,H,W] with a fourth channel of zeros, as
/// ops::resizeImages makes them in half precision: the stem then reads four channels, while its
/// weight still has three. `sizes` are those of the images without padding. Ground truth must be on
/// the device of the images. train() and eval() only affect batch norm; the number of proposals
/// depends on the method called.
class MaskRcnn : public torch::nn::Module {
 public:
  /// classCount includes background (index 0). Initialises every parameter with torchvision's
  /// distributions, by a hash of seed and name. sumOverRanks: the all-reduce for norm sync_batch.
  MaskRcnn(
      const config::ModelConfig& config, std::int64_t classCount, std::uint64_t seed,
      ops::SumOverRanks sumOverRanks = [](at::Tensor&) {});

  /// The five losses over the batch, with training-time numbers of proposals and ground-truth boxes
  /// added to the proposals. samplingKeys: one per image; it alone determines which anchors and
  /// RoIs are sampled. Without ground truth, masks or positives a loss is 0 and still attached to
  /// the autograd graph.
  Losses losses(const at::Tensor& images, const std::vector<base::ImageSize>& sizes,
                const structures::GtBatch& groundTruth,
                const std::vector<std::uint64_t>& samplingKeys, RoiLosses* perRoi = nullptr);

  /// Detections by falling score, boxes in px of the resized image. Call it under at::NoGradGuard
  /// and in eval().
  std::vector<structures::PredInstances> detect(const at::Tensor& images,
                                                const std::vector<base::ImageSize>& sizes);

  /// losses() and detect() of the same images with one pass of backbone, FPN and RPN head; the
  /// results are identical.
  LossesAndDetections lossesAndDetections(const at::Tensor& images,
                                          const std::vector<base::ImageSize>& sizes,
                                          const structures::GtBatch& groundTruth,
                                          const std::vector<std::uint64_t>& samplingKeys,
                                          RoiLosses* perRoi = nullptr);

  /// detect() with what led to its detections, which are the same to the last bit. groundTruth: of
  /// the images; without objects no anchor is matched. afterStage: is called after feature maps,
  /// proposals and boxes; may throw, which ends it.
  DetectionTrace explain(
      const at::Tensor& images, const std::vector<base::ImageSize>& sizes,
      const structures::GtBatch& groundTruth, const std::function<void()>& afterStage = [] {});

  /// Every parameter and buffer with torchvision's state_dict names, in that order. The tensors
  /// share the model's memory.
  std::vector<std::pair<std::string, at::Tensor>> namedState() const;

  /// Trainable parameters (without frozen stages), in the order of namedState().
  std::vector<ParameterInfo> trainableParameters() const;

  std::int64_t classCount() const { return classCount_; }
  bool hasMaskHead() const;

  /// The dtype that the network computes in, such as at::kBFloat16; by default that of the images.
  /// Parameters, norm statistics, boxes, scores and losses stay float32.
  void setComputeType(at::ScalarType type) { computeType_ = type; }

  /// Weights of the classes in loss_classifier: one number per class without background, whose
  /// weight is 1; empty: none. Call it after to(device).
  void setClassWeights(const std::vector<double>& weights);

  /// Makes losses() in training replay CUDA graphs for the forward and backward pass of backbone,
  /// FPN and RPN head, for each batch size that is repeated. The set of frozen parameters must not
  /// change afterwards. Throws UserError for norms that update batch statistics.
  void useCudaGraphs(CudaGraphCapture capture);
  /// The graphed function; nullptr without CUDA graphs.
  const CudaGraphFunction* cudaGraphs() const { return cudaGraphs_.get(); }

  /// By default Compact on a CPU and Fixed elsewhere; results are the same except for rounding.
  void setRowShapes(RowShapes shapes) { rowShapes_ = shapes; }

 private:
  /// The values shared by losses and detections.
  struct Features;
  Features features(const at::Tensor& images);
  /// The five FPN levels and the outputs of the RPN head.
  std::vector<at::Tensor> mapsOf(const at::Tensor& input);
  bool runsInCudaGraphs() const;
  Losses lossesOf(const Features& shared, const std::vector<base::ImageSize>& sizes,
                  const structures::GtBatch& groundTruth,
                  const std::vector<std::uint64_t>& samplingKeys, RoiLosses* perRoi);
  std::vector<structures::PredInstances> detectionsOf(const Features& shared,
                                                      const std::vector<base::ImageSize>& sizes,
                                                      const Tracing* tracing = nullptr);

  RowShapes shapesOn(const at::Device& device) const;

  std::int64_t classCount_;
  config::Norm norm_;
  std::optional<at::ScalarType> computeType_;
  std::optional<RowShapes> rowShapes_;
  std::shared_ptr<Backbone> body_;
  std::shared_ptr<Fpn> fpn_;
  std::shared_ptr<Rpn> rpn_;
  std::shared_ptr<RoiHeads> roiHeads_;
  std::vector<CachedWeight*> cachedWeights_;  ///< of all layers
  std::unique_ptr<CudaGraphFunction> cudaGraphs_;
};

}  // namespace lockstep::model
