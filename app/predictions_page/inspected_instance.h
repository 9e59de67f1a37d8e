#pragma once

#include "app/docks/inspected.h"

namespace lockstep::widgets {
class PredictionsView;
}

namespace lockstep::app {

/// The chosen instance of the shown image, or how to choose one.
Inspected inspectedInstance(const widgets::PredictionsView& view);

}  // namespace lockstep::app
