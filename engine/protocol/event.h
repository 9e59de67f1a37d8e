#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/log.h"
#include "engine/base/open_enum.h"
#include "engine/protocol/failure.h"
#include "engine/protocol/run_state.h"

/// What the event log of a run tells, and the socket after it. Every event has the number of its
/// record (seq), the step that it belongs to and its wall time in seconds. A new one: a struct, its
/// place in Event, and its members in event_members.h.
namespace lockstep::protocol {

struct Scalars {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::vector<std::pair<std::string, float>> values;  ///< decoded: in the order of the tags
};

struct RunError {
  std::string message;
  int rank = 0;
  std::string host;
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase;  ///< empty: not known
  std::string collective;
  base::OpenEnum<FailureCause> cause;
  std::string checkpoint{};  ///< where the last one is when the run folder did not take it
};
struct State {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  base::OpenEnum<RunState> state{};
  std::optional<RunError> error{};
};

/// What a line is about, where a program must know: alerts::AlertDetector makes an alert of it.
enum class LogKind {
  CheckpointFailed,  ///< one could not be kept
  WriteFailed,       ///< anything else that the disk refused
};
constexpr auto enumTexts(LogKind) {
  using enum LogKind;
  return std::to_array<base::EnumText<LogKind>>(
      {{CheckpointFailed, "checkpoint_failed"}, {WriteFailed, "write_failed"}});
}
struct Log {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  base::OpenEnum<base::LogLevel> level{};
  std::string text{};
  base::OpenEnum<LogKind> kind{};  ///< empty: for people alone
};

struct Checkpoint {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path{};  ///< relative to the run folder
  bool best = false;
};
struct Evaluation {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path{};
};
struct Predictions {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path{};
};

/// alerts::AlertDetector says when.
enum class AlertKind {
  NonFinite,
  LossJump,
  Overfitting,
  SlowRank,
  CheckpointFailed,
  WriteFailed,
  RunFailed
};
constexpr auto enumTexts(AlertKind) {
  using enum AlertKind;
  return std::to_array<base::EnumText<AlertKind>>({{NonFinite, "non_finite"},
                                                   {LossJump, "loss_jump"},
                                                   {Overfitting, "overfitting"},
                                                   {SlowRank, "slow_rank"},
                                                   {CheckpointFailed, "checkpoint_failed"},
                                                   {WriteFailed, "write_failed"},
                                                   {RunFailed, "run_failed"}});
}
enum class Severity { Warning, Error };
constexpr auto enumTexts(Severity) {
  using enum Severity;
  return std::to_array<base::EnumText<Severity>>({{Warning, "warning"}, {Error, "error"}});
}
/// What a person is to be told, with its evidence.
struct Alert {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  base::OpenEnum<AlertKind> kind{};
  base::OpenEnum<Severity> severity{};
  std::string text{};               ///< what, and what one can do
  std::vector<std::string> tags{};  ///< of the scalars that show it
  std::int64_t from = 0;            ///< steps between which they do
  std::int64_t to = 0;
  std::string key{};    ///< of advice: the key of the experiment to set; else empty
  std::string value{};  ///< of advice: what to set it to
};

using Event = std::variant<Scalars, State, Log, Checkpoint, Evaluation, Predictions, Alert>;

inline std::int64_t seqOf(const Event& event) {
  return std::visit([](const auto& held) { return held.seq; }, event);
}

inline std::int64_t stepOf(const Event& event) {
  return std::visit([](const auto& held) { return held.step; }, event);
}

/// The JSON of any event but Scalars as it stands in the event log: no v, no seq.
std::string encodeEvent(const Event& event);
/// The event of such a JSON, with seq, step and time of its record. Throws Error.
Event decodeEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time);

}  // namespace lockstep::protocol
