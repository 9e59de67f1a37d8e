#pragma once

#include <cstdint>

namespace lockstep::structures {

/// px
struct ImageSize {
  std::int64_t height = 0, width = 0;
  bool operator==(const ImageSize&) const = default;
};

}  // namespace lockstep::structures
