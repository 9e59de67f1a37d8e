// COCO's and LVIS' JSON, of which a folder may have one for each part. An invalid entry is left out
// or mended as `dataset check --fix` does it.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/files/lenient_dataset.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

/// The part in the name of an annotation file, `instances_val2017.json`, else in its folders,
/// `valid/_annotations.coco.json`.
std::optional<Part> partOfFile(const Reading& reading, const fs::path& file) {
  const std::optional<Part> named = partOf(file.filename());
  return named ? named : partOf(file.lexically_relative(reading.folder()).parent_path());
}

/// Ids that two different entries of a file share, and images that lost an object.
struct FileErrors {
  std::unordered_set<std::int64_t> ambiguousImages, ambiguousCategories, imagesWithLostObject;

  explicit FileErrors(const std::vector<coco::EntryError>& errors) {
    for (const coco::EntryError& error : errors) {
      if (error.isTolerated) continue;
      const bool isDuplicate = error.fault == coco::EntryFault::DuplicateId;
      if (error.table == coco::EntryTable::Annotations) {
        if (error.imageId && !coco::isMendable(error.fault))
          imagesWithLostObject.insert(*error.imageId);
      } else if (isDuplicate && error.table == coco::EntryTable::Images) {
        ambiguousImages.insert(*error.imageId);
      } else if (isDuplicate) {
        ambiguousCategories.insert(*error.categoryId);
      }
    }
  }
};

class CocoReader {
 public:
  explicit CocoReader(const Reading& reading) : reading_(reading), index_(reading.folder()) {}

  Source read() {
    reading_.forEachFile(annotationFiles(), source_, [&](const fs::path& file) {
      try {
        readFile(file, coco::loadLeniently(file));
      } catch (const coco::InvalidDataset& error) {
        if (!error.isOtherFile()) throw;
      }
    });
    if (!isFile(reading_.path)) reportUnlisted();
    return std::move(source_);
  }

 private:
  /// Beside instances files, COCO's others are of the same images: keypoints, captions, panoptic.
  std::vector<fs::path> annotationFiles() const {
    const auto startsWith = [](const fs::path& file, const char* start) {
      return file.filename().string().starts_with(start);
    };
    const auto isInstances = [&](const fs::path& file) { return startsWith(file, "instances"); };
    const auto isOfOtherTask = [&](const fs::path& file) {
      return std::ranges::any_of(
          std::array{"person_keypoints", "captions", "panoptic", "stuff", "image_info"},
          [&](const char* task) { return startsWith(file, task); });
    };
    std::vector<fs::path> files = filesBelow(reading_.path, {".json"});
    if (std::ranges::any_of(files, isInstances)) std::erase_if(files, isOfOtherTask);
    return files;
  }

  /// One line for all images that are in the folder alone: there may be very many.
  void reportUnlisted() {
    std::vector<fs::path> unlisted;
    for (const fs::path& file : index_.all())
      if (!files_.contains(file)) unlisted.push_back(file);
    if (unlisted.empty()) return;
    source_.addFault(
        reading_.shown(unlisted[0]),
        "has no usable entry in an annotation file; not imported" +
            (unlisted.size() == 1 ? ""
                                  : ", like " + base::counted(unlisted.size() - 1, "other image")));
  }

  void readFile(const fs::path& file, const coco::LenientDataset& content) {
    const std::string shown = reading_.shown(file);
    for (const coco::EntryError& error : content.errors) {
      if (error.isTolerated || error.isConsequence) continue;
      source_.addFault(shown + ": " + error.where,
                       error.what + " (at byte " + std::to_string(error.byte) + ")");
    }
    const FileErrors errors(content.errors);
    const std::optional<Part> part = partOfFile(reading_, file);
    const coco::Dataset& dataset = content.dataset;
    addCategories(shown, dataset);
    for (std::size_t i = 0; i < dataset.images().size(); ++i) {
      const coco::Image& image = dataset.images()[i];
      if (errors.ambiguousImages.contains(image.id.value)) continue;
      guarded(source_, shown + ": image " + std::to_string(image.id.value), [&] {
        SourceImage& added = addImage(file, part, image, dataset);
        for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
          if (errors.ambiguousCategories.contains(annotation.categoryId.value)) {
            added.markLostObject();
          } else {
            added.objects.push_back(objectOf(annotation, nameOf(annotation.categoryId, dataset)));
          }
        }
        if (errors.imagesWithLostObject.contains(image.id.value)) added.markLostObject();
      });
    }
  }

  void addCategories(const std::string& shown, const coco::Dataset& dataset) {
    std::unordered_set<std::string> names;  // of this file
    for (coco::Category category : dataset.categories()) {
      if (!names.insert(category.name).second) {
        source_.addFault(
            shown + ": category " + std::to_string(category.id.value),
            "has the same name as " + base::shortened(category.name) + ": they are merged");
      }
      if (!categoryNames_.insert(category.name).second) continue;
      if (!categoryIds_.insert(category.id.value).second)
        category.id = kNewCategory;  // of another file: gets a new one
      source_.categories.push_back(category);
    }
  }

  static const std::string& nameOf(CategoryId id, const coco::Dataset& dataset) {
    return dataset.categories()[static_cast<std::size_t>(dataset.classOf(id).value) - 1].name;
  }

  static SourceObject objectOf(const coco::Annotation& annotation, const std::string& category) {
    SourceObject object{category, {}, annotation.boxXywh, annotation.isCrowd};
    if (annotation.hasMask) object.segmentation = annotation.segmentation;
    return object;
  }

  SourceImage& addImage(const fs::path& file, std::optional<Part> part, const coco::Image& entry,
                        const coco::Dataset& dataset) {
    SourceImage image;
    image.file = fileOf(file, entry.fileName, part);
    image.size = {entry.height, entry.width};
    image.hasOwnSize = true;
    image.part = part ? part : reading_.partOfImage(image.file);
    for (const auto& [ids, names] :
         {std::pair(&entry.negativeCategories, &image.negativeCategories),
          {&entry.notExhaustiveCategories, &image.notExhaustiveCategories}})
      for (const CategoryId id : *ids)
        if (dataset.hasCategory(id)) names->push_back(nameOf(id, dataset));
    if (!files_.insert(image.file).second)
      throw Error(reading_.shown(image.file) +
                  " is also in another file or split, where it is imported");
    return source_.images.emplace_back(std::move(image));
  }

  /// Looks in the folder that an experiment names for the part, beside the file, then in the index.
  fs::path fileOf(const fs::path& file, const std::string& name,
                  const std::optional<Part>& part) const {
    std::vector<fs::path> folders{file.parent_path(), file.parent_path() / "images"};
    if (const auto own = part ? reading_.imageFolders.find(*part) : reading_.imageFolders.end();
        own != reading_.imageFolders.end())
      folders.insert(folders.begin(), own->second);
    for (const fs::path& folder : folders)
      if (isFile(folder / name)) return (folder / name).lexically_normal();
    const std::vector<fs::path> found = index_.find(name);
    std::vector<fs::path> inPart;
    for (const fs::path& one : found)
      if (reading_.partOfImage(one) == part) inPart.push_back(one);
    if (inPart.size() == 1) return inPart[0];
    if (found.size() == 1 && (!part || !reading_.partOfImage(found[0]))) return found[0];
    for (const auto& [ofPart, folder] : reading_.imageFolders)
      if (isFile(folder / name)) return (folder / name).lexically_normal();
    return index_.only(name, file);
  }

  const Reading& reading_;
  ImageIndex index_;
  std::set<fs::path> files_;
  std::unordered_set<std::string> categoryNames_;
  std::unordered_set<std::int64_t> categoryIds_;
  Source source_;
};

}  // namespace

Source readCoco(const Reading& reading) { return CocoReader(reading).read(); }

}  // namespace lockstep::formats
