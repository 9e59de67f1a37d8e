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
constexpr std::size_t kChunk = 16;

void match(const coco::Dataset& dataset, std::size_t index, const MatchRules& rules,
           OfImage& image) {
  const coco::Image& shown = dataset.images()[index];
  try {
    const auto detections = image.detections.read();
    image.overlaps = std::make_shared<const coco::ImageOverlaps>(
        overlapsOf({shown, &dataset.annotationsOf(index), detections.get(), rules}));
    image.objects = static_cast<std::size_t>(std::ranges::count_if(
        image.overlaps->annotations, [](const auto& object) { return !object.isCrowd; }));
    image.pastLimit = detections->size() - image.overlaps->detections.size();
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
  all.hasTruth = rules.hasTruth;
  all.pastLimit = coco::objectsPastLimit(dataset, rules.mostDetections);
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
  base::parallelFor((missing.size() + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    const std::size_t end = std::min(missing.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i)
      match(dataset, missing[i].first, rules, all.images[missing[i].second]);
  });
  for (const OfImage& image : all.images) {
    all.pastLimit.detections += image.pastLimit;
    all.pastLimit.imagesOfDetections += image.pastLimit > 0 ? 1 : 0;
  }
  rank(all);
  return all;
}

bool areSame(const CheckpointOverlaps& known, const PredictionStore::ByImage& predictions) {
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

std::shared_ptr<const CheckpointOverlaps> OverlapCache::at(
    qint64 step, const coco::Dataset& dataset, const PredictionStore::ByImage& predictions,
    const MatchRules& rules) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.overlaps->step == step; });
  std::shared_ptr<const CheckpointOverlaps> known;
  if (found != kept_.end()) {
    known = found->overlaps;
    std::rotate(found, found + 1, kept_.end());
    if (areSame(*known, predictions)) return known;
    kept_.pop_back();
  }
  auto all =
      std::make_shared<CheckpointOverlaps>(findAll(dataset, predictions, rules, known.get()));
  all->step = step;
  kept_.push_back({all, bytesOf(*all)});
  dropOldest();
  return all;
}

void OverlapCache::dropOldest() {
  std::size_t bytes = 0;
  for (const Kept& kept : kept_) bytes += kept.bytes;
  while (kept_.size() > 1 && bytes > mostBytes_) {
    bytes -= kept_.front().bytes;
    kept_.erase(kept_.begin());
  }
}

}  // namespace lockstep::widgets
