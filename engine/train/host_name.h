#pragma once

#include <string>

namespace lockstep::train {

/// Of this machine, as messages call it.
std::string hostName();

}  // namespace lockstep::train
