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
constexpr const char* kNoInstances = "regions of classes without instances, such as road";
constexpr std::string_view kLabels = "_polygons.json", kImages = "_leftImg8bit.png";
constexpr std::string_view kGroup = "group";  ///< `cargroup`: several that cannot be told apart

/// `a_1_leftImg8bit.png` of `a_1_gtFine_polygons.json`; empty: it is not called so.
std::string imageNameOf(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string stem = name.substr(0, name.size() - kLabels.size());
  const std::size_t kind = stem.rfind('_');
  return kind == std::string::npos ? "" : stem.substr(0, kind) + std::string(kImages);
}

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
      if (deleted && deleted->integer() == 1) return;
      if (object.category == "license plate") {
        ++source.losses[kNoInstances];
        return;
      }
      const std::vector<double> outline = pointsIn(node.at("polygon"));
      if (const std::string problem = polygonProblem(outline); !problem.empty()) node.fail(problem);
      objects.push_back(std::move(object));
      paint(coco::rasterisePolygon(outline, seen.height, seen.width),
            static_cast<std::uint32_t>(objects.size()), seen);
    });
  });
  std::vector<coco::Rle> masks(objects.size());
  for (LabelMask& one : masksOf(seen)) masks[one.id - 1] = std::move(one.mask);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (std::ranges::count(kThings, objects[i].category) == 0) {
      ++source.losses[kNoInstances];
    } else if (masks[i].height == 0) {
      ++source.losses["objects that others hide"];
    } else {
      objects[i].segmentation = std::move(masks[i]);
      image.objects.push_back(std::move(objects[i]));
    }
  }
}

}  // namespace

Source readCityscapes(const Reading& reading) {
  Source source;
  std::int64_t id = 0;
  for (const std::string& name : kThings) source.categories.push_back({{++id}, name});
  const ImageIndex index(reading.folder());
  NamedImages images(reading);
  const auto read = [&](const fs::path& file) {
    if (!file.filename().string().ends_with(kLabels)) return;
    const std::string name = imageNameOf(file);
    if (name.empty()) throw Error("is not called NAME_gtFine_polygons.json");
    const JsonDocument document(file);
    const JsonNode root = document.root();
    const base::ImageSize size{root.at("imgHeight").integer(), root.at("imgWidth").integer()};
    constexpr std::int64_t kMost = 1 << 16;
    if (size.height <= 0 || size.width <= 0 || size.height > kMost || size.width > kMost)
      throw Error("imgHeight and imgWidth must be 1 to 65536");
    SourceImage image = images.add(index.only(name, file), file, size);
    reading.requireSize(image);
    image.part = partOf(file.lexically_relative(reading.folder()));
    readObjects(reading.shown(file), root, image, source);
    source.images.push_back(std::move(image));
  };
  std::vector<fs::path> faulty =
      reading.forEachFile(filesBelow(reading.path, {".json"}), source, read);
  for (fs::path& file : faulty) file.replace_filename(imageNameOf(file));
  images.addOthers(index, faulty, "has no polygons file", source, kImages);
  return source;
}

}  // namespace lockstep::formats
