#pragma once

#include <QStringList>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"
#include "engine/model/activation_watch.h"
#include "engine/model/mask_rcnn.h"
#include "engine/model/rpn.h"
#include "engine/structures/ground_truth.h"
#include "tests/support/torch.h"

namespace lockstep::tests {

/// The output of tests/reference/torchvision_model.py for one case, and our model with its weights.
struct TorchvisionCase {
  TorchvisionCase(const std::filesystem::path& folder, const std::string& backbone,
                  const std::string& norm);

  /// An expected tensor; throws Error when the script wrote none of that name.
  const at::Tensor& of(const std::string& name) const;
  /// The image without the padding that the batch needs, and its size.
  at::Tensor imageAlone(std::size_t image) const;

  std::map<std::string, at::Tensor> weights, expected;
  std::unique_ptr<model::MaskRcnn> model;
  at::Tensor images;
  std::vector<base::ImageSize> sizes;
  std::vector<structures::GtInstances> gts;
  structures::GtBatch groundTruth() const { return structures::batchGroundTruth(gts); }
  std::vector<std::uint64_t> keys;
};

/// The outputs of our model for the batch, up to RoI pooling.
struct RpnPass {
  std::vector<at::Tensor> levels;
  model::RpnOutput output;
  std::vector<at::Tensor> trainingProposals, testProposals;  ///< [P,4] of each image
  std::vector<at::Tensor> regions;  ///< [R,4] RoIs per image, as sampled in training
};

/// Uses the norms in their current mode; in training it updates their statistics again.
RpnPass runRpn(const TorchvisionCase& reference);

/// |value - reference| / |reference| in the L2 norm; infinite when the shapes differ.
double relativeDifference(const at::Tensor& value, const at::Tensor& reference);
/// The largest of |value - reference|; infinite when the shapes differ.
double largestDifference(const at::Tensor& value, const at::Tensor& reference);

/// The largest difference of each kind of value, and where it is.
class LargestDifferences {
 public:
  void add(const QString& kind, double difference, const QString& what);
  /// One line per kind: `gradients, float64: 3.1e-08 (resnet50-batch-small rpn.head.…)`
  QStringList lines() const;

 private:
  std::map<QString, std::pair<double, QString>> largest_;
};

/// Maps each expected row to ours: the order of RoIs may differ where rounding swaps two scores.
struct MatchedRows {
  at::Tensor rows;  ///< [R] int64
  double largestPx =
      0;  ///< difference of a coordinate; infinite when there are more or fewer boxes
  double shareMoved = 0;  ///< fraction of rows in another position
};

MatchedRows matchRows(const at::Tensor& found, const at::Tensor& expected);

/// Maps each RoI of the reference's training step to our row; in the reference each image's objects
/// follow its proposals.
at::Tensor regionRows(const TorchvisionCase& reference, const RpnPass& pass);

/// The outputs that an ActivationWatch reported, in order.
using Activations = std::vector<std::pair<std::string, at::Tensor>>;

/// Runs `pass` and keeps copies of all reported outputs.
template <typename Pass>
Activations recordActivations(const Pass& pass) {
  Activations recorded;
  const model::ActivationWatch watch([&](const std::string& name, const at::Tensor& output) {
    recorded.emplace_back(name, output.detach().clone());
  });
  pass();
  return recorded;
}

/// Our rows for the expected rows of the box and mask heads.
struct HeadRows {
  at::Tensor box, mask;
};

struct ActivationDifference {
  double largest = 0;
  std::string largestName;
  QString fault;  ///< the first layer that differs, or one that was not reported
};

/// pass: `train.` or `eval.`, with which the expected names begin.
ActivationDifference compareActivations(const Activations& recorded,
                                        const TorchvisionCase& reference, const std::string& pass,
                                        const HeadRows& rows, double limit);

/// How well the expected detections of one image are reproduced.
struct DetectionDifferences {
  double shareRepeated = 0;  ///< score within 1e-3, box within 0.5 px, full-size mask IoU >= 0.98
  double score = 0, boxPx = 0, maskProb = 0;  ///< the largest among these
};

DetectionDifferences compareDetections(const structures::PredInstances& found,
                                       const TorchvisionCase& reference, std::size_t image);

}  // namespace lockstep::tests
