#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/dataset_check/check_dataset.h"

namespace lockstep::dataset_check {

/// What became of the faults of a kind.
struct FixCount {
  std::int64_t mended = 0, removed = 0;
  std::int64_t resolved = 0;  ///< by what was done about other faults
};

struct CleanedPart {
  Part part = Part::Train;
  std::string file{};                        ///< written
  std::int64_t images = 0, annotations = 0;  ///< left in it
};

struct CleanedDataset {
  std::map<FindingKind, FixCount> fixes{};
  std::vector<CleanedPart> parts{};
  std::vector<std::string> unmended{};  ///< what is left to the user
  /// Why what was written cannot be trained on: a part is left without images or annotations, or a
  /// setting of the experiment does not fit it. These are in `unmended` too.
  std::vector<std::string> refusals{};
};

/// Writes FOLDER/annotations/instances_{train,val}.json without the faults of a check, and
/// FOLDER/experiment.yaml, which is `experimentFile` with these annotations. FOLDER appears
/// whole or not at all. Entries without a fault, and what Lockstep does not know in a file, are
/// kept character by character. Parts that are one file remain one. Makes no FOLDER if no part can
/// be read, and no experiment of a part that is left empty. Throws UserError if FOLDER exists and
/// is not an empty folder.
CleanedDataset cleanDataset(const DatasetCheck& check, const config::Experiment& experiment,
                            const std::filesystem::path& experimentFile,
                            const std::filesystem::path& folder);

}  // namespace lockstep::dataset_check
