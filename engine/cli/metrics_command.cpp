#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "engine/base/csv_text.h"
#include "engine/base/enum_text.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/run_argument.h"
#include "engine/events/reader.h"
#include "engine/foreign_runs/run_reader.h"

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
  void add(std::int64_t step, double wallTime, const std::string& tag, float value) {
    csv_ ? addCsv(step, wallTime, tag, value) : addJson(step, wallTime, tag, value);
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
  void addCsv(std::int64_t step, double wallTime, const std::string& tag, float value) {
    text_ += std::to_string(step);
    text_ += ',';
    text_ += base::shortestNumber(wallTime);
    text_ += ',';
    text_ += base::csvText(tag);
    text_ += ',';
    text_ += base::shortestNumber(value);
    text_ += '\n';
  }
  void addJson(std::int64_t step, double wallTime, const std::string& tag, float value) {
    base::JsonWriter writer(text_);
    writer.beginObject();
    writer.member("step", step);
    writer.member("wall_time", wallTime);
    writer.member("tag", tag);
    writer.member("value", value);
    writer.endObject();
    text_ += '\n';
  }

  bool csv_;
  std::string text_;
};

void printOwn(const fs::path& file, RowWriter& rows) {
  events::Reader reader(file);
  try {
    reader.visitAvailable([&](const events::RecordView& record) {
      for (const events::ScalarView& scalar : record.scalars)
        rows.add(record.step, record.wallTime, reader.tags()[scalar.tag], scalar.value);
    });
  } catch (const Error&) {
    rows.flush();  // the records before the corrupt one
    throw;
  }
  rows.flush();
  if (const std::int64_t damaged = reader.damagedRecords(); damaged > 0) {
    throw Error(file.string() + ": " + base::counted(damaged, "record") +
                " with a wrong checksum skipped");
  }
}

/// Values of a run of another program, of which a resume may have replaced some.
class ForeignRows {
 public:
  void add(const events::RecordView& record) {
    const bool isScalars = record.kind == events::Record::Kind::Scalars;
    const bool isStart = record.kind == events::Record::Kind::SessionStart;
    for (const events::ScalarView& scalar : record.scalars) {
      if (isScalars || isStart)
        rows_.push_back({record.step, record.wallTime, scalar.tag, scalar.value, isStart});
    }
    if (isStart && record.scalars.empty()) rows_.push_back({record.step, 0, kAllTags, 0, true});
  }
  void print(RowWriter& rows, const std::vector<std::string>& tags) {
    markReplaced(tags.size());
    for (const Row& row : rows_)
      if (!row.isLeftOut) rows.add(row.step, row.wallTime, tags[row.tag], row.value);
  }

 private:
  static constexpr std::size_t kAllTags = SIZE_MAX;
  struct Row {
    std::int64_t step = 0;
    double wallTime = 0;
    std::size_t tag = 0;
    float value = 0;
    bool isLeftOut = false;  ///< replaced; at first: the start of a session, which replaces
  };
  /// From the end, with the earliest step at which a later session of the tag starts.
  void markReplaced(std::size_t tagCount) {
    std::int64_t start = INT64_MAX;
    std::vector<std::int64_t> starts(tagCount, INT64_MAX);
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      std::int64_t& own = row->tag == kAllTags ? start : starts[row->tag];
      if (row->isLeftOut)
        own = std::min(own, row->step);
      else
        row->isLeftOut = row->step >= std::min(own, start);
    }
  }

  std::vector<Row> rows_;
};

void printForeign(const foreign_runs::ForeignRun& run, RowWriter& rows) {
  foreign_runs::RunReader reader(run);
  ForeignRows values;
  if (!reader.visitAppended([&](const events::RecordView& record) { values.add(record); }))
    throw Error(run.folder.string() + ": changed while it was read; try again");
  values.print(rows, reader.tags());
  rows.flush();
  if (const foreign_runs::Faults& faults = reader.faults(); faults.count > 0) {
    const auto others = static_cast<std::uint64_t>(faults.count - 1);
    throw Error(faults.first +
                (others == 0 ? "" : " (and " + base::counted(others, "more error") + ")"));
  }
}

int printMetrics(const MetricsOptions& options) {
  const RunArgument given(options.run);
  const auto cleanup = removedOnSignal({&given});
  const fs::path folder = given.folder();
  if (!isFolder(folder))
    throw UserError(options.run + ": no such run folder, and no packed run (*.lockstep)");
  RowWriter rows(options.format.value_or(Format::Csv) == Format::Csv);
  if (const auto run = foreign_runs::runIn(folder)) {
    printForeign(*run, rows);
  } else {
    const fs::path file = events::findEventFile(folder);
    if (file.empty())
      throw UserError(
          options.run +
          ": is not a run folder (no event file) or a run of detectron2, mmengine or MLflow");
    printOwn(file, rows);
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addMetricsCommand(Command& program) {
  Command command =
      program.command("metrics", "Print all scalars of a run, also of other programs");
  auto options = std::make_shared<MetricsOptions>();
  command
      .option("run", options->run,
              "Run folder or packed run; also a folder of TensorBoard logs, detectron2, mmengine "
              "or MLflow")
      .required()
      .metavar("RUN");
  command.option("--format", options->format,
                 "Output format (default: csv, with columns step,wall_time,tag,value)");
  command.run([options] { return printMetrics(*options); });
}

}  // namespace lockstep::cli
