#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/events/reader.h"
#include "engine/protocol/json_text.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct MetricsOptions {
  std::string run, format = "csv";
};

/// The shortest text that reads back to the same number.
template <typename Number>
void appendNumber(std::string& text, Number value) {
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    return;
  }
  char number[40];
  const auto end = std::to_chars(number, number + sizeof number, value).ptr;
  text.append(number, end);
}

/// Collects rows and hands them to standard output in large pieces.
class RowWriter {
 public:
  explicit RowWriter(bool csv) : csv_(csv) {
    if (csv) text_ = "step,wall_time,tag,value\n";
  }
  void add(const events::RecordView& record, const std::vector<std::string>& tags) {
    for (const events::ScalarView& scalar : record.scalars) {
      csv_ ? addCsv(record, tags[scalar.tag], scalar.value)
           : addJson(record, tags[scalar.tag], scalar.value);
    }
    if (text_.size() > (1 << 20)) flush();
  }
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() ||
        std::fflush(stdout) != 0) {
      throw Error("standard output cannot be written");
    }
    text_.clear();
  }

 private:
  void addCsv(const events::RecordView& record, const std::string& tag, float value) {
    text_ += std::to_string(record.step);
    text_ += ',';
    appendNumber(text_, record.wallTime);
    text_ += ',';
    text_ += tag;
    text_ += ',';
    appendNumber(text_, value);
    text_ += '\n';
  }
  void addJson(const events::RecordView& record, const std::string& tag, float value) {
    protocol::JsonWriter writer(text_);
    writer.beginObject();
    writer.key("step");
    writer.value(record.step);
    writer.key("wall_time");
    writer.value(record.wallTime);
    writer.key("tag");
    writer.value(std::string_view(tag));
    writer.key("value");
    writer.value(value);
    writer.endObject();
    text_ += '\n';
  }

  bool csv_;
  std::string text_;
};

int printMetrics(const MetricsOptions& options) {
  if (!isFolder(options.run)) throw base::mendable(options.run + ": no such run folder");
  const fs::path file = events::findEventFile(options.run);
  if (file.empty()) throw base::mendable(options.run + ": is no run folder (no event file)");
  RowWriter rows(options.format == "csv");
  events::Reader reader(file);
  const auto add = [&](const events::RecordView& record) { rows.add(record, reader.tags()); };
  try {
    reader.visitAvailable(add);
  } catch (const Error&) {
    rows.flush();  // what lies before the damage
    throw;
  }
  rows.flush();
  if (const std::int64_t damaged = reader.damagedRecords(); damaged > 0) {
    throw Error(file.string() + ": " + base::counted(damaged, "record") +
                " of it cannot be read (the checksum is wrong): left out here");
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addMetricsCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("metrics", "Every scalar of a run");
  auto options = std::make_shared<MetricsOptions>();
  command->add_option("run", options->run, "Run folder")->required()->option_text("RUN");
  command->add_option("--format", options->format, "csv: step,wall_time,tag,value")
      ->option_text("csv|jsonl")
      ->check(CLI::IsMember({"csv", "jsonl"}));
  command->callback([options, &action] { action = [options] { return printMetrics(*options); }; });
}

}  // namespace lockstep::cli
