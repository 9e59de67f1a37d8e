#pragma once

#include <memory>
#include <optional>
#include <string>

namespace lockstep::dist {

/// What ranks on different machines know of one another besides collectives, which only break or
/// hang: every rank says each second where it is, and its last word, in rank 0's store. Rank 0
/// reads those of the ranks on other machines, these read rank 0's. Any thread; never blocks for
/// longer than a lock.
class PeerWatch {
 public:
  virtual ~PeerWatch() = default;
  /// What others may read from now on.
  virtual void say(const std::string& standing) = 0;
  /// Why this rank ends, so that nobody takes it for lost; waits up to two seconds until it is out.
  virtual void sayLast(const std::string& word) = 0;

  struct Loss {
    int rank = 0;
    std::string standing;  ///< the last that it said; empty: nothing
    std::string lastWord;  ///< why it ended, when it could say so
    double silentSeconds = 0;
  };
  /// A rank on another machine that is lost: it ended with a word, or was not heard of for longer
  /// than kSilenceSeconds.
  virtual std::optional<Loss> loss() const = 0;

  static constexpr double kSilenceSeconds = 6;
};

}  // namespace lockstep::dist
