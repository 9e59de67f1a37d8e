#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/coco/files/edited_file.h"
#include "engine/dataset_check/check_dataset.h"
#include "engine/dataset_check/clean_dataset.h"

namespace lockstep::dataset_check {

/// Decides what becomes of the entries of one part. Used only in this folder.
class PartCleaner {
 public:
  /// `faults`: of all parts. Counts what it does in `fixes`.
  PartCleaner(const CheckedPart& part, const std::vector<Finding>& faults,
              std::map<FindingKind, FixCount>& fixes);

  /// To be called once.
  coco::EntryEdits edits();
  std::int64_t imagesLeft() const { return imagesLeft_; }
  std::int64_t annotationsLeft() const { return annotationsLeft_; }

 private:
  using EntryCounts = std::map<FindingKind, std::int64_t>;
  /// Number of entries that have a fault of each kind.
  EntryCounts faultyEntries() const;
  void removeRefusedEntries();
  void removeAmbiguousEntries();
  void removeClass(CategoryId id);
  void removeImages();
  void removeImage(std::size_t image);
  void remove(std::size_t byte) { edits_[byte].isRemoved = true; }
  bool isRemoved(std::size_t byte) const;

  void cleanImage(std::size_t image);
  bool hasFaults(std::size_t image) const;
  /// The annotation as it is left; nullopt: it is left out.
  std::optional<coco::Annotation> cleanAnnotation(std::size_t image, std::size_t place);
  /// These change the annotation too, and return nullopt or false if it cannot be mended.
  std::optional<coco::EntryEdit> mend(coco::Annotation& annotation, std::size_t image,
                                      std::size_t place, const std::set<FindingKind>& kinds) const;
  bool turn(coco::Annotation& annotation, std::size_t image, bool hasBox,
            coco::EntryEdit& edit) const;
  static bool mendMask(coco::Annotation& annotation, const coco::Image& image,
                       const std::set<FindingKind>& kinds, coco::EntryEdit& edit);
  static bool mendBox(coco::Annotation& annotation, const coco::Image& image,
                      const std::set<FindingKind>& kinds, coco::EntryEdit& edit);

  const CheckedPart& part_;
  const coco::Dataset& dataset_;
  std::map<FindingKind, FixCount>& fixes_;
  std::map<std::size_t, std::vector<const Finding*>> byEntry_;  ///< those of this part, by byte
  std::map<std::size_t, std::size_t> imageOf_;                  ///< index by byte
  coco::EntryEdits edits_;
  std::int64_t imagesLeft_ = 0, annotationsLeft_ = 0;
};

}  // namespace lockstep::dataset_check
