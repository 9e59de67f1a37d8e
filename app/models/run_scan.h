#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/models/listed_run.h"

namespace lockstep::app {

/// Finds the runs of folders, and what has changed of them since the last time: a run without a
/// process is read again only if its run.json is another file. Blocks for as long as the disk does;
/// for a worker thread, one at a time.
class RunScan {
 public:
  struct Wanted {
    std::filesystem::path parent;  ///< its runs, and those of other programs below; need not exist
    std::vector<std::filesystem::path> singles;  ///< runs anywhere
  };
  struct Changes {
    std::vector<ListedRun> found;  ///< new or changed, in the order of creation
    std::vector<std::filesystem::path> gone;
    std::string error;  ///< why `parent` could not be listed; its runs are then as before
  };
  Changes update(const Wanted& wanted);

 private:
  /// What tells one version of a run.json from the next, which replaces it; of other programs'
  /// files, all together.
  struct Version {
    timespec changed{};
    std::int64_t bytes = -1;  ///< -1: there is none
    ino_t inode = 0;
    bool operator==(const Version& other) const;
  };
  struct Known {
    Version version;
    ListedRun run;
    std::size_t round = 0;  ///< when it was seen last
  };
  static Version versionOf(const std::filesystem::path& runFolder);
  static Version versionOf(const foreign_runs::ForeignRun& run);
  void look(const std::filesystem::path& folder, Changes& changes);
  void look(const foreign_runs::ForeignRun& run, Changes& changes);
  void lookIn(const std::filesystem::path& parent, Changes& changes);
  void lookForForeign(const std::filesystem::path& parent, Changes& changes);
  void keep(const std::filesystem::path& folder, const Version& version, ListedRun run,
            Changes& changes);

  std::unordered_map<std::string, Known> known_;  ///< by folder
  std::size_t round_ = 0;
  std::filesystem::path searched_;  ///< for runs of other programs
};

}  // namespace lockstep::app
