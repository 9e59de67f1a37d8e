#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

using Row = std::array<std::string, 5>;

Row rowOf(const run_folder::RunSummary& run) {
  const run_folder::RunInfo& info = run.info;
  Row row;
  row[0] = run.folder.filename().string();
  row[1] = info.state.text();
  row[2] = std::to_string(info.step) + "/" + std::to_string(info.maxSteps);
  row[3] = info.best ? info.best->metric + " " + base::shortNumber(info.best->value, 4) +
                           " at step " + std::to_string(info.best->step)
                     : "-";
  row[4] = info.created > 0 ? base::timestampIso8601(info.created) : "-";
  return row;
}

void print(const std::vector<Row>& rows) {
  std::array<int, 5> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], static_cast<int>(row[i].size()));
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      std::printf("%-*s  ", widths[i], row[i].c_str());
    std::printf("%s\n", row.back().c_str());
  }
}

int listRuns(const std::string& folder) {
  const fs::path parent = folder.empty() ? run_folder::runsFolder() : fs::path(folder);
  const char* variable = std::getenv("LOCKSTEP_RUNS");
  const bool isNamed = !folder.empty() || (variable != nullptr && *variable != '\0');
  if (isNamed && !isFolder(parent)) throw UserError(parent.string() + ": no such folder");
  std::vector<Row> rows{{"RUN", "STATE", "STEP", "BEST", "CREATED"}};
  for (const run_folder::RunSummary& run : run_folder::listRuns(parent)) rows.push_back(rowOf(run));
  if (rows.size() == 1 && run_folder::isRunFolder(parent)) {
    throw UserError(parent.string() + ": is itself a run; give the folder that contains it, " +
                    realPath(parent).parent_path().string());
  }
  if (rows.size() == 1) {
    std::fprintf(stderr, "%s: no runs\n", parent.c_str());
  } else {
    print(rows);
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addRunsCommand(Command& program) {
  Command command = program.command("runs", "List the runs in a folder, newest first");
  auto folder = std::make_shared<std::string>();
  command.option("folder", *folder, "Folder of the runs (default: $LOCKSTEP_RUNS or ./runs)")
      .metavar("DIR");
  command.run([folder] { return listRuns(*folder); });
}

}  // namespace lockstep::cli
