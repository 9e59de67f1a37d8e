#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/models/predictions_store.h"

namespace lockstep::app {

/// A results file of any program, and what it is judged by.
struct ResultsSource {
  QString results;
  QString annotations{};  ///< empty: what the other side is judged by

  bool operator==(const ResultsSource&) const = default;
};

struct OpenedResults {
  RunDataset heldOut;
  std::vector<coco::Detection> detections{};
  std::vector<ImageId> images{};  ///< that were looked at
  QString note;                   ///< what is left out of it, as coco-eval does; empty: nothing
  QString failure;                ///< why it cannot be judged; empty: it can
};

/// Reads a results file, also of `predict` or of a run folder. `truth`: of the other side, unless
/// the source has annotations of its own. Blocks; throws nothing.
OpenedResults openResults(const ResultsSource& source, const std::optional<RunDataset>& truth);

}  // namespace lockstep::app
