#include "tests/model/torchvision_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/config/padded_sizes.h"
#include "engine/model/fpn.h"
#include "engine/model/region_sampling.h"
#include "engine/model/resnet.h"
#include "engine/ops/paste_masks.h"
#include "engine/structures/boxes.h"
#include "tests/support/masks.h"

namespace lockstep::tests {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kEveryRegion = 1000000;

config::ModelConfig referenceModel(const std::string& backbone, const std::string& norm) {
  config::ModelConfig config;
  config.backbone = backbone;
  config.norm = base::parseEnum<config::Norm>(norm);
  config.freezeStages = 0;
  config.fpnChannels = 32;
  config.rpn.preNmsTopNTrain = 400;
  config.rpn.preNmsTopNTest = 200;
  config.rpn.postNmsTopNTrain = 300;
  config.rpn.postNmsTopNTest = 150;
  config.rpn.batchSizePerImage = 1000000;
  config.boxHead.fcDim = 64;
  config.boxHead.batchSizePerImage = kEveryRegion;
  config.boxHead.scoreThreshold = 0.15;
  config.maskHead.convs = 2;
  config.maskHead.channels = 32;
  return config;
}

std::map<std::string, at::Tensor> read(const std::filesystem::path& file) {
  const checkpoint::SafetensorsFile content = checkpoint::readSafetensors(file);
  return {content.tensors.begin(), content.tensors.end()};
}

/// The Rpn, ResNet … submodules of the model.
template <typename Part>
std::shared_ptr<Part> partOf(const model::MaskRcnn& model, const char* name) {
  return std::dynamic_pointer_cast<Part>(model.named_modules("", /*include_self=*/false)[name]);
}

at::Tensor rowsThere(const at::Tensor& rows, const at::Tensor& valid) {
  return rows.index_select(0, valid.nonzero().squeeze(1));
}

double maskIou(const at::Tensor& first, const at::Tensor& second) {
  const double either = first.logical_or(second).sum().item<double>();
  return either == 0 ? 1 : first.logical_and(second).sum().item<double>() / either;
}

}  // namespace

TorchvisionCase::TorchvisionCase(const std::filesystem::path& folder, const std::string& backbone,
                                 const std::string& norm)
    : weights(read(folder / "weights.safetensors")),
      expected(read(folder / "expected.safetensors")),
      model(std::make_unique<model::MaskRcnn>(referenceModel(backbone, norm), 5, 1)) {
  {
    const at::NoGradGuard noGrad;
    for (auto& [name, tensor] : model->namedState()) {
      if (weights.contains(name)) tensor.copy_(weights.at(name).view(tensor.sizes()));
    }
  }
  const auto scene = read(folder / "scene.safetensors");
  images = scene.at("images");
  const at::Tensor allSizes = scene.at("sizes");
  for (std::int64_t i = 0; i < allSizes.size(0); ++i) {
    const auto number = std::to_string(i);
    sizes.push_back({allSizes[i][0].item<std::int64_t>(), allSizes[i][1].item<std::int64_t>()});
    gts.push_back({scene.at("boxes." + number), scene.at("classes." + number),
                   tests::cropped(scene.at("masks." + number))});
    keys.push_back(i);
  }
}

const at::Tensor& TorchvisionCase::of(const std::string& name) const {
  const auto found = expected.find(name);
  if (found == expected.end()) throw Error("the reference has no " + name);
  return found->second;
}

at::Tensor TorchvisionCase::imageAlone(std::size_t image) const {
  const auto [height, width] = config::paddedSize(sizes[image]);
  return images[static_cast<std::int64_t>(image)]
      .unsqueeze(0)
      .slice(2, 0, height)
      .slice(3, 0, width);
}

RpnPass runRpn(const TorchvisionCase& reference) {
  const at::NoGradGuard noGrad;
  const at::Tensor input = reference.images.contiguous(at::MemoryFormat::ChannelsLast);
  const auto rpn = partOf<model::Rpn>(*reference.model, "rpn");
  RpnPass pass;
  pass.levels =
      partOf<model::Fpn>(*reference.model, "backbone.fpn")
          ->forward(partOf<model::ResNet>(*reference.model, "backbone.body")->forward(input));
  std::vector<base::ImageSize> sizes;
  for (const at::Tensor& level : pass.levels) sizes.push_back({level.size(2), level.size(3)});
  pass.output = rpn->read(rpn->head(pass.levels), sizes, {input.size(2), input.size(3)});
  const at::Tensor limits = structures::boxLimits(reference.sizes, at::kCPU);
  const model::Proposals training = rpn->proposals(pass.output, limits, /*forTraining=*/true);
  const model::TrainingRegions regions =
      model::sampleRegions(config::BoxHeadConfig{.batchSizePerImage = kEveryRegion}, {10, 10, 5, 5},
                           training, reference.groundTruth(), reference.keys);
  const model::Proposals test = rpn->proposals(pass.output, limits, /*forTraining=*/false);
  for (std::size_t i = 0; i < reference.sizes.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i);
    pass.trainingProposals.push_back(rowsThere(training.boxes[n], training.valid[n]));
    pass.testProposals.push_back(rowsThere(test.boxes[n], test.valid[n]));
    pass.regions.push_back(rowsThere(regions.boxes[n], regions.valid[n]));
  }
  return pass;
}

at::Tensor regionRows(const TorchvisionCase& reference, const RpnPass& pass) {
  std::vector<at::Tensor> rows;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < reference.gts.size(); ++i) {
    const at::Tensor expected =
        at::cat({reference.of("train.proposals." + std::to_string(i)), reference.gts[i].boxesXyxy});
    rows.push_back(matchRows(pass.regions[i], expected).rows + offset);
    offset += expected.size(0);
  }
  return at::cat(rows);
}

double relativeDifference(const at::Tensor& value, const at::Tensor& reference) {
  if (value.sizes() != reference.sizes()) return kInfinite;
  const at::Tensor expected = reference.to(at::kDouble);
  const double difference = (value.detach() - expected).norm().item<double>();
  return difference / std::max(expected.norm().item<double>(), 1e-6);
}

double largestDifference(const at::Tensor& value, const at::Tensor& reference) {
  if (value.sizes() != reference.sizes()) return kInfinite;
  if (value.numel() == 0) return 0;
  return (value.detach().to(at::kDouble) - reference.to(at::kDouble)).abs().max().item<double>();
}

void LargestDifferences::add(const QString& kind, double difference, const QString& what) {
  const auto [entry, isNew] = largest_.emplace(kind, std::pair{difference, what});
  if (!isNew && !(difference <= entry->second.first)) entry->second = {difference, what};
}

QStringList LargestDifferences::lines() const {
  QStringList lines;
  for (const auto& [kind, entry] : largest_) {
    lines << QStringLiteral("%1: %2 (%3)")
                 .arg(kind, QString::number(entry.first, 'g', 2), entry.second);
  }
  return lines;
}

MatchedRows matchRows(const at::Tensor& found, const at::Tensor& expected) {
  const std::int64_t count = expected.size(0);
  MatchedRows match{at::arange(count), found.size(0) == count ? 0 : kInfinite, 0};
  if (found.size(0) != count) return match;
  at::Tensor gaps = (found.unsqueeze(0) - expected.unsqueeze(1)).abs().amax(2);  // [expected,found]
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [gap, row] = gaps[i].min(0);
    match.rows[i] = row;
    match.largestPx = std::max(match.largestPx, gap.item<double>());
    if (row.item<std::int64_t>() != i) match.shareMoved += 1.0 / static_cast<double>(count);
    gaps.select(1, row.item<std::int64_t>()).fill_(kInfinite);  // each row is matched once
  }
  return match;
}

ActivationDifference compareActivations(const Activations& recorded,
                                        const TorchvisionCase& reference, const std::string& pass,
                                        const HeadRows& rows, double limit) {
  ActivationDifference result;
  std::map<std::string, int> calls;
  for (const auto& [name, output] : recorded) {
    const std::string call =
        pass + "layer." + name + ":" + std::to_string(calls[pass + "layer." + name]++);
    at::Tensor ours = output;
    if (name.starts_with("roi_heads.box_")) ours = output.index_select(0, rows.box);
    if (name.starts_with("roi_heads.mask_")) ours = output.index_select(0, rows.mask);
    const double difference = reference.expected.contains(call)
                                  ? relativeDifference(ours, reference.of(call))
                                  : kInfinite;
    if (!(difference <= result.largest)) {
      result.largest = difference;
      result.largestName = call;
    }
    if (!(difference <= limit) && result.fault.isEmpty())
      result.fault =
          QStringLiteral("%1 differs by %2").arg(QString::fromStdString(call)).arg(difference);
  }
  for (const auto& [name, tensor] : reference.expected) {
    const std::string layer = name.substr(0, name.rfind(':'));
    if (layer.starts_with(pass + "layer.") && !calls.contains(layer) && result.fault.isEmpty())
      result.fault = QString::fromStdString(layer) + QStringLiteral(" was not reported");
  }
  return result;
}

DetectionDifferences compareDetections(const structures::PredInstances& found,
                                       const TorchvisionCase& reference, std::size_t image) {
  const std::string number = std::to_string(image);
  const at::Tensor boxes = reference.of("boxes." + number),
                   scores = reference.of("scores." + number),
                   classes = reference.of("classes." + number),
                   probs = reference.of("masks." + number),
                   pasted = reference.of("pasted." + number);
  const base::ImageSize size = reference.sizes[image];
  const at::Tensor masks =
      ops::fullMasks(ops::pasteMasks(found.maskProbs, found.boxesXyxy, size), size);
  DetectionDifferences result;
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < boxes.size(0); ++i) {
    const at::Tensor scoreGaps = (found.scores - scores[i]).abs();
    const at::Tensor boxGaps = std::get<0>((found.boxesXyxy - boxes[i]).abs().max(1));
    const at::Tensor fits =
        (found.classes == classes[i]).logical_and(scoreGaps <= 1e-3).logical_and(boxGaps <= 0.5);
    for (std::int64_t j = 0; j < masks.size(0); ++j) {
      if (!fits[j].item<bool>() || maskIou(masks[j], pasted[i]) < 0.98) continue;
      ++repeated;
      result.score = std::max(result.score, scoreGaps[j].item<double>());
      result.boxPx = std::max(result.boxPx, boxGaps[j].item<double>());
      result.maskProb = std::max(result.maskProb, largestDifference(found.maskProbs[j], probs[i]));
      break;
    }
  }
  result.shareRepeated = static_cast<double>(repeated) / static_cast<double>(boxes.size(0));
  return result;
}

}  // namespace lockstep::tests
