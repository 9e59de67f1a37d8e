#include "engine/data/sampler.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "engine/base/counter_hash.h"
#include "engine/base/error.h"

namespace lockstep::data {
namespace {

bool hasUsableAnnotation(const std::vector<coco::Annotation>& annotations) {
  return std::any_of(annotations.begin(), annotations.end(),
                     [](const auto& a) { return a.isUsable(); });
}

/// The images of one epoch in the order of its permutation, in groups of one aspect (wide or tall).
class AspectGroups {
 public:
  AspectGroups(const std::vector<std::size_t>& order, const std::vector<bool>& isWide,
               std::size_t groupSize)
      : groupSize_(groupSize), place_(order.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = i;
      auto& open = isWide[order[i]] ? wide_ : tall_;
      open.push_back(order[i]);
      if (open.size() < groupSize_) continue;
      groups_.push_back(std::move(open));
      open.clear();
    }
  }

  /// All images once: `head` images complete the last group of the epoch before, then come whole
  /// groups, then a partial group that the next epoch completes. Whole groups are in the order of
  /// their first images.
  std::vector<std::size_t> sequence(std::size_t head) {
    const std::size_t tail = (place_.size() - head) % groupSize_;
    std::vector<std::size_t> loose = wide_;
    loose.insert(loose.end(), tall_.begin(), tall_.end());
    while (loose.size() < head + tail) {
      loose.insert(loose.end(), groups_.back().begin(), groups_.back().end());
      groups_.pop_back();
    }
    const auto looseTail = loose.end() - static_cast<std::ptrdiff_t>(tail);
    auto mixed = loose.begin() + static_cast<std::ptrdiff_t>(head);
    for (; mixed != looseTail; mixed += static_cast<std::ptrdiff_t>(groupSize_)) {
      groups_.emplace_back(mixed, mixed + static_cast<std::ptrdiff_t>(groupSize_));
    }
    std::sort(groups_.begin(), groups_.end(),
              [&](const auto& a, const auto& b) { return place_[a.front()] < place_[b.front()]; });
    std::vector<std::size_t> result(loose.begin(),
                                    loose.begin() + static_cast<std::ptrdiff_t>(head));
    for (const auto& group : groups_) result.insert(result.end(), group.begin(), group.end());
    result.insert(result.end(), looseTail, loose.end());
    return result;
  }

 private:
  std::size_t groupSize_;
  std::vector<std::size_t> place_;  ///< index of an image in the permutation
  std::vector<std::size_t> wide_, tall_;
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace

SamplerOptions samplerOptions(const config::Experiment& experiment, int rank, int worldSize) {
  return {.batchSize = experiment.solver.batchSize,
          .accumulate = experiment.solver.accumulate,
          .rank = rank,
          .worldSize = worldSize,
          .groupByAspect = experiment.dataset.groupByAspect,
          .skipEmpty = experiment.dataset.skipEmpty,
          .seed = static_cast<std::uint64_t>(experiment.runtime.seed)};
}

Sampler::Sampler(const coco::Dataset& dataset, const SamplerOptions& options) : options_(options) {
  const int microBatches = options.worldSize * options.accumulate;
  if (microBatches < 1 || options.batchSize < 1 || options.batchSize % microBatches != 0) {
    throw UserError("solver.batch_size: " + std::to_string(options.batchSize) +
                    " is not a multiple of " + std::to_string(microBatches) +
                    " (ranks x solver.accumulate)");
  }
  imagesPerMicroBatch_ = options.batchSize / microBatches;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    if (options.skipEmpty && !hasUsableAnnotation(dataset.annotationsOf(i))) continue;
    const coco::Image& image = dataset.images()[i];
    imageIndices_.push_back(i);
    imageIds_.push_back(static_cast<std::uint64_t>(image.id.value));
    isWide_.push_back(image.width >= image.height);
  }
  if (imageIndices_.empty()) {
    throw UserError(
        "dataset.train: no image has a usable annotation (not a crowd, width and height over 1 "
        "px)");
  }
  isLeftOut_.assign(imageIndices_.size(), false);
}

std::vector<Sampler::Draw> Sampler::imagesOf(std::int64_t step, int microBatch) const {
  const auto count = static_cast<std::int64_t>(imageIndices_.size());
  const std::int64_t group =
      static_cast<std::int64_t>(microBatch) * options_.worldSize + options_.rank;
  const std::int64_t first = (step - 1) * options_.batchSize + group * imagesPerMicroBatch_;
  std::vector<Draw> draws;
  for (std::int64_t position = first; position < first + imagesPerMicroBatch_; ++position) {
    const std::int64_t epoch = position / count;
    draws.push_back({imageAt(*orderOf(epoch), static_cast<std::size_t>(position % count)), epoch});
  }
  return draws;
}

std::size_t Sampler::imageAt(const std::vector<std::size_t>& order, std::size_t place) const {
  while (isLeftOut_[order[place]]) place = (place + 1) % order.size();
  return imageIndices_[order[place]];
}

void Sampler::leaveOut(const std::vector<std::int64_t>& imageIds) {
  const std::unordered_set<std::int64_t> ids(imageIds.begin(), imageIds.end());
  for (std::size_t i = 0; i < imageIds_.size(); ++i) {
    if (ids.contains(static_cast<std::int64_t>(imageIds_[i]))) isLeftOut_[i] = true;
  }
  if (std::ranges::find(isLeftOut_, false) == isLeftOut_.end()) {
    throw Error("dataset.train: none of the " + std::to_string(imageIds_.size()) +
                " images can be read; check that dataset.train.images is the right folder");
  }
}

Sampler::Order Sampler::orderOf(std::int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  CachedOrder& cached = cached_[epoch % 2];
  if (cached.epoch != epoch) {
    std::vector<std::size_t> order = permutation(epoch);
    if (options_.groupByAspect && imagesPerMicroBatch_ > 1)
      order = groupedByAspect(std::move(order), epoch);
    cached = {epoch, std::make_shared<const std::vector<std::size_t>>(std::move(order))};
  }
  return cached.order;
}

std::vector<std::size_t> Sampler::permutation(std::int64_t epoch) const {
  std::vector<std::pair<std::uint64_t, std::size_t>> keyed(imageIds_.size());
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    keyed[i] = {
        base::counterHash({options_.seed, static_cast<std::uint64_t>(base::RandomPurpose::Order),
                           static_cast<std::uint64_t>(epoch), imageIds_[i]}),
        i};
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> order(keyed.size());
  std::transform(keyed.begin(), keyed.end(), order.begin(),
                 [](const auto& entry) { return entry.second; });
  return order;
}

std::vector<std::size_t> Sampler::groupedByAspect(std::vector<std::size_t> order,
                                                  std::int64_t epoch) const {
  const auto groupSize = static_cast<std::size_t>(imagesPerMicroBatch_);
  const std::size_t begun = static_cast<std::size_t>(epoch) * order.size() % groupSize;
  const std::size_t head = (groupSize - begun) % groupSize;
  if (head >= order.size()) return order;
  return AspectGroups(order, isWide_, groupSize).sequence(head);
}

}  // namespace lockstep::data
