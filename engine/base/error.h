#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::base {

/// Exit codes of every program.
enum class ExitStatus {
  Done = 0,
  Failed = 1,     ///< content of data, results or weights; disk; a rank
  UserError = 2,  ///< the command line or the experiment file is wrong
  Stopped = 75,   ///< stopped on request, with a checkpoint
  Killed = 130,   ///< a second signal
};

/// A failure that the user caused or can act on. The message is one line with what, where and the
/// remedy:
/// `configs/a.yaml:12:3: solver.base_lr: -0.1 is not > 0`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitStatus status = ExitStatus::Failed)
      : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A failed system call.
class SystemError : public Error {
 public:
  SystemError(const std::string& message, int number) : Error(message), number_(number) {}
  int number() const { return number_; }  ///< errno

 private:
  int number_;
};

/// A mistake in the command line or the experiment file, which the user can correct there.
class UserError : public Error {
 public:
  explicit UserError(const std::string& message) : Error(message, ExitStatus::UserError) {}
};

}  // namespace lockstep::base

namespace lockstep {
using base::Error;
using base::ExitStatus;
using base::UserError;
}  // namespace lockstep
