// LabelMe: PART/NAME.json beside the image. Masks are PNGs in the JSON, so that nothing is lost.
#include "engine/base/base64.h"
#include "engine/base/json_writer.h"
#include "engine/coco/masks/rle.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

class LabelMeWriter : public DatasetWriter {
 public:
  LabelMeWriter(fs::path folder, const ImageCodec& codec)
      : folder_(std::move(folder)), codec_(codec) {}

  fs::path placeOf(const ExportedImage& image) const override {
    return fs::path(image.part) / image.fileName;
  }

  void add(const ExportedImage& exported) override {
    const SourceImage& image = exported.image;
    std::string text;
    base::JsonWriter json(text);
    json.beginObject();
    json.member("version", "5.5.0");
    json.key("flags");
    json.beginObject();
    json.endObject();
    json.key("shapes");
    json.beginArray();
    std::int64_t group = 0;
    for (const SourceObject& object : image.objects) addObject(object, json, ++group);
    json.endArray();
    json.member("imagePath", exported.fileName);
    json.key("imageData");
    json.null();
    json.member("imageHeight", image.size.height);
    json.member("imageWidth", image.size.width);
    json.endObject();
    writeFile(folder_ / exported.part / (exported.stem() + ".json"), text + "\n");
  }

 private:
  void addObject(const SourceObject& object, base::JsonWriter& json, std::int64_t group) {
    if (const auto* mask = std::get_if<coco::Rle>(&object.segmentation)) {
      addMask(object, *mask, json);
      return;
    }
    const auto& polygons = std::get<0>(object.segmentation);
    if (polygons.empty()) {
      const auto& [x, y, width, height] = object.boxXywh;
      addShape(object, "rectangle", {x, y, x + width, y + height}, 0, json, "");
    }
    for (const auto& polygon : polygons)
      addShape(object, "polygon", polygon, polygons.size() > 1 ? group : 0, json, "");
  }

  void addMask(const SourceObject& object, const coco::Rle& mask, base::JsonWriter& json) {
    const coco::MaskCrop crop = coco::crop(mask);
    LabelImage labels{crop.width, crop.height, {}};
    labels.ids.assign(crop.pixels.begin(), crop.pixels.end());
    addShape(object, "mask",
             {double(crop.x), double(crop.y), double(crop.x + crop.width - 1),
              double(crop.y + crop.height - 1)},
             0, json, base::encodeBase64(codec_.encodeLabels(labels)));
  }

  /// `group`: 0: none.
  static void addShape(const SourceObject& object, const char* type, const std::vector<double>& xy,
                       std::int64_t group, base::JsonWriter& json, const std::string& mask) {
    json.beginObject();
    json.member("label", object.category);
    json.key("points");
    json.beginArray();
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) json.values(std::array{xy[i], xy[i + 1]});
    json.endArray();
    json.key("group_id");
    if (group > 0) {
      json.value(group);
    } else {
      json.null();
    }
    json.member("description", "");
    json.member("shape_type", type);
    json.key("flags");
    json.beginObject();
    if (object.isCrowd) json.member("iscrowd", true);
    json.endObject();
    if (!mask.empty()) json.member("mask", mask);
    json.endObject();
  }

  fs::path folder_;
  const ImageCodec& codec_;
};

}  // namespace

std::unique_ptr<DatasetWriter> makeLabelMeWriter(const fs::path& folder, const ImageCodec& codec) {
  return std::make_unique<LabelMeWriter>(folder, codec);
}

}  // namespace lockstep::formats
