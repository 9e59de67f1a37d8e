#include "engine/train/step_recorder.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/number_text.h"
#include "engine/config/losses.h"
#include "engine/events/tags.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::train {
namespace {

namespace tags = events::tags;
using model::DetectorCount;

/// The first figures: the losses and their weighted sum.
constexpr auto kLossCount = static_cast<std::int64_t>(config::kLossNames.size());
/// Behind the losses and the counts.
constexpr std::int64_t kFirstRankTime =
    kLossCount + static_cast<std::int64_t>(model::kDetectorCounts);

/// The figures of one rank.
constexpr std::array<const char*, 6> kRankTimes{
    tags::kRankStepSeconds,    tags::kRankDataSeconds,     tags::kRankWaitSeconds,
    tags::kRankForwardSeconds, tags::kRankBackwardSeconds, tags::kRankOptimizerSeconds};
constexpr std::int64_t kStepTime = 0, kWaitTime = 2, kFirstPartTime = 3;
constexpr auto kRankTimeCount = static_cast<std::int64_t>(kRankTimes.size());

using Figures = std::vector<std::pair<std::string, float>>;

/// More than the steps that the host is ahead of a GPU.
constexpr std::size_t kRecentSteps = 4;
constexpr std::array<const char*, kStepParts> kPartTimes{
    tags::kForwardSeconds, tags::kBackwardSeconds, tags::kOptimizerSeconds};

/// `loss_mask=NaN grad_norm=-Infinity`, empty when all are finite.
std::string nonFinite(const Figures& figures) {
  std::string text;
  for (const auto& [tag, value] : figures) {
    const char* written = base::nonFiniteText(value);
    if (written == nullptr) continue;
    text += (text.empty() ? "" : " ") + std::string(tags::nameIn(tag)) + "=" + written;
  }
  return text;
}

/// A count per image, or relative to another count.
struct DetectorMetric {
  const char* tag;
  DetectorCount count;
  std::optional<DetectorCount> of{};
};

constexpr DetectorMetric kMetrics[] = {
    {tags::kRpnPositives, DetectorCount::RpnPositives},
    {tags::kRpnRecall, DetectorCount::ProposedObjects, DetectorCount::Objects},
    {tags::kRoiPositives, DetectorCount::RoiPositives},
    {tags::kBoxAccuracy, DetectorCount::CorrectClasses, DetectorCount::Rois},
    {tags::kMaskAccuracy, DetectorCount::CorrectMaskPixels, DetectorCount::MaskPixels},
};

/// What the event log has of model::DetectorCounts, of each step: `rpn/positives`, `rpn/recall`, …
/// A ratio without a denominator (no object, no mask) is left out. counts: sums over all images of
/// the step, in the order of DetectorCounts.
Figures detectorMetrics(const std::array<double, model::kDetectorCounts>& counts, double images) {
  Figures values;
  for (const DetectorMetric& metric : kMetrics) {
    const double denominator = metric.of ? counts[model::indexOf(*metric.of)] : images;
    if (denominator > 0)
      values.emplace_back(metric.tag,
                          static_cast<float>(counts[model::indexOf(metric.count)] / denominator));
  }
  for (std::size_t level = 0; level < config::kPyramidLevels; ++level) {
    const double matched = counts[model::indexOf(DetectorCount::MatchedAnchors, level)];
    values.emplace_back(tags::matchedAnchors(level), static_cast<float>(matched / images));
  }
  return values;
}

}  // namespace

PartSeconds StepRecorder::HostFacts::partSeconds() const {
  if (!times) return {};
  PartSeconds seconds = times->seconds();
  double& backward = seconds[static_cast<std::size_t>(StepPart::Backward)];
  backward = std::max(0.0, backward - gradientWaitSeconds);
  return seconds;
}

PartSeconds StepRecorder::newestPartSeconds() const {
  for (auto facts = recent_.rbegin(); facts != recent_.rend(); ++facts)
    if (facts->times && facts->times->isComplete()) return facts->partSeconds();
  return {};
}

std::int64_t StepRecorder::figureCount() const {
  return kFirstRankTime + (ranks_ > 1 ? kRankTimeCount * ranks_ : 0);
}

at::Tensor StepRecorder::figuresOf(const model::Losses& losses, const at::Tensor& total,
                                   int microBatches, bool isLast) const {
  std::vector<at::Tensor> values;
  for (const at::Tensor& loss : losses.values) values.push_back(loss.detach());
  values.push_back(total.detach());
  const at::Tensor means = at::stack(values).to(at::kFloat) / microBatches;
  const std::vector<at::Tensor> counts(losses.counts.values.begin(), losses.counts.values.end());
  std::vector<at::Tensor> figures{means, at::stack(counts).to(at::kFloat)};
  if (ranks_ == 1) return at::cat(figures);
  std::vector<float> times(static_cast<std::size_t>(kRankTimeCount * ranks_), 0.0f);
  if (isLast && !recent_.empty()) {
    const HostFacts& last = recent_.back();
    const auto [forward, backward, optimizer] = newestPartSeconds();
    const std::array<double, kRankTimeCount> own{
        last.stepSeconds, last.dataSeconds, last.waitSeconds, forward, backward, optimizer};
    std::copy(own.begin(), own.end(), times.begin() + kRankTimeCount * rank_);
  }
  figures.push_back(structures::toDevice(times, means.device()));
  return at::cat(figures);
}

at::Tensor StepRecorder::lossesNotFinite(const at::Tensor& figures) {
  return at::isfinite(figures.narrow(0, 0, kLossCount)).all().logical_not().to(at::kFloat);
}

void StepRecorder::finishStep(const HostFacts& facts, const at::Tensor& figures,
                              const solver::WeightUpdate::Figures& update) {
  std::vector<at::Tensor> values{figures, update.gradientNorm.to(at::kFloat).reshape({1}),
                                 update.hasDiverged.reshape({1})};
  if (update.lossScale.defined()) values.push_back(update.lossScale.reshape({1}));
  if (steps_.empty()) {
    begun_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(facts.stepSeconds));
  }
  steps_.push_back(
      {facts, at::cat(values), !recent_.empty(), update.gradientSums, update.weightSums});
  recent_.push_back(facts);
  if (recent_.size() > kRecentSteps) recent_.pop_front();
}

StepRecorder::Flushed StepRecorder::flush() {
  Flushed flushed;
  if (steps_.empty()) return flushed;
  std::vector<at::Tensor> rows, sums;
  for (const Step& step : steps_) {
    rows.push_back(step.values);
    if (statistics_) sums.push_back(step.gradientSums);
  }
  const at::Tensor values = at::stack(rows).cpu();
  const at::Tensor gradientSums = statistics_ ? at::stack(sums).cpu() : at::Tensor();
  if (!rows.front().is_cpu()) spreadStepSeconds();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const at::Tensor sumsOfStep = statistics_ ? gradientSums[row] : at::Tensor();
    addStep(steps_[i], values[row], sumsOfStep, flushed);
    if (i + 1 == steps_.size()) addRankTimes(values, flushed.scalars.records.back());
    addStatistics(steps_[i], sumsOfStep, flushed);
  }
  steps_.clear();
  return flushed;
}

void StepRecorder::addStep(const Step& step, const at::Tensor& values,
                           const at::Tensor& gradientSums, Flushed& flushed) const {
  const auto value = values.accessor<float, 1>();
  const HostFacts& facts = step.facts;
  Figures figures;
  for (std::int64_t k = 0; k < kLossCount; ++k)
    figures.emplace_back(tags::train(config::kLossNames[k]), value[k]);
  const std::int64_t norm = figureCount(), hasDiverged = norm + 1, lossScale = norm + 2;
  const bool isNonFinite = value[hasDiverged] != 0;
  // Where only the loss scale made gradients overflow, the step has no norm.
  const bool hasNorm = isNonFinite || std::isfinite(value[norm]);
  if (hasNorm) figures.emplace_back(tags::kGradientNorm, value[norm]);
  if (isNonFinite && !flushed.nonFinite)
    flushed.nonFinite = {facts.step, facts.imageIds, figures, nonFinite(figures)};
  if (hasNorm && statistics_) statistics_->addPartNorms(gradientSums, figures);
  if (lossScale < values.size(0)) figures.emplace_back(tags::kLossScale, value[lossScale]);
  figures.emplace_back(tags::kLearningRate, static_cast<float>(facts.learningRate));
  figures.emplace_back(tags::kStepSeconds, static_cast<float>(facts.stepSeconds));
  figures.emplace_back(tags::kDataSeconds, static_cast<float>(facts.dataSeconds));
  if (facts.times) {
    const PartSeconds parts = facts.partSeconds();
    for (std::size_t k = 0; k < parts.size(); ++k)
      figures.emplace_back(kPartTimes[k], static_cast<float>(parts[k]));
    if (ranks_ > 1) figures.emplace_back(tags::kWaitSeconds, static_cast<float>(facts.waitSeconds));
  }
  figures.emplace_back(tags::kImagesPerSecond,
                       static_cast<float>(facts.images / facts.stepSeconds));
  std::array<double, model::kDetectorCounts> counts{};
  for (std::size_t k = 0; k < counts.size(); ++k)
    counts[k] = value[kLossCount + static_cast<std::int64_t>(k)];
  // The counts are means over the ranks, the number of images is that of all.
  for (auto& metric : detectorMetrics(counts, static_cast<double>(facts.images) / ranks_))
    figures.push_back(std::move(metric));
  flushed.scalars.records.push_back({0, facts.step, facts.wallTime, std::move(figures)});
}

/// Once a step is not finite, its update and those after it were skipped, and so was one whose
/// gradients the loss scale made overflow.
void StepRecorder::addStatistics(const Step& step, const at::Tensor& gradientSums,
                                 Flushed& flushed) const {
  if (!statistics_ || !step.weightSums.defined() || flushed.nonFinite) return;
  if (!at::isfinite(gradientSums).all().item<bool>()) return;
  flushed.scalars.records.push_back({0, step.facts.step, step.facts.wallTime,
                                     statistics_->statistics(gradientSums, step.weightSums.cpu())});
}

void StepRecorder::spreadStepSeconds() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  for (Step& step : steps_) step.facts.stepSeconds = seconds / static_cast<double>(steps_.size());
}

void StepRecorder::addRankTimes(const at::Tensor& values, protocol::Scalars& record) const {
  const std::int64_t skipped = steps_.front().hasTimesOfStepBefore ? 0 : 1;
  const std::int64_t counted = values.size(0) - skipped;
  if (ranks_ == 1 || counted == 0) return;
  // Each rank's own times were averaged with the zeros of the others.
  const at::Tensor rows =
      values.narrow(0, skipped, counted).narrow(1, kFirstRankTime, kRankTimeCount * ranks_) *
      ranks_;
  const at::Tensor times = rows.mean(0);
  // Until a GPU has finished a step, its parts are zeros.
  const at::Tensor partTimes = rows.sum(0) / (rows > 0).sum(0).clamp_min(1);
  const auto seconds = times.accessor<float, 1>(), partSeconds = partTimes.accessor<float, 1>();
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::int64_t first = rank * kRankTimeCount;
    for (std::int64_t k = 0; k < kRankTimeCount; ++k)
      record.values.emplace_back(tags::numbered(kRankTimes[k], rank),
                                 (k < kFirstPartTime ? seconds : partSeconds)[first + k]);
    // A step takes every rank as long as the slowest: without waiting, the slowest shows.
    record.values.emplace_back(tags::numbered(tags::kRankOwnSeconds, rank),
                               seconds[first + kStepTime] - seconds[first + kWaitTime]);
  }
}

}  // namespace lockstep::train
