#pragma once

#include <string>

#include "engine/formats/import.h"

namespace lockstep::formats {

/// Where the images of each part are; empty: the part has none.
struct ExperimentFolders {
  std::string train, val;
};

/// experiment.yaml of an imported dataset: a small model, with sizes and steps that suit the data.
std::string experimentText(const ImportOptions& options, const ExperimentFolders& folders,
                           const ImportReport& report);

/// The shortest side of the resized images, px, at which half of the objects are large enough to be
/// found.
int minSizeFor(const Source& source);

}  // namespace lockstep::formats
