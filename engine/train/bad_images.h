#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/data/bad_image.h"
#include "engine/train/training.h"

namespace lockstep::train {

/// Images that cannot be read: which rank found them, and what the run has skipped because of them
/// (dataset.bad_images: skip).
class BadImages {
 public:
  explicit BadImages(Training& training) : training_(training) {}

  struct Unreadable {
    data::BadImage image;
    int rank = 0;
    std::string host;
  };
  /// All ranks' unreadable images, gathered on every rank, without duplicates, by rank. `own`: this
  /// rank's, if any.
  std::vector<Unreadable> gather(const std::optional<data::BadImage>& own) const;
  /// Removes them from the sampling order; loading must be stopped. Throws Error when no image is
  /// left.
  void leaveOut(const std::vector<Unreadable>& images);
  /// The step was computed without them: records them as skipped.
  void report(std::int64_t step);
  /// Skipped images of the held-out set, each reported once.
  void reportHeldOut(const std::vector<data::BadImageInfo>& images);
  /// Excludes the images that were excluded when the checkpoint was saved.
  void resume(const run_folder::TrainingState& saved);

 private:
  Training& training_;
  std::vector<data::BadImageInfo> unreported_;  ///< skipped in the current step
  std::set<ImageId> reportedHeldOut_;
};

}  // namespace lockstep::train
