#pragma once

#include <exception>
#include <string>

namespace lockstep::train {

/// The message of an exception for users, in one line: LibTorch's without backtrace and debugging
/// advice, NCCL's without its source location, std::bad_alloc as "out of memory".
std::string exceptionText(const std::exception& exception);

}  // namespace lockstep::train
