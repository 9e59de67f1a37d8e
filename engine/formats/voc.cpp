// Pascal VOC: an XML file per image, with boxes; masks are in SegmentationObject, whose pixels are
// the objects' numbers in a palette.
#include <map>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"
#include "engine/formats/xml_file.h"

namespace lockstep::formats {
namespace {

/// The colour that the palette of VOC's PNGs has for an index, as 24 bits: its bits in turn are the
/// highest of red, green and blue, then the next ones.
constexpr std::uint32_t paletteColour(std::uint32_t index) {
  std::uint32_t red = 0, green = 0, blue = 0;
  for (int bit = 7; bit >= 0 && index != 0; --bit, index >>= 3) {
    red |= (index & 1) << bit;
    green |= (index >> 1 & 1) << bit;
    blue |= (index >> 2 & 1) << bit;
  }
  return red << 16 | green << 8 | blue;
}

constexpr std::uint32_t kVoid = 255;  ///< around objects, and what is too hard to annotate

/// The masks by object number from 1, whether the file was decoded as a palette's colours or as
/// indices.
std::map<std::uint32_t, coco::Rle> objectMasks(const LabelImage& labels) {
  std::map<std::uint32_t, std::uint32_t> indexOf;
  for (std::uint32_t index = 1; index <= kVoid; ++index) indexOf[paletteColour(index)] = index;
  std::map<std::uint32_t, coco::Rle> masks;
  for (LabelMask& one : masksOf(labels)) {
    const auto colour = labels.isColour ? indexOf.find(one.id) : indexOf.end();
    const std::uint32_t index = colour == indexOf.end() ? one.id : colour->second;
    if (index != kVoid) masks[index] = std::move(one.mask);
  }
  return masks;
}

/// `<polygon><x1>…</x1><y1>…</y1>…`, as Roboflow writes it.
std::vector<double> polygonIn(const pugi::xml_node& object) {
  std::vector<double> xy;
  const pugi::xml_node polygon = object.child("polygon");
  for (int i = 1; polygon.child(("x" + std::to_string(i)).c_str()); ++i) {
    xy.push_back(numberInChild(polygon, ("x" + std::to_string(i)).c_str()));
    xy.push_back(numberInChild(polygon, ("y" + std::to_string(i)).c_str()));
  }
  return xy;
}

/// The text of an element, which formatters of XML put on lines of its own.
std::string childText(const pugi::xml_node& node, const char* child) {
  return base::simplified(node.child(child).child_value());
}

/// Corners are pixels from 1, the second one included.
std::array<double, 4> boxIn(const pugi::xml_node& object) {
  const pugi::xml_node box = object.child("bndbox");
  if (!box) throw Error("has no <bndbox>");
  const double x0 = numberInChild(box, "xmin") - 1, y0 = numberInChild(box, "ymin") - 1,
               x1 = numberInChild(box, "xmax"), y1 = numberInChild(box, "ymax");
  if (x1 <= x0 || y1 <= y0)
    throw Error("<bndbox>: xmax and ymax must not be less than xmin and ymin");
  return {x0, y0, x1 - x0, y1 - y0};
}

/// nullopt: there is none, or 0 as some programs write.
std::optional<base::ImageSize> vocSize(const pugi::xml_node& root) {
  const pugi::xml_node node = root.child("size");
  if (!node) return std::nullopt;
  const base::ImageSize size{static_cast<std::int64_t>(numberInChild(node, "height")),
                             static_cast<std::int64_t>(numberInChild(node, "width"))};
  return size.width > 0 ? std::optional(size) : std::nullopt;
}

class VocReader {
 public:
  explicit VocReader(const Reading& reading)
      : reading_(reading), index_(reading.folder(), {"SegmentationObject", "SegmentationClass"}) {
    for (const fs::path& file : filesBelow(reading.folder(), {".png"})) {
      if (file.parent_path().filename() == "SegmentationObject")
        masksOf_[file.stem().string()] = file;
    }
    readParts();
  }

  Source read() {
    const auto faulty = reading_.forEachFile(filesBelow(reading_.path, {".xml"}), source_,
                                             [&](const fs::path& file) { readFile(file); });
    images_.addOthers(index_, faulty, "has no annotation file", source_);
    return std::move(source_);
  }

 private:
  /// ImageSets/Segmentation/train.txt and val.txt, else those of Main.
  void readParts() {
    const std::vector<fs::path> lists = filesBelow(reading_.folder(), {".txt"});
    for (const char* kind : {"Segmentation", "Main"}) {
      for (const auto& [name, part] : {std::pair("train", Part::Train),
                                       {"val", Part::Val},
                                       {"test", Part::Test},
                                       {"trainval", Part::Train}}) {
        for (const fs::path& file : lists) {
          if (file.stem() != name || file.parent_path().filename() != kind) continue;
          for (const std::string& line : linesOf(file)) addToPart(line, part);
        }
      }
      if (!partOf_.empty()) return;
    }
  }

  /// `2007_000032`, of other programs also `JPEGImages\2007_000032.jpg`, or a number behind it.
  void addToPart(const std::string& line, Part part) {
    const std::size_t end = line.find_last_not_of(" \t");
    if (end == std::string::npos) return;
    const std::string name = withSlashes(line.substr(0, end + 1));
    for (const std::string& named : {name, name.substr(0, name.find(' '))}) {
      const fs::path file = fs::path(named).filename();
      partOf_.try_emplace(isImageName(file) ? file.stem().string() : file.string(), part);
    }
  }

  void readFile(const fs::path& file) {
    const pugi::xml_document document = readXml(file);
    const pugi::xml_node root = document.child("annotation");
    if (!root) return;  // another XML file
    const std::string stem = file.stem().string(), named = childText(root, "filename");
    const bool isByName = index_.withStem(stem).empty() && !named.empty();
    SourceImage image = images_.add(
        index_.only(isByName ? named : stem, file, childText(root, "folder")), file, vocSize(root));
    if (const auto part = partOf_.find(stem); part != partOf_.end()) image.part = part->second;
    readObjects(file, root, image);
    source_.images.push_back(std::move(image));
  }

  void readObjects(const fs::path& file, const pugi::xml_node& root, SourceImage& image) {
    std::map<std::uint32_t, coco::Rle> masks;
    const auto labels = masksOf_.find(file.stem().string());
    if (labels != masksOf_.end()) {
      guarded(source_, reading_.shown(labels->second), image,
              [&] { masks = objectMasks(reading_.labelsOf(labels->second, image)); });
    }
    std::uint32_t number = 0;
    for (const pugi::xml_node& node : root.children("object")) {
      ++number;
      const std::string where = reading_.shown(file) + ": object " + std::to_string(number);
      guarded(source_, where, image, [&] {
        SourceObject object;
        object.category = node.child("name").child_value();
        if (childText(node, "name").empty()) throw Error("has no <name>");
        object.boxXywh = boxIn(node);
        if (const auto mask = masks.find(number); mask != masks.end()) {
          object.segmentation = std::move(mask->second);
        } else if (std::vector<double> xy = polygonIn(node); !xy.empty()) {
          // An invalid polygon leaves the box usable.
          guarded(source_, where, [&] {
            requirePolygon(xy);
            object.segmentation = onePolygon(std::move(xy));
          });
        }
        image.objects.push_back(std::move(object));
      });
    }
  }

  const Reading& reading_;
  ImageIndex index_;
  std::map<std::string, fs::path> masksOf_;  ///< by stem
  std::map<std::string, Part> partOf_;       ///< by stem
  NamedImages images_{reading_};
  Source source_;
};

}  // namespace

Source readVoc(const Reading& reading) { return VocReader(reading).read(); }

}  // namespace lockstep::formats
