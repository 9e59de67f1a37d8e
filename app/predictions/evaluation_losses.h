#pragma once

#include <string>
#include <unordered_map>

#include "engine/base/ids.h"

namespace lockstep::app {

/// Total held-out loss by image, from the text of evaluations/step-N.json; empty: it has none by
/// image. `name` is for the message. Throws Error.
std::unordered_map<ImageId, double> parseImageLosses(const std::string& text,
                                                     const std::string& name);

}  // namespace lockstep::app
