#pragma once

#include <exception>
#include <string>

namespace lockstep::train {

/// What an exception says to a person: LibTorch's without its backtrace, and that memory is out.
std::string exceptionText(const std::exception& exception);

}  // namespace lockstep::train
