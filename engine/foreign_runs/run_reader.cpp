#include "engine/foreign_runs/run_reader.h"

#include "engine/foreign_runs/event_files.h"
#include "engine/foreign_runs/json_lines.h"
#include "engine/foreign_runs/metric_files.h"
#include "engine/foreign_runs/run_files.h"

namespace lockstep::foreign_runs {
namespace {

std::unique_ptr<RunLog> logOf(const ForeignRun& run) {
  switch (run.source) {
    case Source::TensorBoard:
      break;
    case Source::Detectron2:
      return std::make_unique<JsonLines>(Dialect::Detectron2, linesOf(run), startOf(run));
    case Source::MmEngine:
      return std::make_unique<JsonLines>(Dialect::MmEngine, linesOf(run), startOf(run));
    case Source::MlFlow:
      return std::make_unique<MetricFiles>(run.folder / "metrics");
  }
  return std::make_unique<EventFiles>(run.folder);
}

}  // namespace

RunReader::RunReader(const ForeignRun& run)
    : log_(logOf(run)),
      stream_(std::make_unique<RecordStream>(run.source == Source::MlFlow
                                                 ? RecordStream::Resumes::EachTag
                                                 : RecordStream::Resumes::WholeRun)) {}

RunReader::RunReader(const std::vector<fs::path>& eventFiles)
    : log_(std::make_unique<EventFiles>(eventFiles)),
      stream_(std::make_unique<RecordStream>(RecordStream::Resumes::WholeRun)) {}

RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

const events::MediaTags& RunReader::media() const { return log_->media(); }

bool RunReader::visitAppended(const Visitor& visitor) {
  stream_->start(visitor);
  const bool isContinued = log_->addAppended(*stream_, faults_);
  stream_->finish();
  return isContinued;
}

}  // namespace lockstep::foreign_runs
