#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::pack {

/// A file and its name in a packed run.
struct RunMember {
  std::string name;
  std::filesystem::path file;
};

/// The regular files in a folder of the run and below, sorted, without those that are being
/// written. Throws Error where it cannot be read.
std::vector<RunMember> membersIn(const run_folder::Layout& layout, const char* folder);

/// The files that a packed run has as they are in the run folder, without run.json. Throws Error.
std::vector<RunMember> membersOfRun(const run_folder::Layout& layout);

/// Those of a checkpoint that predicts. `weights`: its model.safetensors.
std::vector<RunMember> membersOfWeights(std::int64_t step, const std::filesystem::path& weights);

/// What packRun() takes with these arguments, without the images and their annotations. Blocks.
/// Throws Error.
std::uintmax_t packedBytes(const run_folder::Layout& layout, const std::filesystem::path& weights);

}  // namespace lockstep::pack
