#pragma once

#include <map>
#include <vector>

#include "app/export/export_format.h"
#include "widgets/image_view/export_button.h"
#include "widgets/image_view/shown_results.h"

namespace lockstep::app {

struct ResultsExports {
  std::vector<Exportable> choices;
  std::map<widgets::ExportKind, int> first;  ///< of each kind that there is, its place in them
};

/// What Predictions and Compare show: the image with its overlays; of each of the results the masks
/// of the image, the COCO results file, and the report of `coco-eval`, which the engine's program
/// makes.
ResultsExports resultsExports(const std::vector<widgets::ShownResults>& shown);

}  // namespace lockstep::app
