#include "engine/coco/files/results.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/detection_array.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kChunk = 512;  // detections that a thread takes at a time

std::vector<Detection> detectionsOf(const JsonFile& file) {
  const std::vector<ResultEntry> entries = readResults(file);
  std::vector<Detection> detections(entries.size());
  base::parallelFor((entries.size() + kChunk - 1) / kChunk, 0, [&](std::size_t share) {
    EntryDecoder decoder(file, entries.data());
    const std::size_t end = std::min((share + 1) * kChunk, entries.size());
    for (std::size_t i = share * kChunk; i < end; ++i)
      detections[i] = decoder.decode(entries[i], i);
  });
  return detections;
}

}  // namespace

bool fitsImage(const Detection& detection, const Image& image) {
  const Rle& mask = detection.mask;
  return mask.height == 0 || (mask.height == image.height && mask.width == image.width);
}

MaskSizeError::MaskSizeError(const Detection& detection, const Image& image)
    : Error("a result's mask for image " + std::to_string(image.id.value) + " is " +
            std::to_string(detection.mask.height) + " x " + std::to_string(detection.mask.width) +
            " px (height x width) but the image is " + std::to_string(image.height) + " x " +
            std::to_string(image.width)),
      image_(image.id) {}

void requireMaskSize(const Detection& detection, const Image& image) {
  if (!fitsImage(detection, image)) throw MaskSizeError(detection, image);
}

std::string detectionsToJson(const std::vector<Detection>& detections, MaskForm form) {
  return detectionArray(detections, form, nullptr);
}

std::vector<Detection> loadDetections(const std::filesystem::path& file) {
  return detectionsOf(JsonFile::load(file, "results file"));
}

std::vector<Detection> parseDetections(const std::string& json, const std::string& name) {
  return detectionsOf(JsonFile(base::FileText(json), name));
}

}  // namespace lockstep::coco
