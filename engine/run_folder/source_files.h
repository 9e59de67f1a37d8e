#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// What a person wrote for a run: the experiment file, its bases, and what --set changed.
struct SourceFiles {
  fs::path folder;                 ///< where they were: the nearest folder that contains them all
  std::vector<fs::path> files;     ///< relative to it: the experiment file, then its bases
  std::vector<std::string> texts;  ///< of `files`, byte for byte
  std::vector<std::string> overrides;  ///< KEY=VALUE, the value as in YAML, paths absolute
};

/// Those that an experiment was loaded from.
SourceFiles sourceOf(const config::LoadedExperiment& loaded);
/// The same with further overrides, of a run that starts from it or resumes it.
void addOverrides(SourceFiles& source, const std::vector<std::string>& overrides);
/// What --set changed in a loaded experiment.
std::vector<std::string> overridesOf(const config::LoadedExperiment& loaded);

/// Writes RUN/source: the files in the same places relative to one another, so that a copy finds
/// its bases (except those with an absolute path, which it takes from there), and source.json with
/// the rest. Replaces what is there. After config.yaml, whose checksum it keeps. Throws Error.
void writeSource(const Layout& layout, const SourceFiles& source);
/// nullopt: of an earlier version, incomplete, or config.yaml was edited since.
std::optional<SourceFiles> readSource(const Layout& layout);

/// The person's experiment file as a new file in folder `to` (absolute): its paths lead to the same
/// files, and the overrides stand in it. Its base is where it was if it is still the same there,
/// else the run's copy of it. nullopt: neither is as it was, or there is no readSource().
std::optional<std::string> editableCopy(const Layout& layout, const fs::path& to);

}  // namespace lockstep::run_folder
