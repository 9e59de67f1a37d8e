// YOLO's text files: a line per object, its class and the outline (or the box), as shares of the
// image's sides; data.yaml names the classes and the parts.
#include "engine/formats/yolo.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/text_encoding.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

struct YoloPart {
  Part part;
  std::vector<fs::path> places;  ///< folders of images, or lists of them
};

struct YoloDescription {
  std::vector<std::string> names;
  bool hasKeypoints = false;  ///< after the box of each line
  std::vector<YoloPart> parts;
};

/// `names: [a, b]` or `names: {0: a, 1: b}`.
std::vector<std::string> classNamesIn(const YAML::Node& node) {
  std::vector<std::string> names;
  if (node.IsMap()) {
    for (const auto& entry : node) {
      const auto index = entry.first.as<std::size_t>();
      if (index >= coco::kMaxCategories)
        throw Error("names: " + std::to_string(index) + " is too large");
      if (names.size() <= index) names.resize(index + 1);
      names[index] = entry.second.as<std::string>();
    }
  } else {
    for (const auto& entry : node) names.push_back(entry.as<std::string>());
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty()) names[i] = "class " + std::to_string(i);
  return names;
}

/// Resolves a path of data.yaml below `path:` or the file's folder. Roboflow's exports name a
/// folder beside the file as `../train/images`. The last folders of a path on another machine
/// (`D:\set\images\val`) may be here.
fs::path placeOf(const fs::path& file, const fs::path& root, const std::string& text) {
  if (std::ranges::any_of(text, [](unsigned char one) { return std::iscntrl(one) != 0; })) {
    throw Error(file.string() +
                ": a path has a control character: in double quotes a backslash begins an escape; "
                "write it with slashes");
  }
  const fs::path folder = file.parent_path();
  const auto isThere = [](const fs::path& place) {
    std::error_code ignored;
    return fs::exists(place, ignored);
  };
  const std::string slashed = withSlashes(text);
  for (const std::string& named : {text, slashed}) {
    for (const fs::path& place : {root / named, folder / named})
      if (isThere(place)) return place.lexically_normal();
  }
  fs::path last(slashed);
  while (last.has_parent_path() && last.has_relative_path()) {
    const fs::path below = last.relative_path();
    last = below.lexically_relative(*below.begin());
    const bool isPart = std::distance(last.begin(), last.end()) > 1 || partOf(last);
    if (isPart && isThere(folder / last)) return (folder / last).lexically_normal();
  }
  return (folder / slashed).lexically_normal();
}

YoloDescription readDescription(const fs::path& file) {
  YoloDescription description;
  try {
    const YAML::Node yaml = YAML::Load(base::readUtf8(file));
    if (yaml["names"]) description.names = classNamesIn(yaml["names"]);
    description.hasKeypoints = yaml["kpt_shape"].IsDefined();
    const fs::path folder = file.parent_path();
    const std::string path = yaml["path"] ? yaml["path"].as<std::string>("") : "";
    const fs::path root = path.empty() ? folder : folder / withSlashes(path);
    for (const auto& [key, part] : {std::pair("train", Part::Train),
                                    {"val", Part::Val},
                                    {"valid", Part::Val},
                                    {"test", Part::Test}}) {
      const YAML::Node places = yaml[key];
      if (!places || places.IsNull()) continue;
      YoloPart& added = description.parts.emplace_back(YoloPart{part, {}});
      if (places.IsSequence()) {
        for (const auto& place : places)
          added.places.push_back(placeOf(file, root, place.as<std::string>()));
      } else {
        added.places.push_back(placeOf(file, root, places.as<std::string>()));
      }
    }
  } catch (const YAML::Exception& error) {
    throw Error(file.string() + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  return description;
}

/// The image of a line: as written, with slashes, or the only one in `index` that fits best.
fs::path listedImage(const fs::path& folder, const std::string& line, const ImageIndex& index) {
  for (const std::string& named : {line, withSlashes(line)})
    if (isFile(folder / named)) return (folder / named).lexically_normal();
  const std::vector<fs::path> found = index.find(line);
  return found.size() == 1 ? found[0] : (folder / line).lexically_normal();
}

/// The images of a place, which is a folder or a list of files. Throws Error for a list that names
/// images of which none is there.
std::vector<fs::path> imagesIn(const fs::path& place, const ImageIndex& index) {
  if (place.extension() != ".txt") return ImageIndex(place).all();
  std::vector<fs::path> images;
  std::string first;
  bool isAnyThere = false;
  for (std::string& line : linesOf(place)) {
    while (line.ends_with(' ')) line.pop_back();
    if (line.empty()) continue;
    if (first.empty()) first = line;
    images.push_back(listedImage(place.parent_path(), line, index));
    isAnyThere = isAnyThere || isFile(images.back());
  }
  if (!images.empty() && !isAnyThere) {
    throw Error(place.string() + ": none of its " + std::to_string(images.size()) +
                " images is there, the first is " + first +
                "; name them relative to the list, or leave the list out of data.yaml");
  }
  return images;
}

/// In the folder `labels` where the image's is `images`, or beside the image.
fs::path labelFileOf(const fs::path& image) {
  std::vector<fs::path> components(image.begin(), image.end());
  for (std::size_t i = components.size(); i-- > 0;) {
    if (components[i] != "images") continue;
    components[i] = "labels";
    fs::path label;
    for (const fs::path& component : components) label /= component;
    label.replace_extension(".txt");
    const fs::path beside = fs::path(image).replace_extension(".txt");
    return !isFile(label) && isFile(beside) ? beside : label;
  }
  return fs::path(image).replace_extension(".txt");
}

std::vector<double> numbersInLine(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto [after, failure] = std::from_chars(word.data(), end, number);
    if (failure != std::errc() || after != end || !std::isfinite(number))
      throw Error("'" + word + "' is not a number");
    numbers.push_back(number);
  }
  return numbers;
}

/// One line. `names` may be empty: classes are numbered.
SourceObject objectIn(const std::vector<double>& numbers, const std::vector<std::string>& names,
                      base::ImageSize size) {
  constexpr double kMost = 1.01;  // Ultralytics tolerates a percent
  const double number = numbers[0];
  if (number < 0 || number != std::floor(number))
    throw Error("the class must be an integer from 0 on");
  if (number >= static_cast<double>(coco::kMaxCategories))
    throw Error("there are at most " + std::to_string(coco::kMaxCategories) + " classes");
  const auto index = static_cast<std::size_t>(number);
  if (!names.empty() && index >= names.size()) {
    throw Error("class " + std::to_string(index) + " has no name (there are " +
                std::to_string(names.size()) + ")");
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] < 1 - kMost || numbers[i] > kMost)
      throw Error("coordinates must be shares of the image's sides, 0 to 1");
  }
  SourceObject object;
  object.category = names.empty() ? "class " + std::to_string(index) : names[index];
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  if (numbers.size() == 5) {
    const double w = numbers[3] * width, h = numbers[4] * height;
    if (w <= 0 || h <= 0) throw Error("the box has no area");
    object.boxXywh = {numbers[1] * width - w / 2, numbers[2] * height - h / 2, w, h};
    return object;
  }
  if (numbers.size() < 7 || numbers.size() % 2 == 0) {
    throw Error("has " + std::to_string(numbers.size()) +
                " numbers; a line is a class and x, y of at least 3 points, or a class and a box");
  }
  std::vector<double> xy;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    xy.push_back(numbers[i] * (i % 2 == 1 ? width : height));
  object.segmentation = onePolygon(std::move(xy));
  return object;
}

std::vector<std::string> classesFileNames(const fs::path& folder) {
  for (const char* file : {"classes.txt", "obj.names", "labels/classes.txt"}) {
    if (!isFile(folder / file)) continue;
    std::vector<std::string> names = nameLinesOf(folder / file);
    while (!names.empty() && names.back().empty()) names.pop_back();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].empty()) names[i] = "class " + std::to_string(i);
    return names;
  }
  return {};
}

class YoloReader {
 public:
  YoloReader(const Reading& reading, std::vector<std::string> names, bool hasKeypoints)
      : reading_(reading), names_(std::move(names)), hasKeypoints_(hasKeypoints) {
    std::int64_t id = 0;
    std::set<std::string> known;
    for (const std::string& name : names_)
      if (known.insert(name).second) source_.categories.push_back({{++id}, name});
  }

  void read(const std::vector<fs::path>& images, std::optional<Part> part) {
    reading_.forEachFile(images, source_, [&](const fs::path& file) {
      if (!images_.insert(file).second) {
        ++repeated_;
        return;
      }
      const fs::path labels = labelFileOf(file);
      const auto [other, isNew] = imageOf_.try_emplace(labels, file);
      if (!isNew) {
        throw Error("has the same label file as " + reading_.shown(other->second) + ": " +
                    reading_.shown(labels));
      }
      readImage(file, labels, part);
    });
  }

  /// Label files of no image.
  void addUnusedLabels(const std::vector<fs::path>& labels) {
    for (const fs::path& file : labels)
      if (!used_.contains(file)) source_.addFault(reading_.shown(file), "its image is missing");
  }

  Source finish() {
    if (names_.empty()) {  // numbered classes, in the order of their numbers
      for (std::size_t i = 0; i <= highest_; ++i)
        source_.categories.push_back(
            {{static_cast<std::int64_t>(i) + 1}, "class " + std::to_string(i)});
    }
    if (repeated_ > 0) {
      source_.addFault("data.yaml", base::counted(repeated_, "image") +
                                        (repeated_ == 1 ? " is" : " are") +
                                        " listed twice; the first entry is used");
    }
    return std::move(source_);
  }
  void addFault(const std::string& where, const std::string& what) {
    source_.addFault(where, what);
  }

 private:
  void readImage(const fs::path& file, const fs::path& labels, std::optional<Part> part) {
    const bool isLabelled = isFile(labels);
    used_.insert(labels);
    SourceImage image =
        isLabelled ? reading_.imageAt(file) : reading_.unlabelledImage(file, "has no label file");
    if (part) image.part = part;
    if (isLabelled) readLabels(labels, image);
    source_.images.push_back(std::move(image));
  }

  void readLabels(const fs::path& labels, SourceImage& image) {
    const std::string shown = reading_.shown(labels);
    std::size_t number = 0;
    for (const std::string& line : linesOf(labels)) {
      guarded(source_, shown + ":" + std::to_string(++number), image, [&] {
        std::vector<double> numbers = numbersInLine(line);
        if (numbers.empty()) return;
        if (hasKeypoints_ && numbers.size() > 5) {
          ++source_.losses["keypoints"];
          numbers.resize(5);
        }
        image.objects.push_back(objectIn(numbers, names_, image.size));
        highest_ = std::max(highest_, static_cast<std::size_t>(numbers[0]));
      });
    }
  }

  const Reading& reading_;
  std::vector<std::string> names_;
  bool hasKeypoints_;
  std::set<fs::path> images_, used_;
  std::map<fs::path, fs::path> imageOf_;  ///< by label file
  std::int64_t repeated_ = 0;
  std::size_t highest_ = 0;  ///< class number
  Source source_;
};

}  // namespace

std::optional<fs::path> yoloDescriptionIn(const fs::path& path) {
  if (isFile(path))
    return path.extension() == ".yaml" || path.extension() == ".yml" ? std::optional(path)
                                                                     : std::nullopt;
  std::error_code failure;
  for (const char* name : {"data.yaml", "dataset.yaml", "data.yml"})
    if (isFile(path / name)) return path / name;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string extension = entry->path().extension().string();
    if (extension != ".yaml" && extension != ".yml") continue;
    try {
      if (YAML::Load(base::readUnicode(entry->path()))["names"]) return entry->path();
    } catch (const std::exception&) {
      continue;  // another file
    }
  }
  return std::nullopt;
}

Source readYolo(const Reading& reading) {
  YoloDescription description;
  if (const auto file = yoloDescriptionIn(reading.path)) description = readDescription(*file);
  if (!reading.classes.empty()) description.names = reading.classes;
  if (description.names.empty()) description.names = classesFileNames(reading.folder());
  YoloReader reader(reading, description.names, description.hasKeypoints);
  const ImageIndex index(reading.folder());
  bool hasPlaces = false;
  for (const YoloPart& part : description.parts) {
    for (const fs::path& place : part.places) {
      std::error_code failure;
      if (!fs::exists(place, failure)) {
        reader.addFault("data.yaml", "names " + reading.shown(place) + ", which is not there");
        continue;
      }
      hasPlaces = true;
      const std::vector<fs::path> images = imagesIn(place, index);
      if (images.empty())
        reader.addFault("data.yaml", "names " + reading.shown(place) + ", which has no image");
      reader.read(images, part.part);
    }
  }
  if (!hasPlaces) reader.read(index.all(), std::nullopt);
  std::vector<fs::path> labels;
  for (const fs::path& file : filesBelow(reading.folder(), {".txt"})) {
    const bool isLabel = std::ranges::count(file.lexically_relative(reading.folder()).parent_path(),
                                            fs::path("labels")) > 0;
    if (isLabel && file.filename() != "classes.txt") labels.push_back(file);
  }
  reader.addUnusedLabels(labels);
  return reader.finish();
}

}  // namespace lockstep::formats
