#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foreign_runs/appended_lines.h"
#include "engine/foreign_runs/run_log.h"

namespace lockstep::foreign_runs {

/// MLflow's file store: a file per metric with a line `milliseconds value step` per value. Values
/// of several metrics at one step become one record. As MLflow draws them, values are in the order
/// of their steps, however they were logged; of one step the last counts. MLflow writes 0 for a
/// metric that is logged without steps: its values are counted from 0.
class MetricFiles : public RunLog {
 public:
  /// folder: `metrics` of a run.
  explicit MetricFiles(fs::path folder) : folder_(std::move(folder)) {}

  bool addAppended(RecordStream& stream, Faults& faults) override;

 private:
  struct Value {
    std::int64_t step = 0;
    double seconds = 0;  ///< since 1970
    double value = 0;
  };
  struct Metric {
    explicit Metric(fs::path file) : lines(std::move(file)) {}
    AppendedLines lines;
    std::size_t tag = 0;
    bool isUnreadable = false;
    std::vector<Value> values;  ///< by step
    std::size_t added = 0;      ///< number of values that the stream has
    bool hasNoSteps() const {
      return values.size() > 1 && values.front().step == 0 && values.back().step == 0;
    }
  };
  bool findMetrics(RecordStream& stream);
  static bool readMetric(Metric& metric, Faults& faults);
  static bool addLine(Metric& metric, std::string_view line);
  static void arrangeByStep(Metric& metric, std::size_t firstNew);
  void addByStep(RecordStream& stream);

  fs::path folder_;
  std::map<std::string, Metric> metrics_;  ///< by name
};

/// A file below a folder, by its path relative to it: MLflow's names have slashes.
using NamedFiles = std::map<std::string, fs::path>;
/// All of them, not through symlinks. Throws Error.
NamedFiles filesBelow(const fs::path& folder);

/// The step in a line of a metric's file; nullopt: it is none.
std::optional<std::int64_t> stepOfMetricLine(std::string_view line);

}  // namespace lockstep::foreign_runs
