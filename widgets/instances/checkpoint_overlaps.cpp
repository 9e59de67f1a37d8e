#include "widgets/instances/checkpoint_overlaps.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/base/parallel_for.h"

namespace lockstep::widgets {
namespace {

using OfImage = CheckpointOverlaps::OfImage;

/// Images that one thread takes at a time.
constexpr std::size_t kOverlapChunk = 16;

void match(const coco::Dataset& dataset, std::size_t index, const MatchRules& rules,
           OfImage& image) {
  const coco::Image& shown = dataset.images()[index];
  try {
    const auto detections = image.detections.readOnce();
    image.overlaps = std::make_shared<const coco::ImageOverlaps>(
        overlapsOf(contentOf(dataset, index, *detections, rules)));
    image.objects = static_cast<std::size_t>(std::ranges::count_if(
        image.overlaps->annotations, [](const auto& object) { return !object.isCrowd; }));
    if (rules.hasTruth)
      image.unlisted = static_cast<std::size_t>(std::ranges::count_if(
          *detections,
          [&](const coco::Detection& one) { return !dataset.hasCategory(one.categoryId); }));
    image.pastLimit = detections->size() - image.unlisted - image.overlaps->detections.size();
  } catch (const std::exception& error) {
    image.failure = QString::fromStdString(shown.fileName) % QStringLiteral(": ") %
                    QString::fromUtf8(error.what());
  }
}

/// Fills in what is not by image.
void rank(CheckpointOverlaps& all) {
  std::unordered_map<CategoryId, std::size_t> rows;
  const auto of = [&](CategoryId category) -> CheckpointOverlaps::OfCategory& {
    const std::size_t row = rows.emplace(category, all.categories.size()).first->second;
    if (row == all.categories.size()) all.categories.push_back({category});
    return all.categories[row];
  };
  std::uint32_t place = 0;
  std::set<CategoryId> seen;
  for (const OfImage& image : all.images) {
    seen.clear();
    if (image.overlaps) {
      for (const coco::OverlapAnnotation& object : image.overlaps->annotations) {
        CheckpointOverlaps::OfCategory& own = of(object.category);
        if (object.isCrowd) continue;
        ++own.objects;
        own.images += seen.insert(object.category).second ? 1 : 0;
      }
      for (const coco::OverlapDetection& detection : image.overlaps->detections)
        of(detection.category).ranking.push_back({detection.score, place++});
    }
    all.firstOf.push_back(place);
  }
  base::parallelFor(all.categories.size(), 0, [&](std::size_t row) {
    auto& ranking = all.categories[row].ranking;
    ranking.shrink_to_fit();
    std::ranges::stable_sort(ranking, std::greater(), &CheckpointOverlaps::Ranked::score);
  });
}

std::size_t bytesOf(const CheckpointOverlaps& all) {
  std::size_t bytes = all.firstOf.back() * sizeof(CheckpointOverlaps::Ranked) +
                      all.images.capacity() * sizeof(OfImage);
  for (const OfImage& image : all.images) {
    if (!image.overlaps) continue;
    bytes += sizeof *image.overlaps +
             image.overlaps->detections.capacity() * sizeof(coco::OverlapDetection) +
             image.overlaps->annotations.capacity() * sizeof(coco::OverlapAnnotation) +
             image.overlaps->pairs.capacity() * sizeof(coco::Overlap);
  }
  return bytes;
}

/// `known`: of the same checkpoint before; nullptr: none.
CheckpointOverlaps findAll(const coco::Dataset& dataset,
                           const PredictionStore::ByImage& predictions, const MatchRules& rules,
                           const CheckpointOverlaps* known) {
  CheckpointOverlaps all;
  all.predictedImages = predictions.size();
  all.rules = rules;
  all.pastLimit = coco::objectsPastLimit(dataset, rules.mostDetections());
  std::vector<std::pair<std::size_t, std::size_t>> missing;  // in the dataset, in all.images
  for (std::size_t index = 0; index < dataset.images().size(); ++index) {
    const ImageId id = dataset.images()[index].id;
    const auto found = predictions.find(id);
    if (found == predictions.end()) continue;
    const OfImage* same = known != nullptr ? known->find(id) : nullptr;
    if (same == nullptr || same->detections != found->second) {
      missing.emplace_back(index, all.images.size());
      all.images.push_back({id, found->second});
    } else {
      all.images.push_back(*same);
    }
  }
  base::parallelForChunks(
      missing.size(), kOverlapChunk, 0, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          match(dataset, missing[i].first, rules, all.images[missing[i].second]);
      });
  for (const OfImage& image : all.images) {
    all.pastLimit.detections += image.pastLimit;
    all.pastLimit.imagesOfDetections += image.pastLimit > 0 ? 1 : 0;
    all.unlisted += image.unlisted;
  }
  rank(all);
  return all;
}

/// Whether they are of these predictions.
bool areOf(const CheckpointOverlaps& known, const PredictionStore::ByImage& predictions) {
  return known.predictedImages == predictions.size() &&
         std::ranges::all_of(known.images, [&](const OfImage& image) {
           const auto found = predictions.find(image.image);
           return found != predictions.end() && found->second == image.detections;
         });
}

}  // namespace

std::size_t CheckpointOverlaps::OfCategory::countFrom(double score) const {
  return static_cast<std::size_t>(
      std::ranges::partition_point(ranking, [=](const Ranked& one) { return one.score >= score; }) -
      ranking.begin());
}

const OfImage* CheckpointOverlaps::find(ImageId image) const {
  // The images of a dataset are sorted by their ids.
  const auto found =
      std::lower_bound(images.begin(), images.end(), image,
                       [](const OfImage& one, ImageId id) { return one.image < id; });
  return found == images.end() || found->image != image ? nullptr : &*found;
}

/// A step that this thread computes, without the lock, until the end of its life.
class OverlapCache::Computing {
 public:
  Computing(OverlapCache& cache, qint64 step, std::unique_lock<std::mutex>& lock)
      : cache_(cache), step_(step), lock_(lock) {
    cache_.computing_.insert(step_);
    lock_.unlock();
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
  ~Computing() {
    if (!lock_.owns_lock()) lock_.lock();
    cache_.computing_.erase(step_);
    cache_.computed_.notify_all();
  }

 private:
  OverlapCache& cache_;
  qint64 step_;
  std::unique_lock<std::mutex>& lock_;
};

std::shared_ptr<const CheckpointOverlaps> OverlapCache::at(
    qint64 step, const coco::Dataset& dataset, const PredictionStore::ByImage& predictions,
    const MatchRules& rules) {
  std::unique_lock lock(mutex_);
  computed_.wait(lock, [&] { return !computing_.contains(step); });
  Kept known = take(step);
  if (known.overlaps && known.overlaps->rules != rules) known = {};
  if (known.overlaps && areOf(*known.overlaps, predictions)) {
    keep(known);
    return known.overlaps;
  }
  if (!known.overlaps && !kept_.empty()) makeRoom(kept_.back().bytes);  // it is about as large
  const Computing computing(*this, step, lock);
  auto all = std::make_shared<CheckpointOverlaps>(
      findAll(dataset, predictions, rules, known.overlaps.get()));
  all->step = step;
  const std::size_t bytes = bytesOf(*all);
  lock.lock();
  keep({all, bytes});
  return all;
}

/// It is not kept any more.
OverlapCache::Kept OverlapCache::take(qint64 step) {
  const auto found =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.overlaps->step == step; });
  if (found == kept_.end()) return {};
  Kept taken = std::move(*found);
  kept_.erase(found);
  return taken;
}

/// As the last used one; the oldest ones make room.
void OverlapCache::keep(Kept kept) {
  makeRoom(kept.bytes);
  kept_.push_back(std::move(kept));
}

void OverlapCache::makeRoom(std::size_t wanted) {
  std::size_t bytes = wanted;
  for (const Kept& one : kept_) bytes += one.bytes;
  while (!kept_.empty() && bytes > mostBytes_) {
    bytes -= kept_.front().bytes;
    kept_.erase(kept_.begin());
  }
}

}  // namespace lockstep::widgets
