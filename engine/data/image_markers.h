#pragma once

#include <string_view>

namespace lockstep::data {

/// Whether a JPEG or PNG file is there to its end marker. Decoders fill what is missing with grey
/// and say nothing. Other formats: true, their decoders complain themselves.
bool reachesEndMarker(std::string_view fileBytes);

}  // namespace lockstep::data
