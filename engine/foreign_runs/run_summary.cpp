#include "engine/foreign_runs/run_summary.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/file_text.h"
#include "engine/events/event_message.h"
#include "engine/events/record_frame.h"
#include "engine/foreign_runs/event_files.h"
#include "engine/foreign_runs/json_lines.h"
#include "engine/foreign_runs/metric_files.h"
#include "engine/foreign_runs/mlflow_meta.h"
#include "engine/foreign_runs/run_files.h"

namespace lockstep::foreign_runs {
namespace {

/// Records or lines at the end of a log, among which is one of a training step.
constexpr std::size_t kLast = 64;

double changeOf(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return 0;
  return static_cast<double>(facts.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(facts.st_mtim.tv_nsec);
}

/// The end of a file, without the line that it cuts and without one that has no end yet.
std::string lastLines(const fs::path& file) {
  constexpr std::streamoff kBytes = 1 << 16;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  if (!stream || size <= 0) return {};
  const std::streamoff begin = std::max<std::streamoff>(0, size - kBytes);
  std::string text(static_cast<std::size_t>(size - begin) + AppendedLines::kPaddingBytes, '\0');
  stream.seekg(begin);
  stream.read(text.data(), size - begin);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (begin > 0)
    text.erase(0, text.find('\n') == std::string::npos ? text.size() : text.find('\n') + 1);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n'));
  return text;
}

/// Calls `visit` for the last lines, from the end on, until it returns true.
template <typename Visit>
void visitLastLines(const fs::path& file, const Visit& visit) {
  const std::string text = lastLines(file);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t begin = rest.rfind('\n') + 1;  // 0: npos
    std::string line(rest.substr(begin));
    line.reserve(line.size() + AppendedLines::kPaddingBytes);
    if (visit(line)) return;
    rest = rest.substr(0, begin == 0 ? 0 : begin - 1);
  }
}

/// The step of the last line that has one. It need not be the highest: a resumed run goes back.
std::optional<std::int64_t> lastStepInLines(const fs::path& file, Dialect dialect) {
  std::optional<std::int64_t> last;
  visitLastLines(file, [&](const std::string& line) {
    last = lastStepIn(dialect, line);
    return last.has_value();
  });
  return last;
}

/// Passes over the records by their lengths and parses the last ones.
std::optional<std::int64_t> lastStepInEvents(const fs::path& file) {
  const base::FileText text = base::FileText::map(file);
  std::string_view rest = text.view();
  std::deque<std::string_view> last;
  for (;;) {
    const events::Frame frame = events::readFrame(rest);
    const bool isPassed = frame.status == events::Frame::Status::Whole ||
                          frame.status == events::Frame::Status::Damaged;
    if (!isPassed) break;
    if (frame.status == events::Frame::Status::Whole) last.push_back(frame.data);
    if (last.size() > kLast) last.pop_front();
    rest.remove_prefix(frame.bytes);
  }
  std::optional<std::int64_t> step;
  events::EventMessage message;
  for (const std::string_view data : last) {
    if (events::parseEvent(data, message) && message.kind == events::Record::Kind::Scalars)
      step = std::max(step.value_or(message.step), message.step);
  }
  return step;
}

void addEvents(const ForeignRun& run, ForeignRunSummary& summary) {
  const std::vector<fs::path> files = eventFilesIn(run.folder);
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    summary.changed = std::max(summary.changed, changeOf(*file));
    if (!summary.lastStep) summary.lastStep = lastStepInEvents(*file);
  }
}

void addMlFlow(const ForeignRun& run, ForeignRunSummary& summary) {
  summary.changed = changeOf(run.folder / "meta.yaml");
  if (const auto meta = readMlFlowMeta(run.folder / "meta.yaml")) {
    if (!meta->runName.empty()) summary.name = meta->runName;
    summary.state = meta->state;
  }
  // Also renamed there; older versions have the name nowhere else.
  const fs::path nameFile = run.folder / "tags/mlflow.runName";
  std::error_code unknown;
  std::ifstream named;
  if (fs::is_regular_file(nameFile, unknown)) named.open(nameFile);
  if (std::string name; std::getline(named, name) && !name.empty()) summary.name = name;
  for (const auto& [name, file] : filesBelow(run.folder / "metrics")) {
    summary.changed = std::max(summary.changed, changeOf(file));
    visitLastLines(file, [&](const std::string& line) {
      if (const auto step = stepOfMetricLine(line))
        summary.lastStep = std::max(summary.lastStep.value_or(*step), *step);
      return false;
    });
  }
}

void addMaxSteps(const ForeignRun& run, ForeignRunSummary& summary) {
  const auto parameters = parametersOf(run);
  const auto found = parameters.find("SOLVER.MAX_ITER");
  if (found == parameters.end()) return;
  std::int64_t steps = 0;
  const char* const end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, steps).ptr == end && steps > 0)
    summary.maxSteps = steps;
}

}  // namespace

ForeignRunSummary summarise(const ForeignRun& run) {
  ForeignRunSummary summary;
  summary.name = run.name;
  const auto attempt = [](const auto& act) {
    try {
      act();
    } catch (const Error&) {
    }
  };
  attempt([&] { summary.started = startOf(run); });
  switch (run.source) {
    case Source::TensorBoard:
      attempt([&] { addEvents(run, summary); });
      break;
    case Source::Detectron2:
    case Source::MmEngine: {
      const fs::path file = linesOf(run);
      const Dialect dialect =
          run.source == Source::Detectron2 ? Dialect::Detectron2 : Dialect::MmEngine;
      summary.changed = changeOf(file);
      summary.lastStep = lastStepInLines(file, dialect);
      if (run.source == Source::Detectron2) attempt([&] { addMaxSteps(run, summary); });
      break;
    }
    case Source::MlFlow:
      attempt([&] { addMlFlow(run, summary); });
      break;
  }
  return summary;
}

}  // namespace lockstep::foreign_runs
