#pragma once

#include "engine/protocol/split.h"

namespace lockstep::app {

/// Which images of the run's dataset are shown with its predictions.
enum class ImagePart { HeldOut, Training };

constexpr protocol::Split splitOf(ImagePart part) {
  return part == ImagePart::Training ? protocol::Split::Train : protocol::Split::Val;
}

}  // namespace lockstep::app
