#pragma once

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/protocol/failure.h"

namespace lockstep::dist {

/// An error of one rank, thrown on all of them.
class RankError : public Error {
 public:
  RankError(const std::string& message, protocol::FailureCause cause, int rank, std::string host)
      : Error(message), cause_(cause), rank_(rank), host_(std::move(host)) {}
  protocol::FailureCause cause() const { return cause_; }
  int rank() const { return rank_; }
  const std::string& host() const { return host_; }

 private:
  protocol::FailureCause cause_;
  int rank_;
  std::string host_;
};

/// Bytes that one rank sends to the others.
std::string encode(const RankError& error);
RankError decodeRankError(const std::string& bytes);

}  // namespace lockstep::dist
