#pragma once

#include <QCoreApplication>
#include <QString>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/runs/open/evaluation_plan.h"
#include "app/runs/open/run_history.h"
#include "engine/events/media.h"
#include "engine/events/reader.h"
#include "engine/foreign_runs/run_reader.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// Reads a run, and later what was appended to it. It moves to a worker thread and back, so only
/// one thread uses it at a time.
class RunTail {
  Q_DECLARE_TR_FUNCTIONS(RunController)

 public:
  /// Results of the last read(); the caller takes `whole`, `records`, `error` and `leftOut`.
  run_folder::RunSummary summary;
  std::optional<foreign_runs::Source> program;  ///< whose run it is; nullopt: ours
  std::optional<RunHistory> whole;              ///< of the first read, or of one that starts over
  std::vector<events::Record> records;          ///< of later ones
  std::vector<std::int64_t> checkpointSteps;
  bool hasConfig = false;
  std::optional<EvaluationPlan> evaluationPlan;
  QString error;
  events::MediaTags media;  ///< tags of another program's records that no page shows
  QString leftOut;          ///< what of the run's files is lost or could not be read

  double smoothing = 0.6;  ///< of `whole`

  /// Reads records after `since`; nullopt: run.json only, since the socket sends the records.
  /// Blocks; throws nothing.
  void read(const std::filesystem::path& folder, std::optional<std::int64_t> since);

 private:
  /// Detects whether a file that could not be read has changed since.
  struct Stamp {
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type changed{};
    bool operator==(const Stamp&) const = default;
    static Stamp of(const std::filesystem::path& file);
  };
  struct Broken {
    Stamp stamp;
    QString error;
  };
  void readOwn(const std::filesystem::path& folder, std::optional<std::int64_t> since,
               Stamp& stamp);
  void readEvents(const std::filesystem::path& file, std::int64_t since);
  bool hasEndedAfter(std::int64_t step) const;
  void noteMissing(const std::filesystem::path& folder);
  void readPlan(const run_folder::Layout& layout);
  void readForeign(const std::filesystem::path& folder);

  std::optional<events::Reader> reader_;
  std::optional<foreign_runs::ForeignRun> foreign_;
  std::optional<foreign_runs::RunReader> foreignReader_;
  int planAttempt_ = 0;  ///< attempt of evaluationPlan
  int attempt_ = 0;
  std::int64_t lastStep_ = 0;  ///< of the records that were read
  std::optional<Broken> broken_;
};

}  // namespace lockstep::app
