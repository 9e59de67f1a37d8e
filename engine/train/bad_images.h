#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/data/bad_image.h"
#include "engine/train/training.h"

namespace lockstep::train {

/// Images that cannot be read: which rank met them, and what the run has left out because of them
/// (dataset.bad_images: skip).
class BadImages {
 public:
  explicit BadImages(Training& training) : training_(training) {}

  struct Met {
    data::BadImage image;
    int rank = 0;
    std::string host;
  };
  /// Those of all ranks, on all ranks, each once, in order of rank. `own`: this rank's, if any.
  std::vector<Met> gather(const std::optional<data::BadImage>& own) const;
  /// Takes them out of the order of training images; the caller has stopped loading. Throws Error
  /// when no image is left.
  void leaveOut(const std::vector<Met>& images);
  /// The step is computed without them: from here on they count as left out by the run.
  void report(std::int64_t step);
  /// Images of the held-out set that were left out, each reported once.
  void reportHeldOut(const std::vector<data::BadImageInfo>& images);
  /// Excludes the images that were excluded when the checkpoint was saved.
  void resume(const run_folder::TrainingState& saved);

 private:
  Training& training_;
  std::vector<data::BadImageInfo> unreported_;  ///< left out of the step that is not computed yet
  std::set<ImageId> reportedHeldOut_;
};

}  // namespace lockstep::train
