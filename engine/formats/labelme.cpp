// LabelMe's JSON: a file per image, beside it or with its path.
#include <cmath>

#include "engine/base/base64.h"
#include "engine/base/error.h"
#include "engine/base/image_header.h"
#include "engine/base/shortened_text.h"
#include "engine/formats/json_node.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

std::vector<double> outlineOf(const JsonNode& shape, const std::string& type,
                              const std::vector<double>& xy) {
  if (type == "circle") {  // its centre and a point on it
    if (xy.size() != 4) shape.fail("a circle has two points");
    const double radius = std::hypot(xy[2] - xy[0], xy[3] - xy[1]);
    return ellipseOutline(xy[0], xy[1], radius, radius);
  }
  if (const std::string problem = polygonProblem(xy); !problem.empty()) shape.fail(problem);
  return xy;
}

/// As `dataset export` marks it.
bool isCrowd(const JsonNode& shape) {
  const auto flags = shape.find("flags");
  const auto crowd = flags ? flags->find("iscrowd") : std::nullopt;
  return crowd && crowd->isTrue();
}

/// A PNG of the pixels in the box from the first point to the second, which it includes.
coco::Rle pngMaskIn(const Reading& reading, const JsonNode& shape, const std::vector<double>& xy,
                    SourceImage& image) {
  if (xy.size() != 4) shape.fail("a mask has two points, the corners of its box");
  const JsonNode text = shape.at("mask");
  reading.requireSize(image);
  const LabelImage part = reading.images.decodeLabels(
      base::decodeBase64(text.string()), text.place(), image.size.height * image.size.width);
  return pastedMask(part, std::lround(xy[0]), std::lround(xy[1]), image.size);
}

/// The shapes of one image.
class LabelMeImage {
 public:
  LabelMeImage(const Reading& reading, std::string where, SourceImage& image, Source& source)
      : reading_(reading), where_(std::move(where)), image_(image), source_(source) {}

  void add(const JsonNode& shape) {
    guarded(source_, where_, image_, [&] {
      const auto type = shape.find("shape_type");
      const std::string kind = type ? type->string() : "polygon";
      const std::string label = shape.at("label").string();
      if (base::simplified(label).empty()) shape.fail("label is empty");
      if (kind == "point" || kind == "points" || kind == "line" || kind == "linestrip") {
        ++source_.losses[kNoArea];
        image_.markLostObject();
        return;
      }
      const std::vector<double> xy = pointsIn(shape.at("points"));
      if (kind == "mask") {
        image_.objects.push_back({label, pngMaskIn(reading_, shape, xy, image_)});
        image_.objects.back().isCrowd = isCrowd(shape);
        return;
      }
      if (kind != "polygon" && kind != "rectangle" && kind != "circle")
        shape.fail("shape_type \"" + kind + "\" is unknown");
      if (kind == "rectangle" && xy.size() == 4) {
        image_.objects.push_back(boxObject(label, xy[0], xy[1], xy[2], xy[3]));
        image_.objects.back().isCrowd = isCrowd(shape);
        return;
      }
      SourceObject& object =
          polygons_.add(label, idTextIn(shape, "group_id"), outlineOf(shape, kind, xy));
      object.isCrowd = object.isCrowd || isCrowd(shape);
    });
  }

 private:
  const Reading& reading_;
  std::string where_;
  SourceImage& image_;
  Source& source_;
  PolygonGroups polygons_{image_};
};

/// The image that LabelMe names, else the one beside the file; empty: the file holds it.
fs::path imageOfLabelMe(const fs::path& file, const JsonNode& root, const ImageIndex& index) {
  const auto path = root.find("imagePath");
  const std::string name = path ? withSlashes(path->string()) : "";
  if (path) {
    const fs::path named = (file.parent_path() / name).lexically_normal();
    if (isFile(named)) return named;
    if (!index.find(name).empty()) return index.only(name, file);
  }
  const std::vector<fs::path> ofStem = index.withStem(file.stem().string());
  for (const fs::path& image : ofStem)
    if (image.parent_path() == file.parent_path()) return image;
  if (root.find("imageData")) return {};
  if (path && ofStem.empty()) throw Error(imageProblem(name, {}));
  return index.onlyWithStem(file.stem().string(), file);
}

/// Writes the picture that a file holds.
fs::path extractImage(const Reading& reading, const fs::path& file, const JsonNode& root) {
  const JsonNode data = root.at("imageData");
  const std::string bytes = base::decodeBase64(data.string());
  const auto header = base::readImageHeader(bytes);
  const std::string mime = header ? header->mime : "";
  if (mime != "image/jpeg" && mime != "image/png") data.fail("is neither a JPEG nor a PNG");
  fs::path place = reading.extracted / reading.shown(file);
  place.replace_extension(mime == "image/png" ? ".png" : ".jpg");
  writeFile(place, bytes);
  return place;
}

std::optional<base::ImageSize> labelMeSize(const JsonNode& root) {
  const auto height = root.find("imageHeight"), width = root.find("imageWidth");
  if (!height || !width) return std::nullopt;
  return base::ImageSize{height->integer(), width->integer()};
}

}  // namespace

Source readLabelMe(const Reading& reading) {
  Source source;
  const ImageIndex index(reading.folder());
  NamedImages images(reading);
  const auto read = [&](const fs::path& file) {
    const JsonDocument document(file);
    const JsonNode root = document.root();
    if (!root.find("shapes")) return;  // not LabelMe's
    fs::path found = imageOfLabelMe(file, root, index), extracted;
    if (found.empty()) {
      extracted = extractImage(reading, file, root);
      found = fs::path(file).replace_extension(extracted.extension());
    }
    SourceImage image = images.add(found, file, labelMeSize(root), extracted);
    LabelMeImage objects(reading, reading.shown(file), image, source);
    root.at("shapes").forEach([&](const JsonNode& shape) { objects.add(shape); });
    source.images.push_back(std::move(image));
  };
  const auto faulty = reading.forEachFile(filesBelow(reading.path, {".json"}), source, read);
  images.addOthers(index, faulty, "has no label file", source);
  return source;
}

}  // namespace lockstep::formats
