#pragma once

#include <string_view>

namespace lockstep::config {

/// Whether a key may differ when a run is resumed.
bool mayChangeOnResume(std::string_view key);

}  // namespace lockstep::config
