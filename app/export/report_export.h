#pragma once

#include "app/export/export_format.h"
#include "widgets/image_view/shown_results.h"

namespace lockstep::app {

/// The HTML report of `lockstep-engine coco-eval` on the images that were predicted.
ExportFormat reportFormat(const widgets::ShownResults& of);

}  // namespace lockstep::app
