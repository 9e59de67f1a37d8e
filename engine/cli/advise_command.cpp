#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/alerts/alert_detector.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/events/event_record.h"
#include "engine/events/foreign_tags.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct AdviseOptions {
  std::vector<std::string> logs;
  std::string out;
};

/// The event files of a run folder, or of any folder that another program logs to, oldest first.
std::vector<fs::path> eventFilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entriesOf(folder)) {
    if (entry.filename().native().find("tfevents") != std::string::npos && isFile(entry))
      files.push_back(entry);
  }
  std::ranges::sort(files);
  if (files.empty()) throw UserError(folder.string() + ": has no event file (*tfevents*)");
  return files;
}

std::vector<fs::path> eventFiles(const std::vector<std::string>& logs) {
  std::vector<fs::path> files;
  for (const std::string& log : logs) {
    if (!pathExists(log)) throw UserError(log + ": no such run folder or event file");
    if (isFolder(log) && logs.size() > 1)
      throw UserError(log + ": give one run, or the event files of one run");
    if (!isFolder(log) && !isFile(log))
      throw UserError(log + ": is not a regular file; save the log to a file first");
    if (isFolder(log))
      std::ranges::copy(eventFilesIn(log), std::back_inserter(files));
    else
      files.emplace_back(log);
  }
  return files;
}

/// What the rules find in the logs of one run, in the order of the events.
class LogReview {
 public:
  void add(const fs::path& file) {
    events::Reader reader(file);
    auto record = reader.next();
    if (!record) throw UserError(file.string() + ": has no records of an event log");
    try {
      for (; record; record = reader.next()) add(*std::move(record));
    } catch (const Error& error) {
      damage_ = error.what();
    }
    damagedRecords_ += reader.damagedRecords();
  }
  std::int64_t damagedRecords() const { return damagedRecords_; }
  /// Why the rest of a file cannot be read; empty: all was read.
  const std::string& damage() const { return damage_; }
  /// Whether a training loss was found, without which the rules know next to nothing.
  bool hasTrainingLoss() const { return !lossTag_.empty(); }
  /// Of all that was added.
  std::vector<protocol::Alert> finish() {
    if (!hasState_) std::ranges::move(detector_.finish(), std::back_inserter(alerts_));
    return std::move(alerts_);
  }

 private:
  void add(events::Record record) {
    if (record.kind == events::Record::Kind::SessionStart) forgetFrom(record.step);
    auto event = events::eventOf(std::move(record));
    if (!event) return;
    if (auto* scalars = std::get_if<protocol::Scalars>(&*event)) prepare(*scalars);
    hasState_ = hasState_ || std::holds_alternative<protocol::State>(*event);
    std::ranges::move(detector_.add(*event), std::back_inserter(alerts_));
  }

  void prepare(protocol::Scalars& scalars) {
    bool isTrained = false;
    for (auto& [tag, value] : scalars.values) {
      const std::string known = events::tags::ofForeign(tag);
      if (known == events::tags::kTrainTotalLoss) {
        // Another program may log it under several names, by step and by epoch.
        if (lossTag_.empty()) lossTag_ = tag;
        if (tag != lossTag_) continue;
        isTrained = true;
      }
      tag = known;
    }
    if (!isTrained) return;
    // Other programs resume in a new file, from a step that an older one has.
    if (scalars.step <= trainedStep_) forgetFrom(scalars.step);
    trainedStep_ = scalars.step;
  }

  void forgetFrom(std::int64_t step) {
    detector_.forgetFrom(step);
    std::erase_if(alerts_, [step](const protocol::Alert& alert) { return alert.step >= step; });
    trainedStep_ = std::min(trainedStep_, step - 1);
  }

  alerts::AlertDetector detector_;
  std::string lossTag_;  ///< of the training loss, in the log; empty: none yet
  std::string damage_;
  bool hasState_ = false;
  std::int64_t trainedStep_ = 0, damagedRecords_ = 0;
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

std::string textOf(const std::vector<protocol::Alert>& alerts) {
  std::string text;
  for (const protocol::Alert& alert : alerts) {
    text += "step " + std::to_string(alert.step) + ": " + alert.severity.text() + ": " +
            alert.kind.text() + ": " + alert.text + "\n";
  }
  return alerts.empty() ? "no alerts\n" : text;
}

int advise(const AdviseOptions& options) {
  const std::vector<fs::path> files = eventFiles(options.logs);
  Inputs inputs;
  for (const fs::path& file : files) inputs.add(file, file.string());
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out, "--out", inputs);
  LogReview review;
  for (const fs::path& file : files) review.add(file);
  const std::vector<protocol::Alert> alerts = review.finish();
  if (out) out->write(jsonOf(alerts));
  if (!out || !out->isStandardOutput()) std::fputs(textOf(alerts).c_str(), stdout);
  if (!review.hasTrainingLoss())
    std::fputs(
        "no training loss found; known tags are train/loss_total, and total_loss, loss, "
        "train_loss and train_loss_step of other programs\n",
        stderr);
  if (review.damagedRecords() > 0) {
    throw Error(base::counted(static_cast<std::uint64_t>(review.damagedRecords()), "record") +
                " that could not be read: the advice is of the others alone");
  }
  if (!review.damage().empty())
    throw Error(review.damage() + "; the advice is of what comes before");
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addAdviseCommand(Command& program) {
  Command command = program.command(
      "advise", "Find problems of a training in its event log, with their evidence and remedies");
  auto options = std::make_shared<AdviseOptions>();
  command
      .option("logs", options->logs,
              "Run folder, or event files of one run (also TensorBoard logs of other programs)")
      .required()
      .metavar("RUN|EVENT_FILES");
  command.option("--out", options->out, "Write the alerts as JSON (-: standard output)")
      .metavar("F.json");
  command.run([options] { return advise(*options); });
}

}  // namespace lockstep::cli
