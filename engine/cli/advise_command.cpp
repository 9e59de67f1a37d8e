#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/alerts/alert_detector.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/cli/run_argument.h"
#include "engine/events/event_record.h"
#include "engine/events/tags.h"
#include "engine/foreign_runs/event_files.h"
#include "engine/foreign_runs/run_files.h"
#include "engine/foreign_runs/run_reader.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct AdviseOptions {
  std::vector<std::string> logs;
  std::string out;
};

std::vector<fs::path> eventFiles(const std::vector<std::string>& logs) {
  std::vector<fs::path> files;
  for (const std::string& log : logs) {
    if (!pathExists(log)) throw UserError(log + ": no such run folder or event file");
    if (isFolder(log) && logs.size() > 1)
      throw UserError(log + ": give one run, or the event files of one run");
    if (!isFolder(log) && !isFile(log))
      throw UserError(log + ": is not a regular file; save the log to a file first");
    if (!isFolder(log)) {
      files.emplace_back(log);
      continue;
    }
    files = foreign_runs::eventFilesIn(log);
    if (files.empty())
      throw UserError(
          log +
          ": has no event file (*tfevents*), and is not a run of detectron2, mmengine or MLflow");
  }
  return files;
}

/// What the rules find in the logs of one run, in the order of the events.
class LogReview {
 public:
  void add(foreign_runs::RunReader& reader) {
    const bool isRead =
        reader.visitAppended([&](const events::RecordView& record) { add(record, reader.tags()); });
    if (!isRead) throw Error("the log was replaced while it was read; try again");
  }
  bool isEmpty() const { return isEmpty_; }
  /// Whether a training loss was found, without which the rules know next to nothing.
  bool hasTrainingLoss() const { return hasTrainingLoss_; }
  /// Of all that was added.
  std::vector<protocol::Alert> finish() {
    if (!hasState_) std::ranges::move(detector_.finish(), std::back_inserter(alerts_));
    return std::move(alerts_);
  }

 private:
  void add(const events::RecordView& record, const std::vector<std::string>& tags) {
    isEmpty_ = false;
    const auto isLoss = [&](const events::ScalarView& scalar) {
      return tags[scalar.tag] == events::tags::kTrainTotalLoss;
    };
    const bool hasLoss = std::ranges::any_of(record.scalars, isLoss);
    if (record.kind == events::Record::Kind::SessionStart) {
      // Other programs' losses by epoch may go back at every step, which is no resume.
      if (record.scalars.empty() || hasLoss) forgetFrom(record.step);
    } else if (record.kind == events::Record::Kind::Scalars) {
      hasTrainingLoss_ = hasTrainingLoss_ || hasLoss;
      protocol::Scalars scalars{record.seq, record.step, record.wallTime, {}};
      for (const auto& [tag, value] : record.scalars) scalars.values.emplace_back(tags[tag], value);
      review(scalars);
    } else if (const auto event = events::eventOf(record)) {
      hasState_ = hasState_ || std::holds_alternative<protocol::State>(*event);
      review(*event);
    }
  }

  void review(const protocol::Event& event) {
    std::ranges::move(detector_.add(event), std::back_inserter(alerts_));
  }

  void forgetFrom(std::int64_t step) {
    detector_.forgetFrom(step);
    std::erase_if(alerts_, [step](const protocol::Alert& alert) { return alert.step >= step; });
  }

  alerts::AlertDetector detector_;
  bool isEmpty_ = true, hasState_ = false, hasTrainingLoss_ = false;
  std::vector<protocol::Alert> alerts_;
};

std::string jsonOf(const std::vector<protocol::Alert>& alerts) {
  std::string text = "[";
  for (const protocol::Alert& alert : alerts) {
    std::string json = protocol::encodeEvent(alert);
    json.insert(1, "\"step\":" + std::to_string(alert.step) + ",");
    text += (text.size() > 1 ? ",\n " : "\n ") + json;
  }
  return text + (alerts.empty() ? "]\n" : "\n]\n");
}

std::string alertsText(const std::vector<protocol::Alert>& alerts) {
  std::string text;
  for (const protocol::Alert& alert : alerts) {
    text += "step " + std::to_string(alert.step) + ": " + alert.severity.text() + ": " +
            alert.kind.text() + ": " + alerts::textWithRemedy(alert) + "\n";
  }
  return alerts.empty() ? "no alerts\n" : text;
}

/// The run of another program that a single argument names, other than by its event files.
std::optional<foreign_runs::ForeignRun> foreignRun(const std::vector<std::string>& logs) {
  if (logs.size() != 1 || !pathExists(logs.front()) || !isFolder(logs.front())) return std::nullopt;
  const auto source = foreign_runs::sourceOf(logs.front());
  if (!source || *source == foreign_runs::Source::TensorBoard) return std::nullopt;
  return foreign_runs::ForeignRun{*source, logs.front(), logs.front()};
}

void reportFaults(const LogReview& review, const foreign_runs::Faults& faults) {
  if (!review.hasTrainingLoss())
    std::fputs(
        "no training loss found; known tags are train/loss_total, and total_loss, loss, "
        "train_loss and train_loss_step of other programs\n",
        stderr);
  if (faults.count > 0) {
    const auto others = static_cast<std::uint64_t>(faults.count - 1);
    throw Error(faults.first +
                (others == 0 ? "" : " (and " + base::counted(others, "more error") + ")") +
                "; the advice covers the rest");
  }
}

int advise(const AdviseOptions& options) {
  std::vector<std::string> logs = options.logs;
  std::optional<RunArgument> run;
  std::unique_ptr<base::SignalCleanup> cleanup;
  Inputs inputs;
  if (logs.size() == 1) {
    run.emplace(logs.front());
    cleanup = removedOnSignal({&*run});
    if (run->packed() != nullptr) inputs.add(run->given(), run->given());
    logs.front() = run->folder().string();
  }
  const auto foreign = foreignRun(logs);
  const std::vector<fs::path> files = foreign ? foreign_runs::filesOf(*foreign) : eventFiles(logs);
  for (const fs::path& file : files) inputs.add(file, file.string());
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out, "--out", inputs);
  foreign_runs::RunReader reader =
      foreign ? foreign_runs::RunReader(*foreign) : foreign_runs::RunReader(files);
  LogReview review;
  review.add(reader);
  if (review.isEmpty() && !foreign && reader.faults().count == 0)
    throw UserError((run && run->packed() != nullptr ? run->given() : files.front().string()) +
                    ": has no records of an event log");
  const std::vector<protocol::Alert> alerts = review.finish();
  if (out) out->write(jsonOf(alerts));
  if (!out || !out->isStandardOutput()) base::printText(alertsText(alerts));
  reportFaults(review, reader.faults());
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addAdviseCommand(Command& program) {
  Command command = program.command(
      "advise", "Find problems of a training in its event log, with their evidence and remedies");
  auto options = std::make_shared<AdviseOptions>();
  command
      .option(
          "logs", options->logs,
          "Run folder, packed run (F.lockstep), or event files of one run; also of other programs: "
          "TensorBoard logs, detectron2, mmengine, MLflow")
      .required()
      .metavar("RUN|EVENT_FILES");
  command.option("--out", options->out, "Write the alerts as JSON (-: standard output)")
      .metavar("F.json");
  command.run([options] { return advise(*options); });
}

}  // namespace lockstep::cli
