#include "engine/coco/files/results.h"

#include <array>

#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kChunk = 512;  // detections that a thread takes at a time

/// Along the edges of its pixels, holes included.
void appendPolygons(const Rle& mask, base::JsonWriter& writer) {
  writer.beginArray();
  for (const auto& contour : contours(mask)) {
    writer.beginArray();
    for (const auto& [x, y] : contour) {
      writer.value(x);
      writer.value(y);
    }
    writer.endArray();
  }
  writer.endArray();
}

void appendMask(const Rle& mask, MaskForm form, base::JsonWriter& writer) {
  writer.key("segmentation");
  if (form == MaskForm::Polygons) return appendPolygons(mask, writer);
  writer.beginObject();
  writer.key("size");
  writer.values(std::array{mask.height, mask.width});
  writer.member("counts", compressCounts(mask));
  writer.endObject();
}

void appendDetection(const Detection& detection, MaskForm form, const FileNames* names,
                     std::string& json) {
  base::JsonWriter writer(json);
  writer.beginObject();
  writer.member("image_id", detection.imageId.value);
  writer.member("category_id", detection.categoryId.value);
  writer.key("bbox");
  writer.values(detection.boxXywh);
  writer.member("score", detection.score);
  if (detection.mask.height > 0) appendMask(detection.mask, form, writer);
  if (names != nullptr) writer.member("file_name", names->at(detection.imageId.value));
  writer.endObject();
}

std::vector<Detection> detectionsOf(const JsonFile& file) {
  const std::vector<ResultEntry> entries = readResults(file);
  std::vector<Detection> detections(entries.size());
  base::parallelForChunks(entries.size(), kChunk, 0, [&](std::size_t begin, std::size_t end) {
    EntryDecoder decoder(file, entries.data());
    for (std::size_t i = begin; i < end; ++i) detections[i] = decoder.decode(entries[i], i);
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

std::string detectionsToJson(const std::vector<Detection>& detections, MaskForm form,
                             const FileNames* names) {
  std::string json = "[";
  for (std::size_t i = 0; i < detections.size(); ++i) {
    if (i > 0) json += ",\n";
    appendDetection(detections[i], form, names, json);
  }
  return json + "]\n";
}

std::vector<Detection> loadDetections(const std::filesystem::path& file) {
  return detectionsOf(JsonFile::load(file, "results file"));
}

std::vector<Detection> parseDetections(const std::string& json, const std::string& name) {
  return detectionsOf(JsonFile(base::FileText(json), name));
}

}  // namespace lockstep::coco
