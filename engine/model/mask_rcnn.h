#pragma once

#include <torch/nn/module.h>

#include <cstdint>
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

/// Letters: N images, C classes with background, H W padded size in px.
namespace lockstep::model {

class Backbone;
class Fpn;
class RoiHeads;
class Rpn;

/// What a solver wants to know of a trainable tensor.
struct ParameterInfo {
  enum class Role { Weight, Bias, Norm };
  std::string name;  ///< torchvision's
  at::Tensor tensor;
  Role role = Role::Weight;  ///< Norm: weight or bias of a normalisation layer
  bool inBackbone = false;   ///< backbone.body, not the pyramid
};

struct LossesAndDetections {
  Losses losses;
  std::vector<structures::PredInstances> detections;  ///< one per image
};

/// Mask R-CNN with a backbone and a feature pyramid: torchvision 0.26's architecture, parameter
/// names and semantics.
///
/// `images` is [N,3,H,W] float32, RGB, normalised, each image in the upper left corner and zeros
/// beyond, H and W multiples of 32; contiguous or channels_last. Or [N,4,H,W] with a fourth channel
/// of zeros, as ops::resizeImages makes them in halves: the stem then reads four, its weight has
/// three all the same. `sizes` are those of the images
/// without padding. Ground truth is on the device of the images. train() and eval() only switch
/// what batch norm uses; which proposals are made is said by the call.
class MaskRcnn : public torch::nn::Module {
 public:
  /// classCount includes background (row 0). Initialises every parameter as torchvision does, by a
  /// hash of seed and name. sumOverRanks: of the ranks that train together, for norm sync_batch.
  MaskRcnn(
      const config::ModelConfig& config, std::int64_t classCount, std::uint64_t seed,
      ops::SumOverRanks sumOverRanks = [](at::Tensor&) {});

  /// The five losses over the batch: training-time numbers of proposals, ground truth among the
  /// proposals. samplingKeys: one per image; which anchors and regions are sampled depends on it
  /// alone. Without ground truth, masks or positives a loss is 0 and still part of the graph.
  Losses losses(const at::Tensor& images, const std::vector<base::ImageSize>& sizes,
                const structures::GtBatch& groundTruth,
                const std::vector<std::uint64_t>& samplingKeys);

  /// Detections, best first, boxes in px of the (resized) image. Call under at::NoGradGuard and in
  /// eval().
  std::vector<structures::PredInstances> detect(const at::Tensor& images,
                                                const std::vector<base::ImageSize>& sizes);

  /// losses() and detect() of the same images with one pass of backbone, pyramid and RPN head; the
  /// same numbers.
  LossesAndDetections lossesAndDetections(const at::Tensor& images,
                                          const std::vector<base::ImageSize>& sizes,
                                          const structures::GtBatch& groundTruth,
                                          const std::vector<std::uint64_t>& samplingKeys);

  /// Every parameter and buffer under torchvision's state_dict names, in its order. The tensors are
  /// the model's own.
  std::vector<std::pair<std::string, at::Tensor>> namedState() const;

  /// Trainable parameters (not those of frozen stages), in the order of namedState().
  std::vector<ParameterInfo> trainableParameters() const;

  std::int64_t classCount() const { return classCount_; }

  /// What the network computes in, such as at::kBFloat16; that of the images unless set.
  /// Parameters, statistics of norms, boxes, scores and losses stay float32.
  void setComputeType(at::ScalarType type) { computeType_ = type; }

  /// From now on losses() in training runs backbone, pyramid and RPN head, forward and backward, by
  /// replaying CUDA graphs, for each size of a batch that comes again. Which parameters are frozen
  /// must stay as it is. Throws Error (mendable) for norms whose statistics follow the batch.
  void useCudaGraphs(CudaGraphCapture capture);
  /// What useCudaGraphs made; nullptr without.
  const CudaGraphFunction* cudaGraphs() const { return cudaGraphs_.get(); }

  /// Compact on a CPU and Fixed elsewhere unless set; the figures are the same but for rounding.
  void setRowShapes(RowShapes shapes) { rowShapes_ = shapes; }

 private:
  /// What losses and detections share.
  struct Features;
  Features features(const at::Tensor& images);
  /// The five levels of the pyramid, and the outputs of the RPN's head.
  std::vector<at::Tensor> mapsOf(const at::Tensor& input);
  bool runsInCudaGraphs() const;
  Losses lossesOf(const Features& shared, const std::vector<base::ImageSize>& sizes,
                  const structures::GtBatch& groundTruth,
                  const std::vector<std::uint64_t>& samplingKeys);
  std::vector<structures::PredInstances> detectionsOf(const Features& shared,
                                                      const std::vector<base::ImageSize>& sizes);

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
