// Label images: `images/` beside `masks/`, with the same names. One value is one object. Folders in
// `masks/` name classes.
#include <map>
#include <set>

#include "engine/base/error.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

const std::vector<std::string> kMaskFolders{"masks", "labels", "instances", "label_images"};
const std::vector<std::string> kSuffixes{"",        "_mask",      "_masks",    "_label",
                                         "_labels", "_instances", "_cp_masks", "-mask"};

struct MaskFile {
  fs::path file;
  std::string category;  ///< its folder in masks/; empty: none
};

/// The component of a path that is a folder of masks.
std::optional<std::size_t> maskFolderIn(const fs::path& relative) {
  std::size_t index = 0;
  for (const fs::path& component : relative.parent_path()) {
    if (std::ranges::count(kMaskFolders, lowerCase(component.string())) > 0) return index;
    ++index;
  }
  return std::nullopt;
}

/// The folders before the one of images or of masks, which the two of a pair have in common.
std::string placeOf(const fs::path& relative, std::size_t folder) {
  fs::path place;
  std::size_t index = 0;
  for (const fs::path& component : relative)
    if (index++ < folder) place /= component;
  return place.generic_string();
}

class MaskFolderReader {
 public:
  explicit MaskFolderReader(const Reading& reading) : reading_(reading) {
    const ImageIndex index(reading.folder());
    for (const fs::path& file : index.all()) {
      const fs::path relative = file.lexically_relative(reading.folder());
      if (const auto folder = maskFolderIn(relative)) {
        addMask(file, relative, *folder);
      } else {
        images_.push_back(file);
      }
    }
  }

  Source read() {
    const std::string onlyClass = reading_.classes.empty() ? "object" : reading_.classes[0];
    std::int64_t id = 0;
    for (const std::string& name : reading_.classes) source_.categories.push_back({{++id}, name});
    reading_.forEachFile(images_, source_, [&](const fs::path& file) {
      const std::vector<MaskFile> masks = masksFor(file);
      requireOneEach(masks);
      SourceImage image;
      image.file = file;
      image.part = partOf(file.lexically_relative(reading_.folder()));
      image.size = reading_.images.sizeOf(file);
      for (const MaskFile& mask : masks) {
        guarded(source_, reading_.shown(mask.file), [&] {
          addObjects(mask, mask.category.empty() ? onlyClass : mask.category, image);
        });
      }
      if (masks.empty())
        source_.addFault(reading_.shown(file), "has no mask file; kept without objects");
      source_.images.push_back(std::move(image));
    });
    for (const auto& [key, masks] : masks_) {
      for (const MaskFile& mask : masks)
        if (!used_.contains(mask.file))
          source_.addFault(reading_.shown(mask.file), "its image is missing");
    }
    return std::move(source_);
  }

 private:
  void addMask(const fs::path& file, const fs::path& relative, std::size_t folder) {
    fs::path within;
    std::size_t index = 0;
    for (const fs::path& component : relative.parent_path())
      if (index++ > folder) within /= component;
    std::string category = within.generic_string();
    if (partOf(within)) category.clear();  // masks/train
    masks_[file.stem().string()].push_back({file, category});
  }

  /// Those with the image's name in the same part of the source.
  std::vector<MaskFile> masksFor(const fs::path& image) {
    const fs::path relative = image.lexically_relative(reading_.folder());
    std::vector<MaskFile> found;
    for (const std::string& suffix : kSuffixes) {
      const auto masks = masks_.find(image.stem().string() + suffix);
      if (masks == masks_.end()) continue;
      for (const MaskFile& mask : masks->second) {
        const fs::path other = mask.file.lexically_relative(reading_.folder());
        if (partOf(relative) != partOf(other)) continue;
        if (relative.has_parent_path() && isInAnotherPlace(relative, other)) continue;
        found.push_back(mask);
        used_.insert(mask.file);
      }
    }
    return found;
  }

  /// `a/images/1.png` and `b/masks/1.png`.
  static bool isInAnotherPlace(const fs::path& image, const fs::path& mask) {
    std::size_t folder = 0, index = 0;
    bool hasImagesFolder = false;
    for (const fs::path& component : image.parent_path()) {
      if (lowerCase(component.string()) == "images") {
        folder = index;
        hasImagesFolder = true;
      }
      ++index;
    }
    return hasImagesFolder && placeOf(image, folder) != placeOf(mask, *maskFolderIn(mask));
  }

  void requireOneEach(const std::vector<MaskFile>& masks) const {
    std::map<std::string, fs::path> byCategory;
    for (const MaskFile& mask : masks) {
      const auto [other, isNew] = byCategory.try_emplace(mask.category, mask.file);
      if (!isNew)
        throw Error("has two mask files: " + reading_.shown(other->second) + ", " +
                    reading_.shown(mask.file));
    }
  }

  void addObjects(const MaskFile& mask, const std::string& category, SourceImage& image) {
    const LabelImage labels = reading_.images.labelsOf(mask.file);
    if (labels.width != image.size.width || labels.height != image.size.height) {
      throw Error("is " + std::to_string(labels.width) + " x " + std::to_string(labels.height) +
                  " px but its image is " + std::to_string(image.size.width) + " x " +
                  std::to_string(image.size.height));
    }
    for (LabelMask& one : masksOf(labels)) image.objects.push_back({category, std::move(one.mask)});
  }

  const Reading& reading_;
  std::vector<fs::path> images_;
  std::map<std::string, std::vector<MaskFile>> masks_;  ///< by stem
  std::set<fs::path> used_;
  Source source_;
};

}  // namespace

bool hasMaskFolder(const fs::path& path) {
  return std::ranges::any_of(ImageIndex(path).all(), [&](const fs::path& file) {
    return maskFolderIn(file.lexically_relative(path)).has_value();
  });
}

Source readMaskFolder(const Reading& reading) { return MaskFolderReader(reading).read(); }

}  // namespace lockstep::formats
