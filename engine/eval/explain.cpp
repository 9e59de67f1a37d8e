#include "engine/eval/explain.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "engine/eval/detections.h"
#include "engine/model/detection_trace.h"
#include "engine/structures/boxes.h"

/// Letters: A anchors of all levels, K chosen rows, P proposals, D detections, C classes including
/// background.
namespace lockstep::eval {
namespace {

// The file's size does not grow with the image's.
constexpr std::int64_t kMostMatched = 2000, kTopOfLevel = 50, kMostProposals = 1000;
constexpr std::int64_t kShownClasses = 5;

std::string bytesOf(const at::Tensor& probabilities) {
  const at::Tensor flat = probabilities.to(at::kDouble).flatten().contiguous();
  std::string bytes;
  for (std::int64_t i = 0; i < flat.numel(); ++i)
    bytes.push_back(static_cast<char>(explanation::byteOf(flat.const_data_ptr<double>()[i])));
  return bytes;
}

/// What is told of one image's trace.
class Explainer {
 public:
  Explainer(const model::DetectionTrace& trace, const data::Batch& image,
            const std::vector<CategoryId>& categories)
      : trace_(trace),
        image_(image),
        categories_(categories),
        scaleX_(static_cast<float>(image.originalSizes[0].width) /
                static_cast<float>(image.sizes[0].width)),
        scaleY_(static_cast<float>(image.originalSizes[0].height) /
                static_cast<float>(image.sizes[0].height)),
        scores_(trace.rpn.objectness[0].to(at::kFloat).sigmoid().nan_to_num(0).cpu()),
        anchors_(trace.rpn.anchors.cpu()),
        matches_(trace.matches[0].cpu()),
        truthBoxes_(image.gts.boxesXyxy[0].slice(0, 0, truthCount()).cpu()) {
    for (const std::int64_t count : trace.rpn.levelCounts)
      levelEnds_.push_back(count + (levelEnds_.empty() ? 0 : levelEnds_.back()));
  }

  std::vector<explanation::Level> levels() const {
    std::vector<explanation::Level> levels;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < trace_.levels.size(); ++i) {
      const auto [height, width] = trace_.levels[i];
      const std::int64_t count = trace_.rpn.levelCounts[i];
      explanation::Level level{
          .width = static_cast<int>(width), .height = static_cast<int>(height), .anchors = count};
      // The anchors of a location stand around its upper left corner.
      const double strideX = scaleX_ * static_cast<double>(image_.padded.width / width);
      const double strideY = scaleY_ * static_cast<double>(image_.padded.height / height);
      level.place = {-strideX / 2, -strideY / 2, strideX * static_cast<double>(width),
                     strideY * static_cast<double>(height)};
      level.matched = (matches_.narrow(0, first, count) >= 0).sum().item<std::int64_t>();
      level.scores = bytesOf(scores_.narrow(0, first, count).view({height * width, -1}).amax(1));
      levels.push_back(std::move(level));
      first += count;
    }
    return levels;
  }

  std::vector<explanation::Truth> truths() const {
    std::vector<explanation::Truth> truths;
    const at::Tensor classes = image_.gts.classes[0].cpu();
    for (std::int64_t i = 0; i < truthBoxes_.size(0); ++i)
      truths.push_back({categoryOf(classes[i].item<std::int64_t>()), inFile(truthBoxes_, i)});
    return truths;
  }

  /// The matched ones by falling IoU, then others with the highest scores of their level.
  std::vector<explanation::Anchor> anchors() const {
    std::vector<explanation::Anchor> anchors = matchedAnchors();
    for (std::size_t level = 0; level < levelEnds_.size(); ++level) {
      const std::int64_t count = trace_.rpn.levelCounts[level], first = levelEnds_[level] - count;
      const at::Tensor top = std::get<1>(
          scores_.narrow(0, first, count).topk(std::min<std::int64_t>(kTopOfLevel, count)));
      for (std::int64_t k = 0; k < top.size(0); ++k) {
        const std::int64_t anchor = first + top[k].item<std::int64_t>();
        if (matches_[anchor].item<std::int64_t>() < 0) anchors.push_back(anchorAt(anchor));
      }
    }
    return anchors;
  }

  /// Adds proposals and detections.
  void addDetections(explanation::Explanation& into) const {
    const structures::PredInstances& found = trace_.detections[0];
    std::vector<coco::Detection> detections =
        toDetections(found, image_.sizes[0], image_.originalSizes[0], image_.ids[0], categories_);
    const auto count = static_cast<std::int64_t>(detections.size());
    const at::Tensor ofProposals = trace_.origins.proposals[0].slice(0, 0, count).cpu();
    into.proposalCount = trace_.proposals.valid[0].sum().item<std::int64_t>();
    std::vector<int> places = addProposals(ofProposals, into);
    const at::Tensor probs = trace_.origins.classProbs[0].cpu();
    const at::Tensor masks = found.maskProbs.defined() ? found.maskProbs.cpu() : at::Tensor();
    into.maskSide = masks.defined() ? static_cast<int>(masks.size(1)) : 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t proposal = ofProposals[i].item<std::int64_t>();
      into.detections.push_back({std::move(detections[std::size_t(i)]),
                                 places[std::size_t(proposal)], likeliest(probs[proposal]),
                                 masks.defined() ? bytesOf(masks[i]) : std::string()});
    }
  }

 private:
  std::int64_t truthCount() const { return image_.gts.counts[0].item<std::int64_t>(); }
  CategoryId categoryOf(std::int64_t classIndex) const {
    return categories_.at(static_cast<std::size_t>(classIndex) - 1);
  }
  int levelOf(std::int64_t anchor) const {
    return static_cast<int>(std::ranges::upper_bound(levelEnds_, anchor) - levelEnds_.begin());
  }
  explanation::BoxXywh inFile(const at::Tensor& boxesXyxy, std::int64_t row) const {
    const auto box = boxesXyxy.accessor<float, 2>()[row];
    return {box[0] * scaleX_, box[1] * scaleY_, (box[2] - box[0]) * scaleX_,
            (box[3] - box[1]) * scaleY_};
  }
  explanation::Anchor anchorAt(std::int64_t anchor) const {
    return {.box = inFile(anchors_, anchor),
            .level = levelOf(anchor),
            .score = scores_[anchor].item<float>()};
  }

  std::vector<explanation::Anchor> matchedAnchors() const {
    const at::Tensor rows = (matches_ >= 0).nonzero().squeeze(1);
    const at::Tensor truths = matches_.index_select(0, rows);
    const at::Tensor ious = structures::boxIou(truthBoxes_.index_select(0, truths).unsqueeze(1),
                                               anchors_.index_select(0, rows).unsqueeze(1))
                                .flatten()
                                .nan_to_num(0);
    const at::Tensor order = ious.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    std::vector<explanation::Anchor> anchors;
    for (std::int64_t k = 0; k < std::min(order.size(0), kMostMatched); ++k) {
      const std::int64_t at = order[k].item<std::int64_t>();
      explanation::Anchor anchor = anchorAt(rows[at].item<std::int64_t>());
      anchor.truth = static_cast<int>(truths[at].item<std::int64_t>());
      anchor.iou = ious[at].item<float>();
      anchors.push_back(anchor);
    }
    return anchors;
  }

  /// The box with the highest IoU of each object, which says whether it was found. boxes [N,4].
  std::vector<std::int64_t> nearestOfTruths(const at::Tensor& boxes) const {
    std::vector<std::int64_t> nearest;
    if (boxes.size(0) == 0 || truthCount() == 0) return nearest;
    const at::Tensor rows = structures::boxIou(truthBoxes_, boxes).nan_to_num(0).argmax(1);
    for (std::int64_t i = 0; i < rows.size(0); ++i) nearest.push_back(rows[i].item<std::int64_t>());
    return nearest;
  }

  /// The place of each proposal in the list; -1: it is left out. ofDetections [D].
  std::vector<int> addProposals(const at::Tensor& ofDetections,
                                explanation::Explanation& into) const {
    std::vector<bool> isKept(static_cast<std::size_t>(into.proposalCount));
    std::fill_n(isKept.begin(), std::min(into.proposalCount, kMostProposals), true);
    for (std::int64_t i = 0; i < ofDetections.size(0); ++i)
      isKept[static_cast<std::size_t>(ofDetections[i].item<std::int64_t>())] = true;
    const at::Tensor boxes = trace_.proposals.boxes[0].cpu();
    for (const std::int64_t nearest : nearestOfTruths(boxes.slice(0, 0, into.proposalCount)))
      isKept[static_cast<std::size_t>(nearest)] = true;
    const at::Tensor ofAnchors = trace_.anchorsOfProposals[0].cpu();
    const auto [best, classes] = trace_.origins.classProbs[0].slice(1, 1).cpu().max(1);
    std::vector<int> places(isKept.size(), -1);
    for (std::size_t i = 0; i < isKept.size(); ++i) {
      if (!isKept[i]) continue;
      const auto row = static_cast<std::int64_t>(i);
      const explanation::Anchor anchor = anchorAt(ofAnchors[row].item<std::int64_t>());
      places[i] = static_cast<int>(into.proposals.size());
      into.proposals.push_back(
          {inFile(boxes, row),
           anchor.box,
           anchor.level,
           anchor.score,
           {categoryOf(classes[row].item<std::int64_t>() + 1), best[row].item<float>()}});
    }
    return places;
  }

  /// probs [C] of one proposal.
  std::vector<explanation::ClassScore> likeliest(const at::Tensor& probs) const {
    const auto [scores, classes] = probs.topk(std::min(kShownClasses, probs.size(0)));
    std::vector<explanation::ClassScore> likely;
    for (std::int64_t k = 0; k < scores.size(0); ++k) {
      const std::int64_t classIndex = classes[k].item<std::int64_t>();
      likely.push_back({classIndex > 0 ? std::optional(categoryOf(classIndex)) : std::nullopt,
                        scores[k].item<float>()});
    }
    return likely;
  }

  const model::DetectionTrace& trace_;
  const data::Batch& image_;
  const std::vector<CategoryId>& categories_;
  float scaleX_, scaleY_;                ///< from the resized image to the file
  at::Tensor scores_;                    ///< [A] probabilities
  at::Tensor anchors_;                   ///< [A,4]
  at::Tensor matches_;                   ///< [A]
  at::Tensor truthBoxes_;                ///< [G,4]
  std::vector<std::int64_t> levelEnds_;  ///< in the anchors
};

}  // namespace

explanation::Explanation explainImage(model::MaskRcnn& model, const data::Batch& image,
                                      const config::ModelConfig& settings,
                                      const std::vector<CategoryId>& categories,
                                      const std::function<void()>& afterStage) {
  const model::DetectionTrace trace =
      model.explain(image.images, image.sizes, image.gts, afterStage);
  afterStage();
  const Explainer explainer(trace, image, categories);
  explanation::Explanation explanation;
  explanation.image = image.ids[0];
  explanation.width = static_cast<int>(image.originalSizes[0].width);
  explanation.height = static_cast<int>(image.originalSizes[0].height);
  explanation.foregroundIou = settings.rpn.fgIou;
  explanation.backgroundIou = settings.rpn.bgIou;
  explanation.scoreThreshold = settings.boxHead.scoreThreshold;
  explanation.levels = explainer.levels();
  explanation.truths = explainer.truths();
  explanation.anchors = explainer.anchors();
  afterStage();
  explainer.addDetections(explanation);
  return explanation;
}

}  // namespace lockstep::eval
