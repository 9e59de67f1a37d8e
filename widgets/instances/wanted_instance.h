#pragma once

#include "engine/base/ids.h"

namespace lockstep::widgets {

/// An instance that is to be shown on its image.
struct WantedInstance {
  int detection = -1;   ///< index on its image; -1: whatever finds the object
  int annotation = -1;  ///< likewise; -1: none
  CategoryId category{};
  double score = 0;  ///< that is to be in sight
};

}  // namespace lockstep::widgets
