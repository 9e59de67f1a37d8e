#pragma once

#include <string>

namespace lockstep::events::tags {

/// The tag that a scalar of another program (detectron2, torchvision's references, PyTorch
/// Lightning) has in this one's logs; other tags as they are.
std::string ofForeign(const std::string& tag);

}  // namespace lockstep::events::tags
