#include "widgets/instances/prediction_store.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace lockstep::widgets {

void PredictionStore::clear() { *this = PredictionStore(); }

void PredictionStore::setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept) {
  checkpoints_ = steps;
  kept_ = std::move(kept);
  for (const auto& [step, byImage] : predictions_) checkpoints_.push_back(step);
  std::sort(checkpoints_.begin(), checkpoints_.end());
  checkpoints_.erase(std::unique(checkpoints_.begin(), checkpoints_.end()), checkpoints_.end());
}

void PredictionStore::mergeCheckpoint(qint64 step) {
  const auto at = std::lower_bound(checkpoints_.begin(), checkpoints_.end(), step);
  if (at == checkpoints_.end() || *at != step) checkpoints_.insert(at, step);
}

std::optional<qint64> PredictionStore::nearestKept(qint64 step) const {
  const auto nearest = std::min_element(kept_.begin(), kept_.end(), [step](qint64 a, qint64 b) {
    return std::abs(a - step) < std::abs(b - step);
  });
  return nearest == kept_.end() ? std::nullopt : std::optional(*nearest);
}

std::optional<qint64> PredictionStore::nearestPredicted(qint64 step, ImageId image) const {
  std::optional<qint64> nearest;
  for (const qint64 other : checkpoints_) {
    if (other == step || !find(other, image)) continue;
    if (!nearest || std::abs(other - step) < std::abs(*nearest - step)) nearest = other;
  }
  return nearest;
}

int PredictionStore::positionOf(qint64 step) const {
  const auto after = std::upper_bound(checkpoints_.begin(), checkpoints_.end(), step);
  return std::max(static_cast<int>(after - checkpoints_.begin()) - 1,
                  checkpoints_.empty() ? -1 : 0);
}

void PredictionStore::add(qint64 step, std::vector<coco::Detection> detections,
                          const std::vector<ImageId>& imageIds) {
  mergeCheckpoint(step);
  std::map<ImageId, std::vector<coco::Detection>> sorted;
  for (ImageId image : imageIds) sorted[image];
  for (coco::Detection& detection : detections) {
    sorted[detection.imageId].push_back(std::move(detection));
  }
  for (auto& [image, ofImage] : sorted) {
    predictions_[step][image] =
        std::make_shared<const std::vector<coco::Detection>>(std::move(ofImage));
    requests_.erase({step, image});
  }
  lookForMasks(step);
}

void PredictionStore::add(qint64 step, const std::shared_ptr<const coco::ResultsByImage>& file) {
  mergeCheckpoint(step);
  for (const ImageId image : file->images()) {
    predictions_[step][image] = ImageDetections(file, image, cache_);
    requests_.erase({step, image});
  }
  lookForMasks(step);
}

void PredictionStore::add(qint64 step, const ByImage& predictions) {
  mergeCheckpoint(step);
  for (const auto& [image, ofImage] : predictions) predictions_[step][image] = ofImage;
  lookForMasks(step);
}

void PredictionStore::lookForMasks(qint64 step) {
  const bool haveMasks = std::ranges::all_of(
      predictions_[step], [](const auto& one) { return one.second.haveMasks(); });
  if (haveMasks)
    withoutMasks_.erase(step);
  else
    withoutMasks_.insert(step);
}

void PredictionStore::forgetAfter(qint64 step) {
  predictions_.erase(predictions_.upper_bound(step), predictions_.end());
  withoutMasks_.erase(withoutMasks_.upper_bound(step), withoutMasks_.end());
  averagePrecisions_.erase(averagePrecisions_.upper_bound(step), averagePrecisions_.end());
  kept_.erase(kept_.upper_bound(step), kept_.end());
  std::erase_if(requests_, [step](const auto& entry) { return entry.first.first > step; });
  std::erase_if(checkpoints_, [step](qint64 known) { return known > step; });
}

void PredictionStore::forget(qint64 step, ImageId image) {
  predictions_[step].erase(image);
  lookForMasks(step);
}

ImageDetections PredictionStore::find(qint64 step, ImageId image) const {
  const ByImage& byImage = at(step);
  const auto found = byImage.find(image);
  return found == byImage.end() ? ImageDetections() : found->second;
}

const PredictionStore::ByImage& PredictionStore::at(qint64 step) const {
  static const ByImage kNone;
  const auto found = predictions_.find(step);
  return found == predictions_.end() ? kNone : found->second;
}

double PredictionStore::averagePrecision(qint64 step) const {
  const auto found = averagePrecisions_.find(step);
  return found == averagePrecisions_.end() || found->second < 0
             ? std::numeric_limits<double>::quiet_NaN()
             : found->second;
}

void PredictionStore::setRequest(qint64 step, ImageId image, Request request) {
  requests_[{step, image}] = std::move(request);
}

PredictionStore::Request PredictionStore::request(qint64 step, ImageId image) const {
  const auto found = requests_.find({step, image});
  return found == requests_.end() ? Request() : found->second;
}

}  // namespace lockstep::widgets
