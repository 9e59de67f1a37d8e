// Label images: `images/` beside `masks/`, with the same names. One value is one object. Folders in
// `masks/` name classes.
#include <algorithm>
#include <map>
#include <set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/label_masks.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

const std::vector<std::string> kMaskFolders{"masks", "labels", "instances", "label_images"};
const std::vector<std::string> kSuffixes{"",        "_mask",      "_masks",    "_label",
                                         "_labels", "_instances", "_cp_masks", "-mask"};

const std::vector<std::string> kImageFolders{"images", "imgs", "img", "image"};

/// Where a file is: `train/images/a/1.png` is 1 of `train`, sub-folder `a`.
struct Place {
  std::string before, below, stem;
  auto operator<=>(const Place&) const = default;
};

/// The place of a file by the last of its folders that has one of these names; nullopt: none has.
std::optional<Place> placeBy(const std::vector<std::string>& names, const fs::path& relative) {
  const fs::path folder = relative.parent_path();
  const std::vector<fs::path> components(folder.begin(), folder.end());
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (std::ranges::count(names, base::lowerCase(components[i].string())) == 0) continue;
    Place place{"", "", relative.stem().string()};
    fs::path before, below;
    for (std::size_t k = 0; k < i; ++k) before /= components[k];
    for (std::size_t k = i + 1; k < components.size(); ++k) below /= components[k];
    place.before = before.generic_string();
    place.below = below.generic_string();
    return place;
  }
  return std::nullopt;
}

Place placeOfImage(const fs::path& relative) {
  if (auto place = placeBy(kImageFolders, relative)) return *place;
  return {relative.parent_path().generic_string(), "", relative.stem().string()};
}

/// The class that the folders of a mask name beyond those of its image; empty: none; nullopt: it is
/// a mask of another image.
std::optional<std::string> categoryOfMask(const std::string& ofMask, const std::string& ofImage) {
  if (ofMask == ofImage) return "";
  if (ofImage.empty()) return ofMask;
  if (ofMask.starts_with(ofImage + "/")) return ofMask.substr(ofImage.size() + 1);
  if (ofMask.ends_with("/" + ofImage)) return ofMask.substr(0, ofMask.size() - ofImage.size() - 1);
  return std::nullopt;
}

struct MaskFile {
  fs::path file;
  Place place;
};

struct ChosenMask {
  fs::path file;
  std::string category;  ///< empty: none
};

class MaskFolderReader {
 public:
  explicit MaskFolderReader(const Reading& reading) : reading_(reading) {
    const ImageIndex index(reading.folder());
    for (const fs::path& file : index.all()) {
      if (auto place = placeBy(kMaskFolders, file.lexically_relative(reading.folder()))) {
        masks_[place->stem].push_back({file, *place});
      } else {
        images_.push_back(file);
        places_.insert(placeOfImage(file.lexically_relative(reading.folder())));
      }
    }
  }

  Source read() {
    const std::string onlyClass = reading_.classes.empty() ? "object" : reading_.classes[0];
    std::int64_t id = 0;
    for (const std::string& name : reading_.classes) source_.categories.push_back({{++id}, name});
    reading_.forEachFile(images_, source_, [&](const fs::path& file) {
      const std::vector<ChosenMask> masks = masksFor(file);
      requireOneEach(masks);
      SourceImage image = masks.empty() ? reading_.unlabelledImage(file, "has no mask file")
                                        : reading_.imageAt(file);
      for (const ChosenMask& mask : masks) {
        guarded(source_, reading_.shown(mask.file), image, [&] {
          addObjects(mask, mask.category.empty() ? onlyClass : mask.category, image);
        });
      }
      source_.images.push_back(std::move(image));
    });
    for (const auto& [stem, masks] : masks_) {
      for (const MaskFile& mask : masks)
        if (!used_.contains(mask.file))
          source_.addFault(reading_.shown(mask.file), "its image is missing");
    }
    return std::move(source_);
  }

 private:
  /// Masks with the image's name beside its folder of images; if there are none, those of that name
  /// in the whole source.
  std::vector<ChosenMask> masksFor(const fs::path& image) {
    const Place place = placeOfImage(image.lexically_relative(reading_.folder()));
    std::vector<ChosenMask> beside, anywhere;
    for (const std::string& suffix : kSuffixes) {
      const auto masks = masks_.find(place.stem + suffix);
      if (masks == masks_.end()) continue;
      for (const MaskFile& mask : masks->second) {
        const Place ofMask{mask.place.before, mask.place.below, place.stem};
        if (ofMask != place && places_.contains(ofMask)) continue;  // belongs to that image
        const auto category = categoryOfMask(mask.place.below, place.below);
        if (category && mask.place.before == place.before) beside.push_back({mask.file, *category});
        if (place.below.empty() &&
            partOf(mask.file.lexically_relative(reading_.folder()).parent_path()) ==
                reading_.partOfImage(image))
          anywhere.push_back({mask.file, ""});
      }
    }
    std::vector<ChosenMask> chosen = beside.empty() ? anywhere : beside;
    for (const ChosenMask& mask : chosen) used_.insert(mask.file);
    return chosen;
  }

  void requireOneEach(const std::vector<ChosenMask>& masks) const {
    std::map<std::string, fs::path> byCategory;
    for (const ChosenMask& mask : masks) {
      const auto [other, isNew] = byCategory.try_emplace(mask.category, mask.file);
      if (!isNew)
        throw Error("has two mask files: " + reading_.shown(other->second) + ", " +
                    reading_.shown(mask.file));
    }
  }

  void addObjects(const ChosenMask& mask, const std::string& category, SourceImage& image) {
    if (!base::isUtf8(category))
      throw Error("its folder names the class in another encoding than UTF-8: rename it");
    for (LabelMask& one : masksOf(reading_.labelsOf(mask.file, image)))
      image.objects.push_back({category, std::move(one.mask)});
  }

  const Reading& reading_;
  std::vector<fs::path> images_;
  std::set<Place> places_;                              ///< of images
  std::map<std::string, std::vector<MaskFile>> masks_;  ///< by stem
  std::set<fs::path> used_;
  Source source_;
};

}  // namespace

std::optional<fs::path> labelImageIn(const fs::path& path, const ImageIndex& images) {
  if (!fs::is_directory(path)) return std::nullopt;
  for (const fs::path& file : images.all())
    if (placeBy(kMaskFolders, file.lexically_relative(path))) return file;
  return std::nullopt;
}

Source readMaskFolder(const Reading& reading) { return MaskFolderReader(reading).read(); }

}  // namespace lockstep::formats
