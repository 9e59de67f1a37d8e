#include "engine/coco/files/results.h"

#include <cmath>

#include "engine/base/error.h"
#include "engine/coco/files/fault_list.h"
#include "engine/coco/files/json_document.h"
#include "engine/coco/files/json_text.h"
#include "engine/coco/files/read_table.h"

namespace lockstep::coco {
namespace {

namespace dom = simdjson::dom;

/// A detection and what its entry held.
struct DetectionDraft {
  Detection detection;
  bool hasBox = false;
};

DetectionDraft takeDetection(RecordReader& reader) {
  DetectionDraft draft;
  Detection& detection = draft.detection;
  detection.imageId.value = reader.takeWhole("image_id");
  detection.categoryId.value = reader.takeWhole("category_id");
  detection.score = reader.takeNumber("score");
  const auto box = reader.takeBox("bbox");
  auto segmentation = reader.takeSegmentation("segmentation");
  if (reader.hasFault()) return draft;
  if (segmentation) {
    if (Rle* rle = std::get_if<Rle>(&*segmentation)) {
      detection.mask = std::move(*rle);
    } else {
      reader.fail(
          "its segmentation is a polygon; results hold masks as RLE: {\"size\", \"counts\"}");
    }
  } else if (!box) {
    reader.fail("it has neither \"bbox\" nor \"segmentation\"");
  }
  draft.hasBox = box.has_value();
  detection.boxXywh = box ? *box : boundingBoxXywh(detection.mask);
  return draft;
}

std::vector<Detection> readDetections(dom::array entries, FaultList& faults) {
  auto drafts = readTable<DetectionDraft>(
      entries, takeDetection, [&](std::size_t index, dom::element, const std::string& fault) {
        faults.add("result " + std::to_string(index + 1), fault);
      });
  faults.throwIfAny();
  // As pycocotools: whether the first entry has a box decides where the areas of all come from.
  const bool areaIsOfMask = !drafts.empty() && !drafts.front().hasBox;
  std::vector<Detection> detections;
  detections.reserve(drafts.size());
  for (DetectionDraft& draft : drafts) {
    Detection& detection = draft.detection;
    if (areaIsOfMask && detection.mask.height > 0) {
      detection.areaPx = static_cast<double>(areaPx(detection.mask));
    }
    detections.push_back(std::move(detection));
  }
  return detections;
}

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

std::vector<Detection> parse(simdjson::padded_string json, const std::string& name) {
  const JsonDocument document(std::move(json), name);
  dom::array entries;
  if (document.root().get_array().get(entries) != simdjson::SUCCESS) {
    throw Error(
        name + ": is " + kindOf(document.root()) +
        ", not COCO results: an array of {image_id, category_id, score, bbox, segmentation}");
  }
  FaultList faults(name);
  return readDetections(entries, faults);
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
  return parse(JsonDocument::read(file, "results file"), file.string());
}

std::vector<Detection> parseDetections(const std::string& json, const std::string& name) {
  return parse(simdjson::padded_string(json), name);
}

}  // namespace lockstep::coco
