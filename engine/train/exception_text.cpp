#include "engine/train/exception_text.h"

#include <c10/util/Exception.h>

#include <new>

namespace lockstep::train {

std::string exceptionText(const std::exception& exception) {
  if (const auto* ofTorch = dynamic_cast<const c10::Error*>(&exception))
    return ofTorch->what_without_backtrace();
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return "out of memory";
  return exception.what();
}

}  // namespace lockstep::train
