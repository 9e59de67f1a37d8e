#include "engine/coco/check/check_dataset.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/check/kind_texts.h"
#include "engine/coco/check/object_checks.h"
#include "engine/coco/check/picture_pairs.h"
#include "engine/coco/files/json_error.h"

namespace lockstep::coco {
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

std::optional<FindingKind> kindOf(PictureState state) {
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

std::string turnedText(const Picture& picture, const Image& image) {
  const auto size = [](std::int64_t width, std::int64_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " px";
  };
  return "is stored as " + size(picture.stored.width, picture.stored.height) +
         "; only its EXIF orientation makes it " + size(image.width, image.height) +
         " as annotated: Lockstep turns it, programs that ignore EXIF do not";
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
          "dataset.train and dataset.val: neither is given; set images and annotations of one");
    checkPartsDiffer();
    for (std::size_t p = 0; p < check_.parts.size(); ++p)
      for (std::size_t i = 0; i < imageCount(p); ++i) images_.emplace_back(p, i);
    ofImages_.resize(images_.size());
    PicturePairs pairs(images_.size(), [this](std::size_t i) { return read(i).thumbnail; });
    forEachOnAllCores(images_.size(), "checking images", onProgress_,
                      [&](std::size_t i) { checkImage(i, pairs); });
    pairs.index();
    matches_.resize(images_.size());
    forEachOnAllCores(images_.size(), "comparing pictures", onProgress_,
                      [&](std::size_t i) { matches_[i] = pairs.matchesOf(i); });
    collect();
    for (const CheckedPart& part : check_.parts) addRefusal(part);
  }

 private:
  std::size_t imageCount(std::size_t part) const {
    return check_.parts[part].data.dataset().images().size();
  }

  void read(Part which, const config::DatasetSplit& paths) {
    if (paths.annotations.empty() || paths.images.empty()) return;
    CheckedPart& part = check_.parts.emplace_back();
    part.data.part = which;
    part.data.annotations = paths.annotations;
    part.data.images = paths.images;
    if (onProgress_) onProgress_("reading annotations", check_.parts.size() - 1, 2);
    try {
      part.data.content = loadLeniently(paths.annotations);
    } catch (const UserError&) {
      throw;  // there is no such file
    } catch (const Error& error) {
      part.isRead = false;
      std::string text = error.what();
      if (text.starts_with(paths.annotations)) text = text.substr(paths.annotations.size() + 1);
      text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
      Finding& fault =
          check_.faults.emplace_back(part.data.finding(FindingKind::InvalidFile, std::move(text)));
      const auto* invalid = dynamic_cast<const InvalidJson*>(&error);
      if (invalid != nullptr) fault.byte = invalid->byte();
    }
    part.facts = factsOf(part.data, experiment_);
    part.pictures.resize(part.data.dataset().images().size());
    part.orientations.assign(part.pictures.size(), 1);
  }

  /// One file for both parts is one fault, not one for each picture.
  void checkPartsDiffer() {
    std::error_code ignored;
    const auto& parts = check_.parts;
    partsAreOne_ = parts.size() == 2 &&
                   fs::equivalent(parts[0].data.annotations, parts[1].data.annotations, ignored);
    if (!partsAreOne_) return;
    check_.faults.push_back(parts[1].data.finding(
        FindingKind::PictureInBothParts,
        "is the annotation file of both parts: every picture is in both; split it, with dataset "
        "import --val"));
  }

  Picture read(std::size_t i) const {
    const PartData& part = check_.parts[images_[i].first].data;
    const Image& image = part.image(images_[i].second);
    return reader_.read(part.fileOf(images_[i].second), {image.height, image.width});
  }

  void checkImage(std::size_t i, PicturePairs& pairs) {
    const auto [p, index] = images_[i];
    CheckedPart& part = check_.parts[p];
    Picture picture = read(i);
    part.pictures[index] = picture.state;
    part.orientations[index] = picture.exifOrientation;
    std::vector<Finding>& found = ofImages_[i];
    if (const auto kind = kindOf(picture.state)) {
      found.push_back(part.data.findingOfPixels(*kind, index,
                                                picture.state == PictureState::Turned
                                                    ? turnedText(picture, part.data.image(index))
                                                    : picture.problem));
    }
    if (picture.thumbnail) pairs.set(i, part.data.part, std::move(picture.thumbnail));
    std::vector<Finding> objects = objectFaults(part.data, index);
    std::ranges::move(objects, std::back_inserter(found));
  }

  /// In the order of parts and images; what is about a part's file first.
  void collect() {
    std::size_t i = 0;
    for (std::size_t p = 0; p < check_.parts.size(); ++p) {
      std::ranges::move(entryFaults(check_.parts[p].data), std::back_inserter(check_.faults));
      for (std::size_t index = 0; index < imageCount(p); ++index, ++i) {
        std::ranges::move(ofImages_[i], std::back_inserter(check_.faults));
        addMatches(i);
      }
      std::ranges::move(suspicions(check_.parts[p].data), std::back_inserter(check_.notes));
    }
    std::ranges::stable_sort(check_.faults, {}, &Finding::kind);
    std::ranges::stable_sort(check_.notes, {}, &Finding::kind);
  }

  /// `training image 7 (a.jpg)`
  std::string nameOf(std::size_t i) const {
    const PartData& part = check_.parts[images_[i].first].data;
    const Image& image = part.image(images_[i].second);
    return (check_.parts.size() > 1 ? std::string(coco::nameOf(part.part)) + " image "
                                    : std::string("image ")) +
           std::to_string(image.id.value) + " (" + image.fileName + ")";
  }

  void addMatches(std::size_t i) {
    const PictureMatches& matches = matches_[i];
    if (matches.sameInPart)
      check_.faults.push_back(match(FindingKind::PictureTwice, i, *matches.sameInPart,
                                    "is the same picture as " + nameOf(*matches.sameInPart)));
    if (matches.sameInOtherPart && !partsAreOne_)
      check_.faults.push_back(match(FindingKind::PictureInBothParts, i, *matches.sameInOtherPart,
                                    "is the same picture as " + nameOf(*matches.sameInOtherPart)));
    if (!matches.similar) return;
    check_.notes.push_back(
        match(FindingKind::SimilarPicture, i, *matches.similar,
              "is similar to " + nameOf(*matches.similar) + ", from which it differs by " +
                  base::shortNumber(matches.similarMean, 2) + " of 255 on average"));
  }

  Finding match(FindingKind kind, std::size_t i, std::size_t other, std::string text) const {
    const PartData& part = check_.parts[images_[i].first].data;
    Finding found = part.findingOfPixels(kind, images_[i].second, std::move(text));
    const PartData& otherPart = check_.parts[images_[other].first].data;
    found.other = {otherPart.part, otherPart.content.imageBytes[images_[other].second]};
    return found;
  }

  /// Training stops at an image that it cannot use, unless it may skip it. Missing images are
  /// refused before.
  void addRefusal(const CheckedPart& part) {
    const std::string key = std::string("dataset.") + base::textOf(part.data.part) + ".images: ";
    std::size_t bad = 0, missing = 0;
    for (const PictureState state : part.pictures) {
      bad += state == PictureState::Unreadable || state == PictureState::Truncated ||
             state == PictureState::WrongSize;
      missing += state == PictureState::Missing;
    }
    const std::size_t all = part.pictures.size();
    if (bad == 0) return;
    if (bad + missing == all) {
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
  bool partsAreOne_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> images_;  ///< part, index; of all parts
  std::vector<std::vector<Finding>> ofImages_;               ///< of images_
  std::vector<PictureMatches> matches_;                      ///< of images_
};

}  // namespace

DatasetCheck checkDataset(const config::Experiment& experiment, std::vector<std::string> refusals,
                          const PictureReader& pictures, const CheckProgress& onProgress) {
  DatasetCheck check;
  check.refusals = std::move(refusals);
  Checker(experiment, pictures, onProgress, check).run();
  return check;
}

}  // namespace lockstep::coco
