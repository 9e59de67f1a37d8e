#include "engine/coco/files/results.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/files/json_text.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kShare = 512;  // detections that a thread takes at a time

void appendDetection(const Detection& detection, std::string& json) {
  json += "{\"image_id\":";
  appendNumber(detection.imageId.value, json);
  json += ",\"category_id\":";
  appendNumber(detection.categoryId.value, json);
  json += ",\"bbox\":";
  appendNumbers(detection.boxXywh, json);
  json += ",\"score\":";
  appendNumber(detection.score, json);
  if (detection.mask.height > 0) {
    json += ",\"segmentation\":{\"size\":";
    appendNumbers(std::array<std::int64_t, 2>{detection.mask.height, detection.mask.width}, json);
    json += ",\"counts\":";
    appendString(compressCounts(detection.mask), json);
    json += "}";
  }
  json += "}";
}

std::vector<Detection> detectionsOf(const JsonFile& file) {
  const std::vector<ResultEntry> entries = readResults(file);
  std::vector<Detection> detections(entries.size());
  base::parallelFor((entries.size() + kShare - 1) / kShare, 0, [&](std::size_t share) {
    EntryDecoder decoder(file, entries);
    const std::size_t end = std::min((share + 1) * kShare, entries.size());
    for (std::size_t i = share * kShare; i < end; ++i) detections[i] = decoder.decode(i);
  });
  return detections;
}

}  // namespace

std::string detectionsToJson(const std::vector<Detection>& detections) {
  std::string json = "[";
  for (std::size_t i = 0; i < detections.size(); ++i) {
    if (i > 0) json += ",\n";
    appendDetection(detections[i], json);
  }
  return json + "]\n";
}

std::vector<Detection> loadDetections(const std::filesystem::path& file) {
  return detectionsOf(JsonFile::load(file, "results file"));
}

std::vector<Detection> parseDetections(const std::string& json, const std::string& name) {
  return detectionsOf(JsonFile(json, name));
}

}  // namespace lockstep::coco
