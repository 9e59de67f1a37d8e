#pragma once

#include <exception>
#include <string>

namespace lockstep::train {

/// What an exception says to a person, in one line: LibTorch's without its backtrace and its advice
/// to programmers, NCCL's without the place in its sources, and that memory is out.
std::string exceptionText(const std::exception& exception);

}  // namespace lockstep::train
