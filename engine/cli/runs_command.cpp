#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/commands.h"
#include "engine/cli/data_table.h"
#include "engine/cli/input_path.h"
#include "engine/cli/run_history_facts.h"
#include "engine/cli/start_queued.h"
#include "engine/config/losses.h"
#include "engine/foreign_runs/run_summary.h"
#include "engine/pack/packed_run.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/run_notes.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct RunsOptions {
  std::string folder, target;
  bool asTable = false, all = false, startQueued = false;
  std::optional<TableFormat> format;
};

TableCell timeCell(double seconds) {
  return seconds > 0 ? TableCell(seconds, base::timestampIso8601(seconds)) : TableCell();
}

std::string stepsText(const run_folder::RunInfo& info) {
  return std::to_string(info.step) + "/" + std::to_string(info.maxSteps);
}

/// A run and what people say of it.
struct OwnRun {
  run_folder::RunSummary summary;
  run_folder::RunNotes notes;
};
struct OtherRun {
  foreign_runs::ForeignRun run;
  run_folder::RunNotes notes;
};

/// What the runs of a list have: columns without it are not shown to people.
struct ListContents {
  bool hasPrograms = false, hasTags = false, hasPinned = false;
  void add(const run_folder::RunNotes& notes) {
    hasTags |= !notes.tags.empty();
    hasPinned |= notes.pinned;
  }
};

std::vector<TableColumn> listColumns(const ListContents& contents) {
  return {{"run", "RUN"},
          {"state", "STATE"},
          {"step", "STEP"},
          {"max_steps", ""},
          {"best_metric", "BEST"},
          {"best_value", ""},
          {"best_step", ""},
          {"created", "CREATED"},
          {"queue_position", ""},
          {"program", contents.hasPrograms ? "PROGRAM" : ""},
          {"name", ""},
          {"tags", contents.hasTags ? "TAGS" : ""},
          {"note", ""},
          {"archived", ""},
          {"pinned", contents.hasPinned ? "PINNED" : ""},
          {"folder", ""}};
}

/// name: what it is called, if that is not the first cell.
void addNotes(std::vector<TableCell>& row, const std::string& name,
              const run_folder::RunNotes& notes) {
  if (!name.empty()) row[0].shown += " (" + base::shortened(name) + ")";
  if (notes.archived) row[1].shown += ", archived";
  row.push_back(name.empty() ? TableCell() : TableCell(name));
  row.emplace_back(notes.tags);
  row.push_back(notes.note.empty() ? TableCell() : TableCell(notes.note));
  row.emplace_back(notes.archived);
  row.emplace_back(notes.pinned);
}

std::string folderText(const fs::path& folder) {
  return fs::absolute(folder).lexically_normal().string();
}

std::vector<TableCell> listRow(const OwnRun& run) {
  const run_folder::RunInfo& info = run.summary.info;
  std::vector<TableCell> row{run.summary.folder.filename().string(), std::string(info.state.text()),
                             info.step, info.maxSteps};
  row[2].shown = stepsText(info);
  if (info.best) {
    row.emplace_back(info.best->metric);
    row.back().shown += " " + base::shortNumber(info.best->value, 4) + " at step " +
                        std::to_string(info.best->step);
    row.emplace_back(info.best->value, base::shortNumber(info.best->value, 4));
    row.emplace_back(info.best->step);
  } else {
    row.insert(row.end(), 3, TableCell());
  }
  row.push_back(timeCell(info.created));
  row.emplace_back();
  if (info.queuePosition) {
    row.back() = TableCell(std::int64_t{*info.queuePosition});
    row[1].shown += " (" + row.back().shown + ")";
  }
  row.emplace_back(std::string("Lockstep"));
  addNotes(row, run.notes.name, run.notes);
  row.emplace_back(folderText(run.summary.folder));
  return row;
}

std::vector<TableCell> foreignRow(const OtherRun& other) {
  const foreign_runs::ForeignRun& run = other.run;
  const foreign_runs::ForeignRunSummary summary = foreign_runs::summarise(run);
  std::vector<TableCell> row{run.name};
  row.push_back(summary.state ? TableCell(base::textOf(*summary.state)) : TableCell());
  row.push_back(summary.lastStep ? TableCell(*summary.lastStep) : TableCell());
  row.push_back(summary.maxSteps ? TableCell(*summary.maxSteps) : TableCell());
  if (summary.lastStep && summary.maxSteps) row[2].shown += "/" + row[3].shown;
  row.insert(row.end(), 3, TableCell());
  row.push_back(timeCell(summary.started));
  row.emplace_back();
  row.emplace_back(std::string(base::textOf(run.source)));
  const std::string name = summary.name == run.name ? "" : summary.name;
  addNotes(row, other.notes.name.empty() ? name : other.notes.name, other.notes);
  row.emplace_back(folderText(run.folder));
  return row;
}

std::vector<TableColumn> paperColumns(const MetricTarget* target) {
  std::vector<TableColumn> columns{
      {"run", "RUN"},           {"state", "STATE"},     {"step", "STEPS"},
      {"max_steps", ""},        {"epochs", "EPOCHS"},   {"trained_seconds", "TRAINED"},
      {"batch_size", "BATCH"},  {"ranks", "DEVICES"},   {"device", ""},
      {"backbone", "BACKBONE"}, {"segm/AP", "MASK AP"}, {"segm/AP_step", ""},
      {"bbox/AP", "BOX AP"},    {"bbox/AP_step", ""},   {"loss_total", "VALIDATION LOSS"},
      {"loss_total_step", ""}};
  if (target != nullptr) {
    const std::string wanted = target->metric + (config::isLoss(target->metric) ? " <= " : " >= ") +
                               base::shortNumber(target->value);
    columns.push_back({"target_step", "STEPS TO " + wanted});
    columns.push_back({"target_minutes", "MINUTES"});
  }
  return columns;
}

std::string fixed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Where it trained, as its newest checkpoint says, or else the experiment; "" if neither does.
std::string deviceOf(const run_folder::Layout& run,
                     const std::optional<config::Experiment>& experiment) {
  try {
    const auto steps = run_folder::checkpointSteps(run);
    const std::string device =
        steps.empty() ? "" : run_folder::readTrainingState(run.checkpoint(steps.back())).device;
    if (!device.empty()) return device;
  } catch (const Error& error) {
    base::logWarning("runs", error.what());
  }
  const bool isSet = experiment && experiment->runtime.device;
  return isSet ? base::textOf(*experiment->runtime.device) : "";
}

/// 1:02:03
std::string durationText(double seconds) {
  const auto all = static_cast<std::int64_t>(std::llround(seconds));
  char text[40];
  std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(all / 3600),
                static_cast<long long>(all / 60 % 60), static_cast<long long>(all % 60));
  return text;
}

void addMetric(std::vector<TableCell>& row, const std::optional<MetricAtStep>& metric) {
  if (!metric) {
    row.insert(row.end(), 2, TableCell());
    return;
  }
  row.emplace_back(metric->value, fixed("%.4f", metric->value));
  row.emplace_back(metric->step);
}

/// The experiment's part; cells without a value if its config.yaml cannot be read.
void addExperiment(std::vector<TableCell>& row, const run_folder::RunSummary& run) {
  std::optional<config::Experiment> experiment;
  try {
    experiment = run_folder::readRunExperiment(run_folder::Layout(run.folder));
  } catch (const Error& error) {
    base::logWarning("runs", error.what());
  }
  row.push_back(experiment ? TableCell(std::int64_t{experiment->solver.batchSize}) : TableCell());
  row.emplace_back(std::int64_t{run.info.ranks});
  const std::string device = deviceOf(run_folder::Layout(run.folder), experiment);
  if (!device.empty()) row.back().shown += " x " + device;
  row.push_back(device.empty() ? TableCell() : TableCell(device));
  row.push_back(experiment ? TableCell(experiment->model.backbone) : TableCell());
}

std::vector<TableCell> paperRow(const run_folder::RunSummary& run, const MetricTarget* target) {
  const run_folder::RunInfo& info = run.info;
  std::vector<TableCell> row{run.folder.filename().string(), std::string(info.state.text()),
                             info.step, info.maxSteps};
  row[2].shown = stepsText(info);
  if (info.stepsPerEpoch.value_or(0) > 0) {
    const double epochs = static_cast<double>(info.step) / *info.stepsPerEpoch;
    row.emplace_back(epochs, fixed("%.1f", epochs));
  } else {
    row.emplace_back();
  }
  RunHistoryFacts facts;
  try {
    facts = readHistoryFacts(run_folder::Layout(run.folder), target);
  } catch (const Error& error) {
    base::logWarning("runs", error.what());
  }
  row.push_back(facts.trainedSeconds
                    ? TableCell(*facts.trainedSeconds, durationText(*facts.trainedSeconds))
                    : TableCell());
  addExperiment(row, run);
  addMetric(row, facts.bestMaskAp);
  addMetric(row, facts.bestBoxAp);
  addMetric(row, facts.lowestHeldOutLoss);
  if (target == nullptr) return row;
  if (facts.target) {
    row.emplace_back(facts.target->step);
    const double minutes = facts.target->seconds / 60;
    row.emplace_back(minutes, fixed("%.1f", minutes));
  } else {
    row.insert(row.end(), 2, TableCell());
  }
  return row;
}

std::vector<run_folder::RunSummary> runsIn(const fs::path& parent, bool isNamed) {
  if (isNamed && !isFolder(parent)) throw UserError(parent.string() + ": no such folder");
  std::vector<run_folder::RunSummary> runs = run_folder::listRuns(parent);
  if (runs.empty() && run_folder::isRunFolder(parent)) {
    throw UserError(parent.string() + ": is itself a run; give the folder that contains it, " +
                    realPath(parent).parent_path().string());
  }
  return runs;
}

/// The defaults, with a warning, if the file is damaged.
template <typename Read>
auto readNotes(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Error& error) {
    base::logWarning("runs", error.what());
    return {};
  }
}

void warnOf(const run_folder::RunSummary& run) {
  if (run.info.error && run.info.error->cause == protocol::FailureCause::RunJson)
    base::logWarning("runs", run.info.error->message);
  if (run.info.error && run_folder::isInQueue(run.info))
    base::logWarning("runs", run.folder.string() + ": " + run.info.error->message);
}

std::vector<OwnRun> ownRunsIn(const fs::path& parent, bool isNamed) {
  if (pack::isPackedRun(parent)) {
    OwnRun run{{.folder = parent, .info = pack::readPackedRunInfo(parent)}, {}};
    run.notes.name = run.summary.info.name;
    return {run};
  }
  std::vector<OwnRun> runs;
  for (run_folder::RunSummary& run : runsIn(parent, isNamed)) {
    warnOf(run);
    const run_folder::Layout layout(run.folder);
    runs.push_back({std::move(run), readNotes([&] { return run_folder::readRunNotes(layout); })});
  }
  return runs;
}

std::vector<OtherRun> otherRunsIn(const fs::path& parent) {
  const foreign_runs::FoundRuns found = foreign_runs::findRuns(parent);
  if (!found.isComplete)
    base::logWarning("runs", parent.string() +
                                 ": has more folders than are searched for runs of other programs");
  std::vector<OtherRun> runs;
  if (found.runs.empty()) return runs;
  using run_folder::NotesByFolder;
  const auto notes = readNotes([] { return NotesByFolder::read(NotesByFolder::defaultFile()); });
  for (const foreign_runs::ForeignRun& run : found.runs)
    runs.push_back({run, notes.of(run.folder)});
  return runs;
}

/// Says on standard error how many there were.
void leaveOutArchived(std::vector<OwnRun>& own, std::vector<OtherRun>& others) {
  const auto isArchived = [](const auto& run) { return run.notes.archived; };
  const std::size_t count = std::erase_if(own, isArchived) + std::erase_if(others, isArchived);
  if (count > 0) std::fprintf(stderr, "%zu archived: --all lists them\n", count);
}

fs::path parentOf(const RunsOptions& options) {
  return options.folder.empty() ? run_folder::runsFolder() : fs::path(options.folder);
}

/// Whether the user says which folder it is; ./runs need not exist.
bool isNamed(const RunsOptions& options) {
  const char* variable = std::getenv("LOCKSTEP_RUNS");
  return !options.folder.empty() || (variable != nullptr && *variable != '\0');
}

int startQueued(const RunsOptions& options) {
  if (options.asTable || options.all || options.format || !options.target.empty()) {
    throw UserError(
        "--start-queued: prints the folders of the runs that wait again: omit --table, --target, "
        "--all and --format");
  }
  runsIn(parentOf(options), isNamed(options));
  return startQueuedRuns(parentOf(options));
}

DataTable paperTable(const std::vector<OwnRun>& runs, const MetricTarget* target) {
  DataTable table{paperColumns(target), {}};
  for (const OwnRun& run : runs) table.rows.push_back(paperRow(run.summary, target));
  return table;
}

DataTable listTable(const std::vector<OwnRun>& own, const std::vector<OtherRun>& others) {
  ListContents contents;
  contents.hasPrograms = !others.empty();
  DataTable table;
  for (const OwnRun& run : own) {
    contents.add(run.notes);
    table.rows.push_back(listRow(run));
  }
  for (const OtherRun& run : others) {
    contents.add(run.notes);
    table.rows.push_back(foreignRow(run));
  }
  table.columns = listColumns(contents);
  return table;
}

int listRuns(const RunsOptions& options) {
  if (!options.target.empty() && !options.asTable) throw UserError("--target is for --table");
  std::optional<MetricTarget> target;
  if (!options.target.empty()) target = parseTarget(options.target);
  const fs::path parent = parentOf(options);
  if (options.asTable && pack::isPackedRun(parent))
    throw UserError("--table: is for folders of runs, and " + parent.string() +
                    " is a packed run: omit it");
  std::vector<OwnRun> own = ownRunsIn(parent, isNamed(options));
  // The table for papers has what our own runs alone record.
  std::vector<OtherRun> others = options.asTable ? std::vector<OtherRun>() : otherRunsIn(parent);
  const TableFormat format = options.format.value_or(TableFormat::Text);
  const bool isForPeople = format == TableFormat::Text || format == TableFormat::Markdown;
  const bool hasRuns = !own.empty() || !others.empty();
  // As CSV and JSON the list has a column that tells them.
  if (!options.all && (isForPeople || options.asTable)) leaveOutArchived(own, others);
  const DataTable table =
      options.asTable ? paperTable(own, target ? &*target : nullptr) : listTable(own, others);
  if (!hasRuns) base::printMessage(parent.string() + ": no runs");
  if (!table.rows.empty() || !isForPeople) std::fputs(formatTable(table, format).c_str(), stdout);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addRunsCommand(Command& program) {
  Command command = program.command(
      "runs",
      "List the runs in a folder, newest first; then those of other programs in it and below");
  auto options = std::make_shared<RunsOptions>();
  command
      .option("folder", options->folder,
              "Folder of the runs, or a packed run (default: $LOCKSTEP_RUNS or ./runs)")
      .metavar("DIR");
  command.flag(
      "--table", options->asTable,
      "As a table for papers: time trained, batch, devices and best metrics, each the best "
      "of all evaluations");
  command
      .option("--target", options->target,
              "Add steps and minutes to the first evaluation that reaches this value, such as "
              "segm/AP=0.377, to --table")
      .metavar("METRIC=VALUE");
  command.option("--format", options->format, "Output format (default: text)");
  command.flag("--all", options->all,
               "List archived runs too; as CSV and JSON the list has them anyway");
  command.flag("--start-queued", options->startQueued,
               "Queue the runs again that waited when the machine was restarted, or whose waiting "
               "process is gone; prints their folders");
  command.run(
      [options] { return options->startQueued ? startQueued(*options) : listRuns(*options); });
}

}  // namespace lockstep::cli
