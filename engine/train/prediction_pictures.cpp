#include "engine/train/prediction_pictures.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/train/exception_text.h"

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;

bool isUnreadable(const eval::Detected& found, ImageId id) {
  return std::ranges::any_of(found.badImages,
                             [id](const data::BadImageInfo& fault) { return fault.id == id; });
}

std::vector<coco::Detection> detectionsOf(const eval::Detected& found, ImageId id) {
  std::vector<coco::Detection> ofImage;
  std::ranges::copy_if(found.detections, std::back_inserter(ofImage),
                       [id](const coco::Detection& detection) { return detection.imageId == id; });
  return ofImage;
}

}  // namespace

void PredictionPictures::draw(const eval::Detected& found,
                              const std::vector<std::size_t>& indices) {
  if (indices.empty() || !training_.context.drawPredictions) return;
  const fs::path folder = training_.layout.partialPictures(training_.state.step);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  try {
    fs::create_directories(folder);
    training_.send(drawAll(found, indices, folder));
  } catch (const std::exception& exception) {
    fs::remove_all(folder, ignored);
    warn(exceptionText(exception));
  }
}

protocol::PicturesReady PredictionPictures::drawAll(const eval::Detected& found,
                                                    const std::vector<std::size_t>& indices,
                                                    const fs::path& folder) const {
  const TrainingData& data = training_.data;
  protocol::PicturesReady ready{training_.state.step, folder.string(), {}};
  for (const std::size_t index : indices) {
    const coco::Image& image = data.heldOutSet->images()[index];
    if (isUnreadable(found, image.id)) continue;
    const std::string name = std::to_string(image.id.value) + ".png";
    const base::ImageSize size = training_.context.drawPredictions(
        {fs::path(training_.experiment.dataset.val.images) / image.fileName,
         {image.height, image.width},
         detectionsOf(found, image.id)},
        data.trainSet.categories(), folder / name);
    ready.pictures.push_back(
        {image.id.value, name, static_cast<int>(size.width), static_cast<int>(size.height)});
    ++training_.context.phase.images;  // the heartbeat shows that this rank is alive
  }
  return ready;
}

void PredictionPictures::warn(const std::string& reason) {
  if (std::exchange(isWarned_, true)) return;
  training_.log(base::LogLevel::Warning,
                "pictures of the predictions of step " + std::to_string(training_.state.step) +
                    " could not be drawn: " + reason + "; training continues");
}

}  // namespace lockstep::train
