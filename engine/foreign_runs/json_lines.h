#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foreign_runs/appended_lines.h"
#include "engine/foreign_runs/run_log.h"

namespace lockstep::foreign_runs {

/// How a program writes a file of one JSON object per line.
enum class Dialect {
  Detectron2,  ///< metrics.json: `iteration`
  MmEngine,    ///< scalars.json: `step`; of a training step also `iter` and perhaps `epoch`
};

/// Values without a time of day: it is `started` and what the training steps between took, by
/// their `time`, so that pauses and evaluations do not count.
class JsonLines : public RunLog {
 public:
  /// started: seconds since 1970, 0: unknown.
  JsonLines(Dialect dialect, fs::path file, double started)
      : dialect_(dialect), lines_(std::move(file)), time_(started) {}

  bool addAppended(RecordStream& stream, Faults& faults) override;

 private:
  /// Numbers of the keys with a meaning of their own.
  struct Keys {
    std::size_t iteration, step, iter, time, trainTime;
  };
  bool parse(std::string_view line, RecordStream& stream);
  bool addLine(RecordStream& stream);
  std::optional<std::int64_t> takeStep(std::size_t key);
  void markAsEvaluation(RecordStream& stream);
  void passTime(std::int64_t step);

  Dialect dialect_;
  AppendedLines lines_;
  simdjson::ondemand::parser parser_;
  std::optional<Keys> keys_;
  std::vector<ForeignPoint> points_;  ///< of the line
  double time_;
  double stepSeconds_ = 0;  ///< the last known
  std::optional<std::int64_t> lastTrainingStep_;
};

/// The step of a line, as JsonLines counts them; nullopt: it has none.
std::optional<std::int64_t> lastStepIn(Dialect dialect, std::string_view line);

}  // namespace lockstep::foreign_runs
