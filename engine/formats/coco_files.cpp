// COCO's and LVIS' JSON, of which a folder may have one for each part. Unlike Dataset::load(), an
// invalid entry is left out, not refused.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/coco/files/category_frequency.h"
#include "engine/coco/masks/runs.h"
#include "engine/formats/json_node.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

std::vector<double> numbersIn(const JsonNode& list) {
  std::vector<double> numbers;
  list.forEach([&](const JsonNode& number) { numbers.push_back(number.number()); });
  return numbers;
}

coco::Rle rleIn(const JsonNode& node, base::ImageSize size) {
  const JsonNode sides = node.at("size"), counts = node.at("counts");
  if (sides.size() != 2 || sides[0].integer() != size.height || sides[1].integer() != size.width)
    sides.fail("is not [height, width] of the image");
  const int height = static_cast<int>(size.height), width = static_cast<int>(size.width);
  if (counts.isString()) {
    coco::Rle rle{height, width, {}};
    const char* error = coco::readCounts(counts.string(), rle);
    if (error == nullptr) error = coco::countsError(rle);
    if (error != nullptr) counts.fail(error);
    return rle;
  }
  coco::Rle rle{height, width, {}};
  counts.forEach([&](const JsonNode& count) {
    const std::int64_t value = count.integer();
    if (value < 0 || value > std::int64_t{0xffffffff}) count.fail("is not the length of a run");
    rle.counts.push_back(static_cast<std::uint32_t>(value));
  });
  if (const char* error = coco::countsError(rle)) counts.fail(error);
  return rle;
}

coco::Segmentation segmentationIn(const JsonNode& node, base::ImageSize size) {
  if (node.isObject()) return rleIn(node, size);
  std::vector<std::vector<double>> polygons;
  node.forEach([&](const JsonNode& polygon) {
    polygons.push_back(numbersIn(polygon));
    if (polygons.back().size() < 6 || polygons.back().size() % 2 != 0)
      polygon.fail("has " + std::to_string(polygons.back().size()) +
                   " numbers; it must be x, y of at least 3 points");
  });
  return polygons;
}

/// The part that the name of an annotation file says, `instances_val2017.json`, or else its
/// folders, `valid/_annotations.coco.json`.
std::optional<Part> partOfFile(const Reading& reading, const fs::path& file) {
  const std::optional<Part> named = partOf(file.filename());
  return named ? named : partOf(file.lexically_relative(reading.folder()).parent_path());
}

/// One file. Ids of images are of their file.
class CocoFileReader {
 public:
  CocoFileReader(const Reading& reading, const ImageIndex& index, const fs::path& file,
                 Source& source)
      : reading_(reading),
        index_(index),
        file_(file),
        source_(source),
        shown_(reading.shown(file)),
        part_(partOfFile(reading, file)) {}

  void read(const JsonNode& root, std::map<fs::path, std::size_t>& known) {
    root.at("categories").forEach([&](const JsonNode& node) {
      guarded(source_, shown_, [&] { addCategory(node); });
    });
    root.at("images").forEach(
        [&](const JsonNode& node) { guarded(source_, shown_, [&] { addImage(node, known); }); });
    root.at("annotations").forEach([&](const JsonNode& node) {
      guarded(source_, shown_, [&] { addAnnotation(node); });
    });
  }

 private:
  void addCategory(const JsonNode& node) {
    const std::int64_t id = node.at("id").integer();
    const std::string name = node.at("name").string();
    if (!nameOf_.try_emplace(id, name).second)
      node.fail("id " + std::to_string(id) + " is there twice");
    coco::Category category{{id}, name};
    if (const auto frequency = node.find("frequency"))
      category.frequency = coco::frequencyNamed(frequency->string());
    const auto same = std::ranges::find(source_.categories, name, &coco::Category::name);
    if (same != source_.categories.end()) {
      if (same->id != category.id && namesOfThis_.contains(name))
        node.fail("name \"" + name + "\" is there twice");
    } else {
      const bool isTaken = std::ranges::find(source_.categories, category.id,
                                             &coco::Category::id) != source_.categories.end();
      if (isTaken) category.id = kNewCategory;  // of another file: gets a new one
      source_.categories.push_back(category);
    }
    namesOfThis_.insert(name);
  }

  fs::path fileOf(const JsonNode& node) const {
    const auto name = node.find("file_name");
    std::string text = name ? name->string() : "";
    if (const auto address = node.find("coco_url"); text.empty() && address) {
      text = address->string();
      const std::size_t slash = text.rfind('/');
      text = slash == std::string::npos ? text : text.substr(slash + 1);
    }
    if (text.empty()) node.fail("has no \"file_name\"");
    // The file's own folder, the folder that an experiment names for its part, then all of its
    // part.
    std::vector<fs::path> folders{file_.parent_path(), file_.parent_path() / "images"};
    if (const auto own = part_ ? reading_.imageFolders.find(*part_) : reading_.imageFolders.end();
        own != reading_.imageFolders.end())
      folders.insert(folders.begin(), own->second);
    for (const fs::path& folder : folders)
      if (isFile(folder / text)) return (folder / text).lexically_normal();
    const std::vector<fs::path> found = index_.find(text);
    std::vector<fs::path> inPart;
    for (const fs::path& one : found)
      if (reading_.partOfImage(one) == part_) inPart.push_back(one);
    if (inPart.size() == 1) return inPart[0];
    if (found.size() == 1 && (!part_ || !reading_.partOfImage(found[0]))) return found[0];
    for (const auto& [ofPart, folder] : reading_.imageFolders)
      if (isFile(folder / text)) return (folder / text).lexically_normal();
    if (found.size() != 1) node.fail(index_.problemWith(text));
    return found[0];
  }

  void addImage(const JsonNode& node, std::map<fs::path, std::size_t>& known) {
    const std::int64_t id = node.at("id").integer();
    if (imageOf_.contains(id)) node.fail("id " + std::to_string(id) + " is there twice");
    imageOf_[id] = std::nullopt;  // its annotations are left out without another fault
    SourceImage image;
    image.file = fileOf(node);
    image.size = {node.at("height").integer(), node.at("width").integer()};
    if (image.size.height <= 0 || image.size.width <= 0)
      node.fail("width and height must be greater than 0");
    image.part = part_ ? part_ : reading_.partOfImage(image.file);
    for (const auto& [key, list] :
         {std::pair("neg_category_ids", &SourceImage::negativeCategories),
          {"not_exhaustive_category_ids", &SourceImage::notExhaustiveCategories}}) {
      if (const auto ids = node.find(key))
        ids->forEach([&, list = list](const JsonNode& category) {
          if (const auto name = nameOf_.find(category.integer()); name != nameOf_.end())
            (image.*list).push_back(name->second);
        });
    }
    const auto [other, isNew] = known.try_emplace(image.file, source_.images.size());
    if (!isNew)
      node.fail(reading_.shown(image.file) + " is in another file or part too; it counts there");
    imageOf_[id] = source_.images.size();
    source_.images.push_back(std::move(image));
  }

  void addAnnotation(const JsonNode& node) {
    const std::int64_t imageId = node.at("image_id").integer(),
                       categoryId = node.at("category_id").integer();
    const auto found = imageOf_.find(imageId);
    if (found == imageOf_.end()) node.fail("there is no image " + std::to_string(imageId));
    if (!found->second) return;
    const auto name = nameOf_.find(categoryId);
    if (name == nameOf_.end()) node.fail("there is no category " + std::to_string(categoryId));
    SourceImage& image = source_.images[*found->second];
    SourceObject object;
    object.category = name->second;
    if (const auto crowd = node.find("iscrowd"))
      object.isCrowd = crowd->isTrue() || (crowd->isNumber() && crowd->integer() == 1);
    if (const auto segmentation = node.find("segmentation"))
      object.segmentation = segmentationIn(*segmentation, image.size);
    if (const auto box = node.find("bbox"); box && box->size() > 0) {
      const std::vector<double> xywh = numbersIn(*box);
      if (xywh.size() != 4 || xywh[2] < 0 || xywh[3] < 0)
        box->fail("must be [x, y, width, height]");
      std::ranges::copy(xywh, object.boxXywh.begin());
    } else if (!object.hasMask()) {
      node.fail("has neither a segmentation nor a bbox");
    }
    image.objects.push_back(std::move(object));
  }

  const Reading& reading_;
  const ImageIndex& index_;
  fs::path file_;
  Source& source_;
  std::string shown_;
  std::optional<Part> part_;
  std::unordered_map<std::int64_t, std::string> nameOf_;
  std::set<std::string> namesOfThis_;
  std::unordered_map<std::int64_t, std::optional<std::size_t>> imageOf_;  ///< nullopt: left out
};

/// `person_keypoints_val2017.json` …
bool isOfCocoTask(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(
      std::array{"person_keypoints", "captions", "panoptic", "stuff", "image_info"},
      [&](const char* task) { return name.starts_with(task); });
}

}  // namespace

Source readCoco(const Reading& reading) {
  Source source;
  const ImageIndex index(reading.folder());
  std::map<fs::path, std::size_t> known;
  std::vector<fs::path> files = filesBelow(reading.path, {".json"});
  // Beside instances files, COCO's others are of the same images: keypoints, captions, panoptic.
  const auto isInstances = [](const fs::path& file) {
    return file.filename().string().starts_with("instances");
  };
  if (std::ranges::any_of(files, isInstances))
    std::erase_if(files,
                  [&](const fs::path& file) { return !isInstances(file) && isOfCocoTask(file); });
  reading.forEachFile(files, source, [&](const fs::path& file) {
    const JsonDocument document(file);
    const JsonNode root = document.root();
    if (!root.find("images") || !root.find("annotations") || !root.find("categories")) return;
    CocoFileReader(reading, index, file, source).read(root, known);
  });
  return source;
}

}  // namespace lockstep::formats
