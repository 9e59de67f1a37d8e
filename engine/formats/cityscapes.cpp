// Cityscapes' polygons: gtFine/PART/CITY/NAME_gtFine_polygons.json. A polygon hides those before
// it.

#include "engine/base/error.h"
#include "engine/formats/json_node.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

/// The classes with instances that Cityscapes evaluates, in its order.
const std::vector<std::string> kThings{"person", "rider", "car",        "truck",
                                       "bus",    "train", "motorcycle", "bicycle"};
constexpr std::string_view kGroup = "group";  ///< `cargroup`: several that cannot be told apart

/// Paints all polygons in turn, and takes what is seen of each.
void readObjects(const std::string& where, const JsonNode& root, SourceImage& image,
                 Source& source) {
  LabelImage seen{static_cast<int>(image.size.width), static_cast<int>(image.size.height), {}};
  seen.ids.assign(static_cast<std::size_t>(image.size.width * image.size.height), 0);
  std::vector<SourceObject> objects;  // of id k + 1
  root.at("objects").forEach([&](const JsonNode& node) {
    guarded(source, where, image, [&] {
      SourceObject object;
      object.category = node.at("label").string();
      const bool isKnown = std::ranges::count(kThings, object.category) > 0;
      if (!isKnown && object.category.ends_with(kGroup)) {
        object.category.resize(object.category.size() - kGroup.size());
        object.isCrowd = true;
      }
      // As Cityscapes' own scripts: neither hides anything.
      const auto deleted = node.find("deleted");
      if (object.category == "license plate" || (deleted && deleted->integer() == 1)) return;
      const std::vector<double> outline = pointsIn(node.at("polygon"));
      if (const std::string problem = polygonProblem(outline); !problem.empty()) node.fail(problem);
      objects.push_back(std::move(object));
      paint(coco::rasterisePolygon(outline, seen.height, seen.width),
            static_cast<std::uint32_t>(objects.size()), seen);
    });
  });
  for (LabelMask& one : masksOf(seen)) {
    SourceObject& object = objects[one.id - 1];
    if (std::ranges::count(kThings, object.category) == 0) continue;
    object.segmentation = std::move(one.mask);
    image.objects.push_back(std::move(object));
  }
}

}  // namespace

Source readCityscapes(const Reading& reading) {
  constexpr std::string_view kLabels = "_polygons.json";
  Source source;
  std::int64_t id = 0;
  for (const std::string& name : kThings) source.categories.push_back({{++id}, name});
  const ImageIndex index(reading.folder());
  NamedImages images(reading);
  reading.forEachFile(filesBelow(reading.path, {".json"}), source, [&](const fs::path& file) {
    std::string stem = file.filename().string();
    if (!stem.ends_with(kLabels)) return;
    stem.resize(stem.size() - kLabels.size());
    const std::size_t kind = stem.rfind('_');
    if (kind == std::string::npos) throw Error("is not called NAME_gtFine_polygons.json");
    stem.resize(kind);
    const JsonDocument document(file);
    const JsonNode root = document.root();
    const base::ImageSize size{root.at("imgHeight").integer(), root.at("imgWidth").integer()};
    constexpr std::int64_t kMost = 1 << 16;
    if (size.height <= 0 || size.width <= 0 || size.height > kMost || size.width > kMost)
      throw Error("imgHeight and imgWidth must be 1 to 65536");
    SourceImage image = images.add(index.only(stem + "_leftImg8bit.png", file), file, size);
    reading.requireSize(image);
    image.part = partOf(file.lexically_relative(reading.folder()));
    readObjects(reading.shown(file), root, image, source);
    source.images.push_back(std::move(image));
  });
  return source;
}

}  // namespace lockstep::formats
