// CVAT's XML, version 1.1: all images in one file; of videos, tracks with a shape per frame.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"
#include "engine/formats/xml_file.h"

namespace lockstep::formats {
namespace {

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
coco::Rle rleMaskIn(const Reading& reading, const pugi::xml_node& shape, SourceImage& image) {
  reading.requireSize(image);
  const base::ImageSize size = image.size;
  const auto left = std::llround(numberIn(shape, "left")),
             top = std::llround(numberIn(shape, "top"));
  const auto width = std::llround(numberIn(shape, "width")),
             height = std::llround(numberIn(shape, "height"));
  if (left < 0 || top < 0 || width <= 0 || height <= 0 || left + width > size.width ||
      top + height > size.height)
    throw Error("the box of the mask extends beyond the image");
  LabelImage part{static_cast<int>(width), static_cast<int>(height), {}};
  part.ids.resize(static_cast<std::size_t>(width * height));
  std::istringstream runs(shape.attribute("rle").value());
  std::int64_t at = 0;
  std::uint32_t value = 0;
  for (std::string run; std::getline(runs, run, ','); value ^= 1) {
    const auto count = std::llround(parseNumber(run));
    if (count < 0 || count > width * height - at) throw Error("rle: is longer than its box");
    std::fill_n(part.ids.begin() + at, count, value);
    at += count;
  }
  return pastedMask(part, left, top, size);
}

/// A box that is turned, about its centre, is an outline.
SourceObject boxObjectIn(const pugi::xml_node& shape, const std::string& label) {
  const double x0 = numberIn(shape, "xtl"), y0 = numberIn(shape, "ytl"),
               x1 = numberIn(shape, "xbr"), y1 = numberIn(shape, "ybr"),
               angle = shape.attribute("rotation").as_double(0);
  if (x1 <= x0 || y1 <= y0) throw Error("xbr and ybr must be greater than xtl and ytl");
  if (angle == 0) return boxObject(label, x0, y0, x1, y1);
  std::vector<double> xy{x0, y0, x1, y0, x1, y1, x0, y1};
  turn(xy, (x0 + x1) / 2, (y0 + y1) / 2, angle);
  return {label, onePolygon(std::move(xy))};
}

/// The shapes of one image.
class CvatShapes {
 public:
  CvatShapes(const Reading& reading, SourceImage& image, Source& source)
      : reading_(reading), image_(image), source_(source) {}

  void add(const std::string& where, const pugi::xml_node& shape, const std::string& label,
           const std::string& groupId) {
    guarded(source_, where, image_, [&] {
      const std::string kind = shape.name();
      if (kind == "points" || kind == "polyline" || kind == "skeleton" || kind == "cuboid") {
        ++source_.losses[kind == "cuboid" ? "cuboids" : kNoArea];
        image_.markLostObject();
        return;
      }
      if (base::simplified(label).empty()) throw Error("has no label");
      if (kind == "mask") {
        image_.objects.push_back({label, rleMaskIn(reading_, shape, image_)});
        return;
      }
      if (kind == "box") {
        image_.objects.push_back(boxObjectIn(shape, label));
        return;
      }
      polygons_.add(label, groupId == "0" ? "" : groupId,
                    kind == "ellipse" ? ellipseIn(shape) : pointsIn(shape));
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

  const Reading& reading_;
  SourceImage& image_;
  Source& source_;
  PolygonGroups polygons_{image_};
};

class CvatReader {
 public:
  explicit CvatReader(const Reading& reading) : reading_(reading), index_(reading.folder()) {}

  Source read() {
    const auto faulty = reading_.forEachFile(
        filesBelow(reading_.path, {".xml"}), source_, [&](const fs::path& file) {
          const pugi::xml_document document = readXml(file);
          const pugi::xml_node root = document.child("annotations");
          if (!root) return;
          readLabels(root);
          for (const pugi::xml_node& node : root.children("image"))
            guarded(source_, reading_.shown(file) + ": image " + node.attribute("name").value(),
                    [&] { readImage(file, node); });
          if (root.child("track")) readTracks(file, root);
        });
    images_.addOthers(index_, faulty, "is not named by any XML file", source_);
    return std::move(source_);
  }

 private:
  void readLabels(const pugi::xml_node& root) {
    for (const auto& label : root.select_nodes("meta//labels/label/name")) {
      const std::string name = base::simplified(label.node().child_value());
      if (labels_.insert(name).second)
        source_.categories.push_back(
            {{static_cast<std::int64_t>(source_.categories.size()) + 1}, name});
    }
  }

  void readImage(const fs::path& file, const pugi::xml_node& node) {
    const base::ImageSize size{static_cast<std::int64_t>(numberIn(node, "height")),
                               static_cast<std::int64_t>(numberIn(node, "width"))};
    const std::string subset = node.attribute("subset").value();
    SourceImage image =
        images_.add(index_.only(node.attribute("name").value(), file, subset), file, size);
    if (!subset.empty()) image.part = partOf(subset);
    CvatShapes shapes(reading_, image, source_);
    std::size_t number = 0;
    for (const pugi::xml_node& shape : node.children()) {
      if (!CvatShapes::isShape(shape.name())) continue;
      shapes.add(reading_.shown(file) + ": image " + node.attribute("name").value() + ": shape " +
                     std::to_string(++number),
                 shape, shape.attribute("label").value(), shape.attribute("group_id").value());
    }
    source_.images.push_back(std::move(image));
  }

  /// The images below the XML file's folder, in the order of the numbers in their names: frame k is
  /// that with the number k, if they are numbered so, else the k-th one.
  class Frames {
   public:
    Frames(const ImageIndex& index, const fs::path& folder) {
      for (const fs::path& image : index.all()) {
        const fs::path relative = image.lexically_relative(folder);
        if (!relative.empty() && *relative.begin() != "..")
          byNumber_.emplace(numberIn(image), image);
      }
      areNumbered_ = !byNumber_.empty() && byNumber_.begin()->first >= 0 && areDistinct();
    }
    const fs::path& at(std::int64_t frame) const {
      if (areNumbered_) {
        const auto found = byNumber_.find(frame);
        if (found != byNumber_.end()) return found->second;
        throw Error("there is no image with the number " + std::to_string(frame));
      }
      if (frame < 0 || frame >= static_cast<std::int64_t>(byNumber_.size()))
        throw Error("there are only " + base::counted(byNumber_.size(), "image"));
      return std::next(byNumber_.begin(), frame)->second;
    }

   private:
    /// The last number in a name; -1: none.
    static std::int64_t numberIn(const fs::path& image) {
      const std::string stem = image.stem().string();
      const std::size_t last = stem.find_last_of("0123456789");
      if (last == std::string::npos) return -1;
      std::size_t first = last;
      while (first > 0 && std::isdigit(static_cast<unsigned char>(stem[first - 1])) != 0) --first;
      const std::string digits = stem.substr(first, std::min<std::size_t>(last - first + 1, 18));
      return std::stoll(digits);
    }
    bool areDistinct() const {
      return std::adjacent_find(byNumber_.begin(), byNumber_.end(),
                                [](const auto& a, const auto& b) { return a.first == b.first; }) ==
             byNumber_.end();
    }

    std::multimap<std::int64_t, fs::path> byNumber_;
    bool areNumbered_ = false;
  };

  void readTracks(const fs::path& file, const pugi::xml_node& root) {
    const Frames frames(index_, file.parent_path());
    std::map<std::int64_t, std::size_t> imageOf;  // by frame, in source_.images
    std::size_t number = 0;
    for (const pugi::xml_node& track : root.children("track")) {
      const std::string where = reading_.shown(file) + ": track " + std::to_string(number++);
      for (const pugi::xml_node& shape : track.children()) {
        if (!CvatShapes::isShape(shape.name()) || shape.attribute("outside").as_bool()) continue;
        const std::int64_t frame = shape.attribute("frame").as_llong(-1);
        const std::string place = where + ", frame " + std::to_string(frame);
        guarded(source_, place, [&] {
          if (!imageOf.contains(frame)) {
            source_.images.push_back(images_.add(frames.at(frame), file));
            imageOf[frame] = source_.images.size() - 1;
          }
          CvatShapes(reading_, source_.images[imageOf[frame]], source_)
              .add(place, shape, track.attribute("label").value(), "");
        });
      }
    }
  }

  const Reading& reading_;
  ImageIndex index_;
  NamedImages images_{reading_};
  std::set<std::string> labels_;
  Source source_;
};

}  // namespace

Source readCvat(const Reading& reading) { return CvatReader(reading).read(); }

}  // namespace lockstep::formats
