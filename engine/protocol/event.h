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

/// The events of a run, in its event log and on the socket. Every event has the number of its
/// record (seq), its step and its wall time in seconds. To add one: a struct, an alternative of
/// Event, and its members in event_members.h.
namespace lockstep::protocol {

struct Scalars {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::vector<std::pair<std::string, float>> values;  ///< when decoded: sorted by tag
};

/// The first event of every attempt.
struct Config {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string experiment{};  ///< resolved, as config.yaml
};

struct RunError {
  std::string message;
  int rank = 0;
  std::string host;
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase;  ///< empty: unknown
  std::string collective;
  base::OpenEnum<FailureCause> cause;
  std::string checkpoint{};  ///< path of the last one if it could not be written to the run folder
};
struct State {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  base::OpenEnum<RunState> state{};
  std::optional<RunError> error{};
};

/// Log lines that programs interpret: alerts::AlertDetector raises alerts for them.
enum class LogKind {
  CheckpointFailed,  ///< a checkpoint could not be written
  WriteFailed,       ///< any other write error
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
  base::OpenEnum<LogKind> kind{};  ///< empty: only for humans
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

/// alerts::AlertDetector and its rules (alerts/rules/) define the conditions.
enum class AlertKind {
  NonFinite,
  LossJump,
  Overfitting,
  SlowRank,
  CheckpointFailed,
  WriteFailed,
  RunFailed,
  GradientImbalance,
  WeightNormJump,
  LearningRateTooHigh,
  LearningRateTooLow,
  ShortWarmup,
  Plateau,
  AnchorMismatch,
  ClassNotFound,
  DataStarved,
  ConstantClipping,
  DeadPart,
  ExplodingPart
};
constexpr auto enumTexts(AlertKind) {
  using enum AlertKind;
  return std::to_array<base::EnumText<AlertKind>>({{NonFinite, "non_finite"},
                                                   {LossJump, "loss_jump"},
                                                   {Overfitting, "overfitting"},
                                                   {SlowRank, "slow_rank"},
                                                   {CheckpointFailed, "checkpoint_failed"},
                                                   {WriteFailed, "write_failed"},
                                                   {RunFailed, "run_failed"},
                                                   {GradientImbalance, "gradient_imbalance"},
                                                   {WeightNormJump, "weight_norm_jump"},
                                                   {LearningRateTooHigh, "lr_too_high"},
                                                   {LearningRateTooLow, "lr_too_low"},
                                                   {ShortWarmup, "short_warmup"},
                                                   {Plateau, "plateau"},
                                                   {AnchorMismatch, "anchor_mismatch"},
                                                   {ClassNotFound, "class_not_found"},
                                                   {DataStarved, "data_starved"},
                                                   {ConstantClipping, "constant_clipping"},
                                                   {DeadPart, "dead_part"},
                                                   {ExplodingPart, "exploding_part"}});
}
enum class Severity { Warning, Error };
constexpr auto enumTexts(Severity) {
  using enum Severity;
  return std::to_array<base::EnumText<Severity>>({{Warning, "warning"}, {Error, "error"}});
}
/// A warning for the user, with its evidence.
struct Alert {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  base::OpenEnum<AlertKind> kind{};
  base::OpenEnum<Severity> severity{};
  std::string text{};               ///< the problem and the remedy
  std::vector<std::string> tags{};  ///< of the scalars that show the problem
  std::int64_t from = 0;            ///< range of steps that shows it
  std::int64_t to = 0;
  std::string key{};    ///< advice: the experiment key to set; else empty
  std::string value{};  ///< advice: the value to set
};

using Event = std::variant<Scalars, Config, State, Log, Checkpoint, Evaluation, Predictions, Alert>;

inline std::int64_t seqOf(const Event& event) {
  return std::visit([](const auto& held) { return held.seq; }, event);
}

inline std::int64_t stepOf(const Event& event) {
  return std::visit([](const auto& held) { return held.step; }, event);
}

/// The JSON of an event, except Scalars, in the event log: without v and seq.
std::string encodeEvent(const Event& event);
/// Decodes such JSON; seq, step and time are those of the record. Throws Error.
Event decodeEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time);

}  // namespace lockstep::protocol
