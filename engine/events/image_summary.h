#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/events/record.h"

namespace lockstep::events {

/// A picture for TensorBoard's Images page.
struct ImageSummary {
  std::string tag;
  std::int64_t step = 0;
  double wallTime = 0;
  int width = 0, height = 0;  ///< px
  std::string_view png;       ///< an encoded RGB picture
};

/// Its record in the log; read again, it is of kind Other.
Record recordOf(const ImageSummary& image);

}  // namespace lockstep::events
