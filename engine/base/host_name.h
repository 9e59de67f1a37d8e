#pragma once

#include <string>

namespace lockstep::base {

/// Of this machine, as messages and run.json call it.
std::string hostName();

}  // namespace lockstep::base
