#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/foreign_runs/run_reader.h"
#include "engine/protocol/messages.h"

namespace lockstep::cli {

/// Which values of a log of another program were replaced later, after a resume from an older
/// checkpoint.
class ReplacedValues {
 public:
  /// All records of a log, in their order.
  void add(const events::RecordView& record);
  bool contains(std::size_t tag, std::int64_t seq, std::int64_t step) const;
  bool isEmpty() const { return cuts_.empty(); }
  /// The last record that has values; -1: none.
  std::int64_t newestSeq() const { return newestSeq_; }
  std::int64_t newestStep() const { return newestStep_; }
  /// The last one at all.
  std::int64_t lastSeq() const { return lastSeq_; }

 private:
  struct Cut {
    std::int64_t seq = 0;
    std::int64_t step = 0;  ///< values from here on, of earlier records, are replaced
  };
  std::map<std::size_t, std::vector<Cut>> cuts_;  ///< by tag, in ascending order of both members
  std::int64_t newestSeq_ = -1, newestStep_ = 0, lastSeq_ = -1;
};

/// A run of another program, with the messages of a run of ours: its records, also those that are
/// appended later, and its status. Other requests are refused: only its curves are read.
class AttachedForeignRun {
 public:
  explicit AttachedForeignRun(foreign_runs::ForeignRun run) : run_(std::move(run)) {}

  /// Gets each line, without its newline.
  using Send = std::function<void(const std::string& line)>;
  /// Blocks while it reads the run's files, and while `send` does. Throws Error when nothing of the
  /// run can be read.
  void answer(const protocol::ClientMessage& message, const Send& send);
  /// Sends what was appended since a hello; everything anew, after a reset, when the files were
  /// replaced or the program has resumed. As answer().
  void sendAppended(const Send& send);

 private:
  void greet(const protocol::Hello& hello, const Send& send);
  protocol::EngineMessage answerTo(const std::string& id, bool isStatus) const;
  void sendAll(const Send& send);
  bool sendMore(const Send& send);
  void sendRecord(const events::RecordView& record, const Send& send);
  void lookForReplaced();
  std::int64_t newestSentSeq() const;

  foreign_runs::ForeignRun run_;
  ReplacedValues replaced_;                        ///< of the records that were there at first
  std::optional<foreign_runs::RunReader> reader_;  ///< std::nullopt: nobody has said hello
  bool hasResumed_ = false;                        ///< since then
  std::int64_t newestSentSeq_ = -1;                ///< of those records that are sent
};

}  // namespace lockstep::cli
