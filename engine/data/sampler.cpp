#include "engine/data/sampler.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/coco/files/training_images.h"

namespace lockstep::data {
namespace {

/// The places of one epoch's permutation, in groups of one aspect (wide or tall).
class AspectGroups {
 public:
  /// isWide: by place.
  AspectGroups(const std::vector<bool>& isWide, std::size_t groupSize)
      : groupSize_(groupSize), count_(isWide.size()) {
    for (std::size_t place = 0; place < count_; ++place) {
      auto& open = isWide[place] ? wide_ : tall_;
      open.push_back(place);
      if (open.size() < groupSize_) continue;
      groups_.push_back(std::move(open));
      open.clear();
    }
  }

  /// All places once: `head` complete the last group of the epoch before, then come whole groups,
  /// then a partial group that the next epoch completes. Whole groups are in the order of their
  /// first places.
  std::vector<std::size_t> sequence(std::size_t head) {
    const std::size_t tail = (count_ - head) % groupSize_;
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
              [](const auto& a, const auto& b) { return a.front() < b.front(); });
    std::vector<std::size_t> result(loose.begin(),
                                    loose.begin() + static_cast<std::ptrdiff_t>(head));
    for (const auto& group : groups_) result.insert(result.end(), group.begin(), group.end());
    result.insert(result.end(), looseTail, loose.end());
    return result;
  }

 private:
  std::size_t groupSize_, count_;
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
          .repeatThreshold = experiment.dataset.repeatThreshold,
          .copyPaste = experiment.augment.copyPaste,
          .seed = static_cast<std::uint64_t>(experiment.runtime.seed)};
}

SamplerOptions samplerOptionsOfAllRanks(const config::Experiment& experiment) {
  SamplerOptions options = samplerOptions(experiment, 0, 1);
  options.accumulate *= std::max(1, experiment.runtime.workers);
  return options;
}

Sampler::Sampler(const coco::Dataset& dataset, const SamplerOptions& options) : options_(options) {
  const int microBatches = options.worldSize * options.accumulate;
  if (microBatches < 1 || options.batchSize < 1 || options.batchSize % microBatches != 0) {
    throw UserError("solver.batch_size: " + std::to_string(options.batchSize) +
                    " is not a multiple of " + std::to_string(microBatches) +
                    " (ranks x solver.accumulate)");
  }
  imagesPerMicroBatch_ = options.batchSize / microBatches;
  imageIndices_ = coco::trainingImages(dataset, options.skipEmpty);
  for (const std::size_t i : imageIndices_) {
    const coco::Image& image = dataset.images()[i];
    imageIds_.push_back(static_cast<std::uint64_t>(image.id.value));
    isWide_.push_back(image.width >= image.height);
  }
  if (imageIndices_.empty()) {
    throw UserError(
        "dataset.train: no image has a usable annotation (not a crowd, width and height over 1 "
        "px)");
  }
  isLeftOut_.assign(imageIndices_.size(), false);
  repeatFactors_ = coco::repeatFactors(dataset, imageIndices_, options.repeatThreshold);
  drawsPerEpoch_ = coco::drawsPerEpoch(repeatFactors_);
}

std::vector<Sampler::Draw> Sampler::imagesOf(std::int64_t step, int microBatch) const {
  const std::int64_t group =
      static_cast<std::int64_t>(microBatch) * options_.worldSize + options_.rank;
  const std::int64_t first = (step - 1) * options_.batchSize + group * imagesPerMicroBatch_;
  std::vector<Draw> draws;
  for (std::int64_t position = first; position < first + imagesPerMicroBatch_; ++position) {
    const std::int64_t epoch = position / drawsPerEpoch_;
    draws.push_back(
        drawAt(*orderOf(epoch), static_cast<std::size_t>(position % drawsPerEpoch_), epoch));
  }
  return draws;
}

Sampler::Draw Sampler::drawAt(const std::vector<Entry>& order, std::size_t place,
                              std::int64_t epoch) const {
  while (isLeftOut_[order[place].image]) place = (place + 1) % order.size();
  const std::size_t image = order[place].image;
  Draw draw{imageIndices_[image], epoch, order[place].copy};
  draw.donorIndex = donorOf(draw, imageIds_[image], order);
  return draw;
}

/// The first from a random place on that is another image and is not left out.
std::optional<std::size_t> Sampler::donorOf(const Draw& draw, std::uint64_t imageId,
                                            const std::vector<Entry>& order) const {
  if (options_.copyPaste <= 0) return std::nullopt;
  const auto drawn = [&](std::uint64_t index) {
    return base::counterUniform({options_.seed,
                                 static_cast<std::uint64_t>(base::RandomPurpose::CopyPaste),
                                 static_cast<std::uint64_t>(draw.occurrence()), imageId, index});
  };
  if (drawn(0) >= options_.copyPaste) return std::nullopt;
  const auto first = static_cast<std::size_t>(drawn(1) * static_cast<double>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t image = order[(first + i) % order.size()].image;
    if (!isLeftOut_[image] && imageIndices_[image] != draw.imageIndex) return imageIndices_[image];
  }
  return std::nullopt;
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
    std::vector<Entry> order = permutation(epoch);
    if (options_.groupByAspect && imagesPerMicroBatch_ > 1) order = groupedByAspect(order, epoch);
    cached = {epoch, std::make_shared<const std::vector<Entry>>(std::move(order))};
  }
  return cached.order;
}

/// The whole part of each factor, and one more of as many images as the rest of all makes: by
/// systematic sampling, so that the epoch's length does not change.
std::vector<int> Sampler::copiesIn(std::int64_t epoch) const {
  std::vector<int> copies(repeatFactors_.size());
  std::vector<std::pair<std::uint64_t, std::size_t>> rests;  // random order, image
  double rest = 0;
  std::int64_t missing = drawsPerEpoch_;
  const auto key = static_cast<std::uint64_t>(base::RandomPurpose::Repeat);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i] = static_cast<int>(repeatFactors_[i]);
    missing -= copies[i];
    if (repeatFactors_[i] == copies[i]) continue;
    rest += repeatFactors_[i] - copies[i];
    rests.emplace_back(
        base::counterHash({options_.seed, key, static_cast<std::uint64_t>(epoch), imageIds_[i]}),
        i);
  }
  if (missing <= 0) return copies;
  std::sort(rests.begin(), rests.end());
  const double offset =
      base::counterUniform({options_.seed, key, static_cast<std::uint64_t>(epoch)});
  const double scale = static_cast<double>(missing) / rest;
  double sum = 0;
  std::int64_t taken = 0;
  for (const auto& [hash, image] : rests) {
    sum += (repeatFactors_[image] - copies[image]) * scale;
    const bool isLast = image == rests.back().second;  // where rounding must not lose one
    const auto due = isLast ? missing : std::min(missing, static_cast<std::int64_t>(sum + offset));
    copies[image] += static_cast<int>(due - taken);
    taken = due;
  }
  return copies;
}

std::vector<Sampler::Entry> Sampler::permutation(std::int64_t epoch) const {
  struct KeyedEntry {
    std::uint64_t key;
    Entry entry;
  };
  const std::vector<int> copies = copiesIn(epoch);
  std::vector<KeyedEntry> keyed;
  keyed.reserve(static_cast<std::size_t>(drawsPerEpoch_));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    for (int copy = 0; copy < copies[i]; ++copy) {
      const Draw draw{0, epoch, copy};
      keyed.push_back(
          {base::counterHash({options_.seed, static_cast<std::uint64_t>(base::RandomPurpose::Order),
                              static_cast<std::uint64_t>(draw.occurrence()), imageIds_[i]}),
           {i, copy}});
    }
  }
  std::sort(keyed.begin(), keyed.end(), [](const KeyedEntry& a, const KeyedEntry& b) {
    return std::tuple(a.key, a.entry.image, a.entry.copy) <
           std::tuple(b.key, b.entry.image, b.entry.copy);
  });
  std::vector<Entry> order(keyed.size());
  std::ranges::transform(keyed, order.begin(), &KeyedEntry::entry);
  return order;
}

std::vector<Sampler::Entry> Sampler::groupedByAspect(const std::vector<Entry>& order,
                                                     std::int64_t epoch) const {
  const auto groupSize = static_cast<std::size_t>(imagesPerMicroBatch_);
  const std::size_t begun = static_cast<std::size_t>(epoch) * order.size() % groupSize;
  const std::size_t head = (groupSize - begun) % groupSize;
  if (head >= order.size()) return order;
  std::vector<bool> isWide;
  for (const Entry& entry : order) isWide.push_back(isWide_[entry.image]);
  std::vector<Entry> grouped;
  for (const std::size_t place : AspectGroups(isWide, groupSize).sequence(head))
    grouped.push_back(order[place]);
  return grouped;
}

}  // namespace lockstep::data
