#pragma once

#include <QString>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "app/predictions/predictions_store.h"
#include "engine/base/file_version.h"
#include "engine/coco/files/results_by_image.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::app {

/// A results file of any program, and what it is judged by.
struct ResultsSource {
  QString results;
  QString annotations{};  ///< empty: those of the caller judge it

  bool operator==(const ResultsSource&) const = default;
};

struct OpenedResults {
  RunDataset heldOut;
  widgets::PredictionStore::ByImage predictions{};  ///< of the images that were looked at
  /// Why it cannot be read or judged; empty also where nothing judges it (no heldOut.dataset).
  QString failure{};
  bool isUnreadable = false;                     ///< the results file, whatever judges it
  std::size_t oddScores = 0;                     ///< results with a score below 0 or over 1
  std::map<QString, base::FileVersion> files{};  ///< that were read, just before
};

/// How much of a file has been read, and whether somebody still waits for it. For any thread.
struct ReadingProgress {
  std::atomic<std::size_t> done = 0, all = 0;  ///< images; all 0: not known yet
  std::atomic<bool> isCancelled = false;
};

/// A results file in memory, whatever judges it; for all that read it. For any thread.
struct ParsedResults {
  std::mutex mutex{};  ///< of the others; locked while the file is parsed
  base::FileVersion version{};
  std::shared_ptr<coco::ResultsByImage> content{};  ///< null: it must be parsed
};

/// Reads a results file, also of `predict` or of a run folder. `truth`: what it is judged by,
/// unless the source has annotations of its own; with neither there is no held-out set, and only
/// whether the file can be read is found. Takes the file from `parsed` where it has this version,
/// and leaves it there. Blocks, on all processors; throws nothing. If it is cancelled, the results
/// mean nothing.
OpenedResults openResults(const ResultsSource& source, const std::optional<RunDataset>& truth,
                          ReadingProgress& progress, ParsedResults& parsed);

}  // namespace lockstep::app
