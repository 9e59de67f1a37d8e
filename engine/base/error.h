#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::base {

/// Exit statuses of every program.
enum class ExitStatus {
  Done = 0,
  Failed = 1,    ///< content of data, results or weights; disk; a rank
  Mendable = 2,  ///< the user can mend it in the command line or the experiment file
  Stopped = 75,  ///< stopped on request, with a checkpoint
  Killed = 130,  ///< a second signal
};

/// A failure a user caused or can act on. The text says what, where and what to do, in one line:
/// `configs/a.yaml:12:3: solver.base_lr: -0.1 is not > 0`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitStatus status = ExitStatus::Failed)
      : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A failure of a call of the operating system.
class SystemError : public Error {
 public:
  SystemError(const std::string& message, int number) : Error(message), number_(number) {}
  int number() const { return number_; }  ///< as errno

 private:
  int number_;
};

/// An Error with ExitStatus::Mendable.
inline Error mendable(const std::string& message) { return Error(message, ExitStatus::Mendable); }

}  // namespace lockstep::base

namespace lockstep {
using base::Error;
using base::ExitStatus;
}  // namespace lockstep
