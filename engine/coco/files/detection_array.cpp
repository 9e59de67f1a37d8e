#include "engine/coco/files/detection_array.h"

#include <array>

#include "engine/base/json_writer.h"

namespace lockstep::coco {
namespace {

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

}  // namespace

std::string detectionArray(const std::vector<Detection>& detections, MaskForm form,
                           const FileNames* names) {
  std::string json = "[";
  for (std::size_t i = 0; i < detections.size(); ++i) {
    if (i > 0) json += ",\n";
    appendDetection(detections[i], form, names, json);
  }
  return json + "]\n";
}

}  // namespace lockstep::coco
