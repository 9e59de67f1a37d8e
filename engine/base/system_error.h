#pragma once

#include <string>

#include "engine/base/error.h"

namespace lockstep::base {

/// A failure of a call of the operating system.
class SystemError : public Error {
 public:
  SystemError(const std::string& message, int number) : Error(message), number_(number) {}
  int number() const { return number_; }  ///< as errno

 private:
  int number_;
};

}  // namespace lockstep::base
