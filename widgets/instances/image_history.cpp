#include "widgets/instances/image_history.h"

#include <exception>
#include <limits>
#include <utility>

namespace lockstep::widgets {
namespace {

ImageHistory::OfStep summaryOf(qint64 step, const std::vector<InstanceFacts>& instances) {
  ImageHistory::OfStep summary{step, {}, std::numeric_limits<double>::quiet_NaN()};
  double iou = 0;
  for (const InstanceFacts& instance : instances) {
    summary.counts.falsePositives += instance.verdict == Verdict::FalsePositive;
    summary.counts.falseNegatives += instance.verdict == Verdict::Missed;
    if (instance.verdict != Verdict::TruePositive) continue;
    ++summary.counts.truePositives;
    iou += instance.iou;
  }
  if (summary.counts.truePositives > 0)
    summary.meanIou = iou / static_cast<double>(summary.counts.truePositives);
  return summary;
}

}  // namespace

ImageHistory::ImageHistory(std::shared_ptr<const coco::Dataset> dataset, std::size_t index,
                           const std::vector<Predicted>& predicted)
    : dataset_(std::move(dataset)), index_(index) {
  for (const Predicted& one : predicted) {
    try {
      Matched matched{one.step, one.detections.read(), one.rules};
      matched.overlaps = overlapsOf(content(matched));
      matched_.push_back(std::move(matched));
    } catch (const std::exception&) {  // said where the image is shown at this checkpoint
    }
  }
}

ImageContent ImageHistory::content(const Matched& matched) const {
  return contentOf(*dataset_, index_, *matched.detections, matched.rules);
}

std::vector<ImageHistory::OfStep> ImageHistory::at(const MatchThresholds& thresholds,
                                                   const std::set<CategoryId>& hidden) const {
  std::vector<OfStep> steps;
  for (const Matched& one : matched_)
    steps.push_back(
        summaryOf(one.step, instancesAt(content(one), one.overlaps, thresholds, hidden)));
  return steps;
}

}  // namespace lockstep::widgets
