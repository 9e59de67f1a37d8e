#include <cstdio>
#include <memory>
#include <optional>

#include "engine/base/enum_text.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/events/reader.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

enum class Format { Csv, Jsonl };
constexpr auto enumTexts(Format) {
  using enum Format;
  return std::to_array<base::EnumText<Format>>({{Csv, "csv"}, {Jsonl, "jsonl"}});
}

struct MetricsOptions {
  std::string run;
  std::optional<Format> format;
};

/// Buffers rows and writes them to standard output in large chunks.
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
    text_ += base::shortestNumber(record.wallTime);
    text_ += ',';
    text_ += tag;
    text_ += ',';
    text_ += base::shortestNumber(value);
    text_ += '\n';
  }
  void addJson(const events::RecordView& record, const std::string& tag, float value) {
    base::JsonWriter writer(text_);
    writer.beginObject();
    writer.member("step", record.step);
    writer.member("wall_time", record.wallTime);
    writer.member("tag", tag);
    writer.member("value", value);
    writer.endObject();
    text_ += '\n';
  }

  bool csv_;
  std::string text_;
};

int printMetrics(const MetricsOptions& options) {
  if (!isFolder(options.run)) throw UserError(options.run + ": no such run folder");
  const fs::path file = events::findEventFile(options.run);
  if (file.empty()) throw UserError(options.run + ": is not a run folder (no event file)");
  RowWriter rows(options.format.value_or(Format::Csv) == Format::Csv);
  events::Reader reader(file);
  const auto add = [&](const events::RecordView& record) { rows.add(record, reader.tags()); };
  try {
    reader.visitAvailable(add);
  } catch (const Error&) {
    rows.flush();  // the records before the corrupt one
    throw;
  }
  rows.flush();
  if (const std::int64_t damaged = reader.damagedRecords(); damaged > 0) {
    throw Error(file.string() + ": " + base::counted(damaged, "record") +
                " with a wrong checksum skipped");
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addMetricsCommand(Command& program) {
  Command command = program.command("metrics", "Print all scalars of a run");
  auto options = std::make_shared<MetricsOptions>();
  command.option("run", options->run, "Run folder").required().metavar("RUN");
  command.option("--format", options->format,
                 "Output format (default: csv, with columns step,wall_time,tag,value)");
  command.run([options] { return printMetrics(*options); });
}

}  // namespace lockstep::cli
