// Label images: PART/images/NAME.jpg and PART/masks/NAME.png, or with several classes
// PART/masks/CLASS/NAME.png.
#include <algorithm>

#include "engine/formats/label_masks.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

class MaskWriter : public DatasetWriter {
 public:
  MaskWriter(fs::path folder, const std::vector<coco::Category>& categories,
             const ImageCodec& codec, Losses& losses)
      : folder_(std::move(folder)),
        hasClasses_(categories.size() > 1 ||
                    (categories.size() == 1 && categories[0].name != "object")),
        firstClass_(hasClasses_ ? categories[0].name : ""),
        codec_(codec),
        losses_(losses) {}

  fs::path placeOf(const ExportedImage& image) const override {
    return fs::path(image.part) / "images" / image.fileName;
  }

  void add(const ExportedImage& exported) override {
    std::map<std::string, LabelImage> images;  // by class
    std::map<std::string, std::uint32_t> idOf;
    const base::ImageSize size = exported.image.size;
    const auto imageOf = [&](const std::string& name) -> LabelImage& {
      LabelImage& labels = images[name];
      if (labels.ids.empty()) {
        labels = {static_cast<int>(size.width), static_cast<int>(size.height), {}};
        labels.ids.assign(static_cast<std::size_t>(size.width * size.height), 0);
      }
      return labels;
    };
    if (!hasClasses_) imageOf("");
    for (const SourceObject& object : exported.image.objects) {
      if (!isKept(object)) continue;
      const std::string name = hasClasses_ ? object.category : "";
      if (idOf[name] == kMaxLabelIds) {
        ++losses_["objects beyond 65,535 of a class in an image: left out"];
        continue;
      }
      // Later objects hide earlier ones.
      if (paint(maskOf(object, size), ++idOf[name], imageOf(name)))
        ++losses_["overlapping objects of one class: the later one gets the pixels"];
    }
    // An empty label image marks an image as annotated without objects.
    if (images.empty()) imageOf(firstClass_);
    for (const auto& [name, labels] : images) {
      writeFile(folder_ / exported.part / "masks" / folderName(name) / (exported.stem() + ".png"),
                codec_.encodeLabels(labels));
    }
  }

 private:
  bool isKept(const SourceObject& object) {
    if (object.isCrowd) ++losses_["crowds, which label images do not support: left out"];
    if (!object.isCrowd && !object.hasMask()) ++losses_["objects with a box but no mask: left out"];
    return !object.isCrowd && object.hasMask();
  }

  /// A class's name without what a path cannot have.
  std::string folderName(const std::string& name) {
    if (name.empty()) return name;
    const auto known = folders_.find(name);
    if (known != folders_.end()) return known->second;
    constexpr std::size_t kMostBytes = 200;
    std::string folder = name.substr(0, kMostBytes);
    std::ranges::replace(folder, '/', '-');
    if (folder.starts_with(".")) folder.insert(0, "-");
    const std::string first = folder;
    const auto isTaken = [&] {
      return std::ranges::any_of(folders_, [&](const auto& one) { return one.second == folder; });
    };
    for (int number = 2; isTaken(); ++number) folder = first + "-" + std::to_string(number);
    if (folder != name) ++losses_["classes whose names are not valid folder names: renamed"];
    return folders_[name] = folder;
  }

  fs::path folder_;
  bool hasClasses_;
  std::string firstClass_;
  const ImageCodec& codec_;
  Losses& losses_;
  std::map<std::string, std::string> folders_;  ///< by class
};

}  // namespace

std::unique_ptr<DatasetWriter> makeMaskWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              const ImageCodec& codec, Losses& losses) {
  return std::make_unique<MaskWriter>(folder, categories, codec, losses);
}

}  // namespace lockstep::formats
