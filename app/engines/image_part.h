#pragma once

#include "engine/protocol/split.h"

namespace lockstep::app {

/// Which images are shown with the run's predictions: a part of its dataset, or files that were
/// opened beside it.
enum class ImagePart { HeldOut, Training, Opened };

/// Of a part of the dataset.
constexpr protocol::Split splitOf(ImagePart part) {
  return part == ImagePart::Training ? protocol::Split::Train : protocol::Split::Val;
}

}  // namespace lockstep::app
