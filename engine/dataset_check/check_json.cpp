#include "engine/base/json_writer.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/dataset_check/check_report.h"
#include "engine/dataset_check/kind_texts.h"

namespace lockstep::dataset_check {
namespace {

using base::JsonWriter;

void write(const Histogram& histogram, JsonWriter& json) {
  json.beginObject();
  json.key("edges");
  json.values(histogram.edges);
  json.key("counts");
  json.values(histogram.counts);
  json.endObject();
}

void write(const config::AnchorConfig& anchors, JsonWriter& json) {
  json.key("sizes");
  json.values(anchors.sizes);
  json.key("aspect_ratios");
  json.values(anchors.aspectRatios);
}

void writeAnchors(const PartFacts& facts, const config::AnchorConfig& anchors, JsonWriter& json) {
  json.beginObject();
  write(anchors, json);
  json.member("iou", config::kCoveringIou);
  json.member("objects", facts.usableObjects);
  json.member("missed", facts.anchors.all().missed);
  json.key("missed_by_size");
  json.beginObject();
  for (std::size_t size = 1; size < facts.anchors.bySize.size(); ++size)
    json.member(coco::kObjectSizeNames[size], facts.anchors.bySize[size].missed);
  json.endObject();
  json.key("suggested");
  if (facts.usableObjects == 0 || facts.anchors.isGood()) {
    json.null();
  } else {
    json.beginObject();
    write(facts.suggestedAnchors, json);
    json.member("missed_share", facts.suggestedMissed);
    json.endObject();
  }
  json.endObject();
}

void writeCounts(const PartFacts& facts, JsonWriter& json) {
  json.member("images", facts.images);
  json.member("objects", facts.objects);
  json.member("crowds", facts.crowds);
  json.member("empty_images", facts.emptyImages);
  json.member("box_only_objects", facts.boxOnlyObjects);
  json.key("image_sizes");
  json.beginArray();
  for (const SizeFacts& size : facts.imageSizes) {
    json.beginObject();
    json.member("width", size.width);
    json.member("height", size.height);
    json.member("images", size.images);
    json.endObject();
  }
  json.endArray();
  json.key("aspect_ratios");
  write(facts.aspectRatios, json);
  json.key("objects_per_image");
  json.beginObject();
  json.member("min", facts.fewestObjects);
  json.member("mean", facts.meanObjects);
  json.member("max", facts.mostObjects);
  json.key("histogram");
  write(facts.objectsPerImage, json);
  json.endObject();
  json.key("classes");
  json.beginArray();
  for (const ClassFacts& one : facts.classes) {
    json.beginObject();
    json.member("id", one.category.id.value);
    json.member("name", one.category.name);
    json.member("objects", one.objects);
    json.member("images", one.images);
    json.endObject();
  }
  json.endArray();
}

void writePart(const CheckedPart& part, const config::Experiment& experiment, JsonWriter& json) {
  const PartFacts& facts = part.facts;
  json.beginObject();
  json.member("part", base::textOf(part.data.part));
  json.member("annotations", part.data.annotations);
  json.member("images_folder", part.data.images.string());
  writeCounts(facts, json);
  json.key("sizes");  // after resizing
  json.beginObject();
  for (std::size_t size = 0; size < facts.bySize.size(); ++size)
    json.member(coco::kObjectSizeNames[size + 1], facts.bySize[size]);
  json.endObject();
  json.key("resized_sides");
  write(facts.sides, json);
  json.key("anchors");
  writeAnchors(facts, experiment.model.anchors, json);
  json.key("most_crowded");
  if (facts.images == 0) {
    json.null();
  } else {
    json.beginObject();
    json.member("image_id", facts.mostCrowdedId);
    json.member("file", facts.mostCrowdedFile);
    json.member("objects", facts.mostObjects);
    json.endObject();
  }
  json.key("limits");
  json.beginObject();
  json.member("max_dets", config::apParams(experiment.evaluation).mostDetections());
  json.member("detections_per_image", experiment.model.boxHead.detectionsPerImage);
  json.member("text", facts.limitText);
  json.endObject();
  json.endObject();
}

void writeOptional(const char* key, const std::optional<std::int64_t>& value, JsonWriter& json) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

void writeFindings(const char* key, const std::vector<Finding>& findings, JsonWriter& json) {
  json.key(key);
  json.beginArray();
  for (const Finding& found : findings) {
    json.beginObject();
    json.member("kind", base::textOf(found.kind));
    json.member("part", base::textOf(found.part));
    json.member("file", found.file);
    writeOptional("image_id", found.imageId, json);
    writeOptional("annotation_id", found.annotationId, json);
    const auto byte = static_cast<std::int64_t>(found.byte);
    writeOptional("byte", byte > 0 ? std::optional(byte) : std::nullopt, json);
    json.member("text", found.text);
    json.endObject();
  }
  json.endArray();
}

void writeFixes(const CleanedDataset& cleaned, const std::vector<std::string>& sourceRefusals,
                JsonWriter& json) {
  json.key("fixes");
  json.beginArray();
  for (const auto& [kind, count] : cleaned.fixes) {
    json.beginObject();
    json.member("kind", base::textOf(kind));
    json.member("mended", count.mended);
    json.member("removed", count.removed);
    json.member("resolved", count.resolved);
    json.member("text", textOf(kind).remedy);
    json.endObject();
  }
  json.endArray();
  json.key("cleaned");
  json.beginArray();
  for (const CleanedPart& part : cleaned.parts) {
    json.beginObject();
    json.member("part", base::textOf(part.part));
    json.member("annotations", part.file);
    json.member("images", part.images);
    json.member("annotation_count", part.annotations);
    json.endObject();
  }
  json.endArray();
  json.key("source_refusals");
  json.values(sourceRefusals);
  json.key("unmended");
  json.values(cleaned.unmended);
}

}  // namespace

std::string jsonOf(const DatasetCheck& check, const config::Experiment& experiment,
                   const CleanedDataset* cleaned) {
  std::string text;
  JsonWriter json(text);
  json.beginObject();
  const std::vector<std::string> refusals = refusalsOf(check, cleaned);
  json.member("usable", refusals.empty());
  json.key("refusals");
  json.values(refusals);
  json.key("parts");
  json.beginArray();
  for (const CheckedPart& part : check.parts) writePart(part, experiment, json);
  json.endArray();
  writeFindings("faults", check.faults, json);
  writeFindings("notes", check.notes, json);
  if (cleaned != nullptr) writeFixes(*cleaned, check.refusals, json);
  json.endObject();
  return text + "\n";
}

}  // namespace lockstep::dataset_check
