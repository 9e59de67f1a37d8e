#include "engine/dataset_check/check_dataset.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/parallel_for.h"
#include "engine/base/shortened_text.h"
#include "engine/dataset_check/kind_texts.h"
#include "engine/dataset_check/near_duplicates.h"
#include "engine/dataset_check/object_checks.h"
#include "engine/dataset_check/training_needs.h"

namespace lockstep::dataset_check {
namespace {

namespace fs = std::filesystem;

/// Calls work(i) for each on all cores. What onProgress throws stops it.
void forEachOnAllCores(std::size_t count, const std::string& what, const CheckProgress& onProgress,
                       const std::function<void(std::size_t)>& work) {
  std::mutex mutex;  // guards the two below
  std::size_t done = 0;
  std::atomic<bool> isStopped = false;
  base::parallelFor(count, 0, [&](std::size_t i) {
    if (isStopped) return;
    try {
      work(i);
      if (!onProgress) return;
      const std::lock_guard lock(mutex);
      if (!isStopped) onProgress(what, ++done, count);
    } catch (...) {
      isStopped = true;
      throw;
    }
  });
}

std::optional<FindingKind> kindOfPicture(PictureState state) {
  switch (state) {
    case PictureState::Usable:
      break;
    case PictureState::Turned:
      return FindingKind::ImageRotated;
    case PictureState::Missing:
      return FindingKind::ImageMissing;
    case PictureState::Unreadable:
      return FindingKind::ImageUnreadable;
    case PictureState::Truncated:
      return FindingKind::ImageTruncated;
    case PictureState::WrongSize:
      return FindingKind::ImageSize;
  }
  return std::nullopt;
}

std::string turnedText(const Picture& picture, const coco::Image& image) {
  const auto size = [](std::int64_t width, std::int64_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " px";
  };
  return "is stored as " + size(picture.stored.width, picture.stored.height) +
         "; only its EXIF orientation makes it " + size(image.width, image.height) +
         " as annotated: Lockstep turns it, programs that ignore EXIF do not";
}

std::string exifIgnoredText(int orientation) {
  return "has EXIF orientation " + std::to_string(orientation) +
         ", which is not applied: its annotations are taken to be of the pixels as stored; predict "
         "--images and programs that apply EXIF turn it";
}

/// Whether two paths lead to one place, which need not exist.
bool areOnePlace(const fs::path& first, const fs::path& second) {
  std::error_code ignored;
  return fs::equivalent(first, second, ignored) ||
         fs::absolute(first).lexically_normal() == fs::absolute(second).lexically_normal();
}

class Checker {
 public:
  Checker(const config::Experiment& experiment, const PictureReader& reader,
          const CheckProgress& onProgress, DatasetCheck& check)
      : experiment_(experiment), reader_(reader), onProgress_(onProgress), check_(check) {}

  void run() {
    read(Part::Train, experiment_.dataset.train);
    read(Part::Val, experiment_.dataset.val);
    if (check_.parts.empty())
      throw UserError(
          "dataset.train and dataset.val: neither is set; set images and annotations of at least "
          "one");
    checkPartsDiffer();
    // Validation pictures first: of those that are the same, the first stays.
    for (std::size_t p = check_.parts.size(); p-- > 0;)
      for (std::size_t i = 0; i < imageCount(p); ++i) images_.emplace_back(p, i);
    ofImages_.resize(images_.size());
    NearDuplicates duplicates(images_.size());
    const auto forEach = [this](const std::string& what, std::size_t count, const auto& work) {
      forEachOnAllCores(count, what, onProgress_, work);
    };
    forEach("checking images", images_.size(), [&](std::size_t i) { checkImage(i, duplicates); });
    matches_ = duplicates.find(
        forEach, [this](std::size_t i, base::ImageSize size, base::ImageSize scaled) {
          return reader_.readBlocks(partOf(i).data.fileOf(images_[i].second), size, scaled);
        });
    collect();
    addRefusals();
  }

 private:
  std::size_t imageCount(std::size_t part) const {
    return check_.parts[part].data.dataset().images().size();
  }

  CheckedPart& partOf(std::size_t i) const { return check_.parts[images_[i].first]; }

  void read(Part which, const config::DatasetSplit& paths) {
    if (paths.annotations.empty() || paths.images.empty()) return;
    CheckedPart& part = check_.parts.emplace_back();
    part.data.part = which;
    part.data.annotations = paths.annotations;
    part.data.images = paths.images;
    if (onProgress_) onProgress_("reading annotations", check_.parts.size() - 1, 2);
    try {
      part.data.content = coco::loadLeniently(paths.annotations);
    } catch (const coco::InvalidDataset& error) {
      part.isRead = false;
      part.data.content.refusal = error.what();
      std::string text = error.what();
      if (text.starts_with(paths.annotations)) text = text.substr(paths.annotations.size() + 1);
      text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
      check_.faults.emplace_back(part.data.finding(FindingKind::InvalidFile, std::move(text)))
          .byte = error.byte();
    }
    part.facts = factsOf(part.data, experiment_);
    part.pictures.resize(part.data.dataset().images().size());
    part.orientations.assign(part.pictures.size(), 1);
    part.isAmbiguous.resize(part.pictures.size());
    for (const coco::EntryError& error : part.data.content.errors) {
      if (error.table != coco::EntryTable::Images || error.fault != coco::EntryFault::DuplicateId)
        continue;
      const auto image = part.data.dataset().findImage({*error.imageId});
      if (image && !error.isTolerated) part.isAmbiguous[*image] = true;
    }
  }

  /// One file for both parts is one fault, not one for each picture.
  void checkPartsDiffer() {
    const auto& parts = check_.parts;
    check_.isOneFile = parts.size() == 2 && parts[0].isRead &&
                       areOnePlace(parts[0].data.annotations, parts[1].data.annotations) &&
                       areOnePlace(parts[0].data.images, parts[1].data.images);
    if (!check_.isOneFile) return;
    check_.faults.push_back(
        parts[1].data.finding(FindingKind::PictureInBothParts,
                              "is the annotation file of both splits, so every image is in both: "
                              "split it, for example with `dataset import --val 0.2`"));
  }

  /// Compared are the pictures that cleaning keeps, unless they are there twice; of one file, those
  /// of the part that it cleans.
  bool isCompared(std::size_t i) const {
    const auto [p, index] = images_[i];
    return check_.parts[p].isUsable(index) && !(check_.isOneFile && p > 0);
  }

  void checkImage(std::size_t i, NearDuplicates& duplicates) {
    const std::size_t index = images_[i].second;
    CheckedPart& part = partOf(i);
    const coco::Image& image = part.data.image(index);
    const Picture picture =
        reader_.read(part.data.fileOf(index), {.height = image.height, .width = image.width});
    part.pictures[index] = picture.state;
    part.orientations[index] = picture.exifOrientation;
    if (picture.thumbnail && isCompared(i)) {
      const bool isTurned = picture.storedThumbnail != nullptr;
      duplicates.set(i, isTurned ? PictureView::Displayed : PictureView::Only, *picture.thumbnail,
                     {.height = image.height, .width = image.width});
      if (isTurned)
        duplicates.set(i, PictureView::Stored, *picture.storedThumbnail, picture.stored);
    }
    std::vector<Finding>& found = ofImages_[i];
    if (const auto kind = kindOfPicture(picture.state)) {
      found.push_back(part.data.findingOfPixels(
          *kind, index,
          picture.state == PictureState::Turned ? turnedText(picture, image) : picture.problem));
    }
    std::vector<Finding> objects = objectFaults(part.data, index);
    std::ranges::move(objects, std::back_inserter(found));
  }

  /// In the order of parts and images; what is about a part's file first.
  void collect() {
    std::size_t end = images_.size();
    for (std::size_t p = 0; p < check_.parts.size(); ++p) {
      std::ranges::move(entryFaults(check_.parts[p].data), std::back_inserter(check_.faults));
      const std::size_t begin = end - imageCount(p);
      for (std::size_t i = begin; i < end; ++i) {
        std::ranges::move(ofImages_[i], std::back_inserter(check_.faults));
        addMatch(i);
        addExifNote(i);
      }
      end = begin;
      std::ranges::move(suspicions(check_.parts[p].data), std::back_inserter(check_.notes));
    }
    std::ranges::stable_sort(check_.faults, {}, &Finding::kind);
    std::ranges::stable_sort(check_.notes, {}, &Finding::kind);
  }

  /// `training image 7 (a.jpg)`
  std::string nameOf(std::size_t i) const {
    const PartData& part = partOf(i).data;
    const coco::Image& image = part.image(images_[i].second);
    return (check_.parts.size() > 1 ? std::string(dataset_check::nameOf(part.part)) + " image "
                                    : std::string("image ")) +
           std::to_string(image.id.value) + " (" + base::shortenedPath(image.fileName) + ")";
  }

  void addExifNote(std::size_t i) {
    const std::size_t index = images_[i].second;
    const CheckedPart& part = partOf(i);
    const int orientation = part.orientations[index];
    if (part.pictures[index] == PictureState::Usable && orientation > 1)
      check_.notes.push_back(about(i, FindingKind::ExifIgnored, exifIgnoredText(orientation)));
  }

  void addMatch(std::size_t i) {
    const PictureMatch& match = matches_[i];
    if (match.same) {
      const bool isOfOnePart = images_[*match.same].first == images_[i].first;
      check_.faults.push_back(
          about(i, isOfOnePart ? FindingKind::PictureTwice : FindingKind::PictureInBothParts,
                "is the same image as " + nameOf(*match.same)));
    }
    if (!match.similar) return;
    check_.notes.push_back(
        about(i, FindingKind::SimilarPicture,
              "is similar to " + nameOf(*match.similar) + ", from which it differs by " +
                  base::shortNumber(match.similarMean, 2) + " of 255 on average"));
  }

  Finding about(std::size_t i, FindingKind kind, std::string text) const {
    return partOf(i).data.findingOfPixels(kind, images_[i].second, std::move(text));
  }

  void addRefusals() {
    std::vector<const PartData*> parts;
    for (const CheckedPart& part : check_.parts) parts.push_back(&part.data);
    check_.refusals = annotationRefusals(experiment_, parts);
    for (const CheckedPart& part : check_.parts) addRefusalOfImages(part);
  }

  /// Training stops at an image that it cannot use, unless it may skip it.
  void addRefusalOfImages(const CheckedPart& part) {
    const std::string key = part.data.key() + ".images: ";
    std::size_t bad = 0;
    BadImages missing;
    for (std::size_t i = 0; i < part.pictures.size(); ++i) {
      const PictureState state = part.pictures[i];
      bad += state == PictureState::Unreadable || state == PictureState::Truncated ||
             state == PictureState::WrongSize;
      if (state == PictureState::Missing) missing.add(part.data.image(i).fileName);
    }
    const std::size_t all = part.pictures.size();
    const auto issue = missingImageIssue(experiment_, part.data.key(), missing, all);
    if (issue && issue->severity == config::ConfigIssue::Severity::Error)
      check_.refusals.push_back(issue->key + ": " + issue->text);
    if (bad == 0) return;
    if (bad + missing.count == all) {
      check_.refusals.push_back(key + "none of the " + base::counted(all, "image") +
                                " can be used");
    } else if (!experiment_.dataset.skipsBadImages()) {
      check_.refusals.push_back(key + std::to_string(bad) + " of the " +
                                base::counted(all, "image") +
                                " cannot be used; restore them, or skip them with "
                                "dataset.bad_images: skip");
    }
  }

  const config::Experiment& experiment_;
  const PictureReader& reader_;
  const CheckProgress& onProgress_;
  DatasetCheck& check_;
  std::vector<std::pair<std::size_t, std::size_t>> images_;  ///< part, index; the last part first
  std::vector<std::vector<Finding>> ofImages_;               ///< of images_
  std::vector<PictureMatch> matches_;                        ///< of images_
};

}  // namespace

DatasetCheck checkDataset(const config::Experiment& experiment, const PictureReader& pictures,
                          const CheckProgress& onProgress) {
  DatasetCheck check;
  Checker(experiment, pictures, onProgress, check).run();
  return check;
}

}  // namespace lockstep::dataset_check
