#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_identity.h"
#include "engine/events/reader.h"
#include "engine/foreign_runs/run_log.h"

namespace lockstep::foreign_runs {

/// TensorBoard's event files of one run. Each time the program is started or resumed it begins a
/// new one; all are read in the order of their names, which begin with their times.
class EventFiles : public RunLog {
 public:
  /// All event files of a folder.
  explicit EventFiles(fs::path folder) : folder_(std::move(folder)) {}
  /// These, in this order.
  explicit EventFiles(const std::vector<fs::path>& files);

  bool addAppended(RecordStream& stream, Faults& faults) override;
  const events::MediaTags& media() const override { return media_; }

 private:
  struct File {
    fs::path path;
    std::optional<events::Reader> reader;        ///< none: it cannot be opened, or was closed
    std::optional<base::FileIdentity> identity;  ///< when it was opened
    std::int64_t bytes = 0;                      ///< of the file, after the last call
    std::int64_t damaged = 0;                    ///< records, of which there are faults
    bool isBroken = false;                       ///< the rest cannot be read
    bool isUnreadable = false;
    std::vector<std::size_t> tags;  ///< numbers in the stream, by the reader's
  };
  bool findFiles();
  static bool hasChangedBefore(const File& file);
  void addFile(File& file, RecordStream& stream, Faults& faults);
  static void addRecord(File& file, const events::RecordView& record, RecordStream& stream,
                        std::vector<ForeignPoint>& points, Faults& faults);

  fs::path folder_;  ///< empty: the files are given
  std::vector<File> files_;
  events::MediaTags media_;  ///< of all files
};

/// The event files in a folder, in the order of their names.
std::vector<fs::path> eventFilesIn(const fs::path& folder);

}  // namespace lockstep::foreign_runs
