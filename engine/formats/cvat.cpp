// CVAT's XML, version 1.1: all images in one file; of videos, tracks with a shape per frame.
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

#include "engine/base/error.h"
#include "engine/coco/masks/runs.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"
#include "engine/formats/xml_file.h"

namespace lockstep::formats {
namespace {

constexpr const char* kNoArea = "points and lines, which have no area";

/// `x0,y0;x1,y1;…`
std::vector<double> pointsIn(const pugi::xml_node& shape) {
  std::vector<double> xy;
  std::istringstream points(shape.attribute("points").value());
  for (std::string point; std::getline(points, point, ';');) {
    const std::size_t comma = point.find(',');
    if (comma == std::string::npos) throw Error("points: '" + point + "' is not x,y");
    xy.push_back(parseNumber(std::string_view(point).substr(0, comma)));
    xy.push_back(parseNumber(std::string_view(point).substr(comma + 1)));
  }
  requirePolygon(xy);
  return xy;
}

/// `rle`: lengths of runs of 0 and 1 in turn, row by row in the box left, top, width, height.
coco::Rle maskIn(const pugi::xml_node& shape, base::ImageSize size) {
  const auto left = std::llround(numberIn(shape, "left")),
             top = std::llround(numberIn(shape, "top"));
  const auto width = std::llround(numberIn(shape, "width")),
             height = std::llround(numberIn(shape, "height"));
  if (left < 0 || top < 0 || width <= 0 || height <= 0 || left + width > size.width ||
      top + height > size.height)
    throw Error("the box of the mask leaves the image");
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.width * size.height));
  std::istringstream runs(shape.attribute("rle").value());
  std::int64_t at = 0;
  std::uint8_t value = 0;
  for (std::string run; std::getline(runs, run, ','); value ^= 1) {
    const auto count = std::llround(parseNumber(run));
    if (count < 0 || count > width * height - at) throw Error("rle: is longer than its box");
    for (const auto end = at + count; at < end; ++at) {
      if (value != 0)
        pixels[static_cast<std::size_t>((top + at / width) * size.width + left + at % width)] = 1;
    }
  }
  return coco::encodeMask(pixels.data(), static_cast<int>(size.height),
                          static_cast<int>(size.width), size.width);
}

/// A box that is turned, about its centre, is an outline.
SourceObject boxIn(const pugi::xml_node& shape, const std::string& label) {
  const double x0 = numberIn(shape, "xtl"), y0 = numberIn(shape, "ytl"),
               x1 = numberIn(shape, "xbr"), y1 = numberIn(shape, "ybr"),
               angle = shape.attribute("rotation").as_double(0) * std::numbers::pi / 180;
  if (x1 <= x0 || y1 <= y0) throw Error("xbr and ybr must be greater than xtl and ytl");
  if (angle == 0) return boxObject(label, x0, y0, x1, y1);
  const double centreX = (x0 + x1) / 2, centreY = (y0 + y1) / 2;
  std::vector<double> xy{x0, y0, x1, y0, x1, y1, x0, y1};
  for (std::size_t i = 0; i < xy.size(); i += 2) {
    const double dx = xy[i] - centreX, dy = xy[i + 1] - centreY;
    xy[i] = centreX + dx * std::cos(angle) - dy * std::sin(angle);
    xy[i + 1] = centreY + dx * std::sin(angle) + dy * std::cos(angle);
  }
  return {label, onePolygon(std::move(xy))};
}

/// The shapes of one image.
class CvatShapes {
 public:
  CvatShapes(SourceImage& image, Source& source) : image_(image), source_(source) {}

  void add(const std::string& where, const pugi::xml_node& shape, const std::string& label,
           const std::string& groupId) {
    guarded(source_, where, [&] {
      const std::string kind = shape.name();
      if (kind == "points" || kind == "polyline" || kind == "skeleton" || kind == "cuboid") {
        ++source_.losses[kind == "cuboid" ? "cuboids" : kNoArea];
        return;
      }
      if (label.empty()) throw Error("has no label");
      if (kind == "mask") {
        image_.objects.push_back({label, maskIn(shape, image_.size)});
        return;
      }
      if (kind == "box") {
        image_.objects.push_back(boxIn(shape, label));
        return;
      }
      addPolygon(label, groupId, kind == "ellipse" ? ellipseIn(shape) : pointsIn(shape));
    });
  }

  static bool isShape(const std::string& name) {
    static const std::set<std::string> kNames{"polygon", "box",      "mask",     "ellipse",
                                              "points",  "polyline", "skeleton", "cuboid"};
    return kNames.contains(name);
  }

 private:
  static std::vector<double> ellipseIn(const pugi::xml_node& shape) {
    return ellipseOutline(numberIn(shape, "cx"), numberIn(shape, "cy"), numberIn(shape, "rx"),
                          numberIn(shape, "ry"), shape.attribute("rotation").as_double(0));
  }

  /// Shapes of one group are parts of one object.
  void addPolygon(const std::string& label, const std::string& groupId,
                  std::vector<double> outline) {
    if (groupId.empty() || groupId == "0") {
      image_.objects.push_back({label, onePolygon(std::move(outline))});
      return;
    }
    const auto [found, isNew] = groups_.try_emplace({label, groupId}, image_.objects.size());
    if (isNew) image_.objects.push_back({label, std::vector<std::vector<double>>()});
    std::get<0>(image_.objects[found->second].segmentation).push_back(std::move(outline));
  }

  SourceImage& image_;
  Source& source_;
  std::map<std::pair<std::string, std::string>, std::size_t> groups_;
};

class CvatReader {
 public:
  explicit CvatReader(const Reading& reading) : reading_(reading), index_(reading.folder()) {}

  Source read() {
    reading_.forEachFile(filesBelow(reading_.path, {".xml"}), source_, [&](const fs::path& file) {
      const pugi::xml_document document = readXml(file);
      const pugi::xml_node root = document.child("annotations");
      if (!root) return;
      readLabels(root);
      for (const pugi::xml_node& node : root.children("image"))
        guarded(source_, reading_.shown(file) + ": image " + node.attribute("name").value(),
                [&] { readImage(file, node); });
      if (root.child("track")) readTracks(file, root);
    });
    addImagesWithoutObjects(reading_, index_.all(), "is not named by any XML file", source_);
    return std::move(source_);
  }

 private:
  void readLabels(const pugi::xml_node& root) {
    for (const auto& label : root.select_nodes("meta//labels/label/name")) {
      const std::string name = label.node().child_value();
      if (std::ranges::find(source_.categories, name, &coco::Category::name) ==
          source_.categories.end())
        source_.categories.push_back(
            {{static_cast<std::int64_t>(source_.categories.size()) + 1}, name});
    }
  }

  void readImage(const fs::path& file, const pugi::xml_node& node) {
    SourceImage image;
    image.file = index_.only(node.attribute("name").value());
    const auto [other, isNew] = fileOf_.try_emplace(image.file, file);
    if (!isNew) throw Error("is there twice, in " + reading_.shown(other->second) + " first");
    image.size = {static_cast<std::int64_t>(numberIn(node, "height")),
                  static_cast<std::int64_t>(numberIn(node, "width"))};
    const std::string subset = lowerCase(node.attribute("subset").value());
    image.part =
        !subset.empty() ? partOf(subset) : partOf(image.file.lexically_relative(reading_.folder()));
    CvatShapes shapes(image, source_);
    std::size_t number = 0;
    for (const pugi::xml_node& shape : node.children()) {
      if (!CvatShapes::isShape(shape.name())) continue;
      shapes.add(reading_.shown(file) + ": image " + node.attribute("name").value() + ": shape " +
                     std::to_string(++number),
                 shape, shape.attribute("label").value(), shape.attribute("group_id").value());
    }
    source_.images.push_back(std::move(image));
  }

  /// Frame k is the k-th image by name.
  void readTracks(const fs::path& file, const pugi::xml_node& root) {
    std::map<std::size_t, std::size_t> imageOf;  // by frame, in source_.images
    std::size_t number = 0;
    for (const pugi::xml_node& track : root.children("track")) {
      const std::string where = reading_.shown(file) + ": track " + std::to_string(number++);
      for (const pugi::xml_node& shape : track.children()) {
        if (!CvatShapes::isShape(shape.name()) || shape.attribute("outside").as_bool()) continue;
        const auto frame = static_cast<std::size_t>(shape.attribute("frame").as_ullong());
        guarded(source_, where + ", frame " + std::to_string(frame), [&] {
          if (frame >= index_.all().size()) {
            throw Error("there are only " + std::to_string(index_.all().size()) + " images");
          }
          const auto [found, isNew] = imageOf.try_emplace(frame, source_.images.size());
          if (isNew) {
            SourceImage image;
            image.file = index_.all()[frame];
            image.size = reading_.images.sizeOf(image.file);
            image.part = partOf(image.file.lexically_relative(reading_.folder()));
            source_.images.push_back(std::move(image));
          }
          CvatShapes(source_.images[found->second], source_)
              .add(where + ", frame " + std::to_string(frame), shape,
                   track.attribute("label").value(), "");
        });
      }
    }
  }

  const Reading& reading_;
  ImageIndex index_;
  std::map<fs::path, fs::path> fileOf_;  ///< by image
  Source source_;
};

}  // namespace

Source readCvat(const Reading& reading) { return CvatReader(reading).read(); }

}  // namespace lockstep::formats
