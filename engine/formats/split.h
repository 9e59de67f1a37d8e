#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/formats/source.h"

namespace lockstep::formats {

struct SplitOptions {
  double valShare = .2;
  std::uint64_t seed = 1;
  /// Images whose paths have the same match of this regular expression (of its first group, if it
  /// has one) come into the same part; empty: every image on its own.
  std::string groupPattern{};
};

/// Gives each image a part, training or held-out, so that every class has about the same share of
/// its objects held out, rare classes first (Sechidis 2011, "On the stratification of multi-label
/// data"). A pure function of the images' paths below `folder`, their objects and the options. Both
/// parts get an image if there are two groups. Throws UserError for an invalid pattern.
void splitAnew(std::vector<SourceImage*>& images, const fs::path& folder,
               const SplitOptions& options);

}  // namespace lockstep::formats
