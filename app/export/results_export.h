#pragma once

#include <vector>

#include "app/export/export_format.h"
#include "widgets/image_view/shown_results.h"

namespace lockstep::app {

/// What Predictions and Compare show: the image with its overlays; of each of the results the masks
/// of the image, the COCO results file, and the report of `coco-eval`, which the engine's program
/// makes.
std::vector<Exportable> resultsExports(const std::vector<widgets::ShownResults>& shown);

}  // namespace lockstep::app
