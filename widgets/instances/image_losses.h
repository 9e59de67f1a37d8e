#pragma once

#include <unordered_map>

#include "engine/base/ids.h"

namespace lockstep::widgets {

/// Held-out loss of each image at one evaluation; it may be NaN or infinite.
using ImageLosses = std::unordered_map<ImageId, double>;

}  // namespace lockstep::widgets
