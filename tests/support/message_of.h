#pragma once

#include <functional>
#include <string>

#include "engine/base/error.h"

namespace lockstep::tests {

/// The message of the Error that `act` throws; empty: it throws none.
inline std::string messageOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace lockstep::tests
