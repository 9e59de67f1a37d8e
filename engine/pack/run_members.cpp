#include "engine/pack/run_members.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/run_folder/run_notes.h"

namespace lockstep::pack {
namespace fs = std::filesystem;
namespace {

/// What writers leave beside a file until it is whole.
bool isPartial(const fs::path& name) {
  return name.extension() == ".partial" || name.string().starts_with(".lockstep-") ||
         name.extension() == ".pictures";
}

}  // namespace

std::vector<RunMember> membersIn(const run_folder::Layout& layout, const char* folder) {
  std::vector<RunMember> members;
  std::error_code error, ignored;
  const fs::path path = layout.folder() / folder;
  if (!fs::exists(path, error)) return members;
  auto entry = fs::recursive_directory_iterator(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (isPartial(entry->path().filename())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored)) {
      members.push_back(
          {entry->path().lexically_relative(layout.folder()).string(), entry->path()});
    }
  }
  if (error) throw Error(path.string() + ": cannot be read: " + error.message());
  std::ranges::sort(members, {}, &RunMember::name);
  return members;
}

std::vector<RunMember> membersOfRun(const run_folder::Layout& layout) {
  std::vector<RunMember> members{{"config.yaml", layout.config()}};
  std::error_code ignored;
  for (const fs::path& file :
       {run_folder::notesFile(layout), events::findEventFile(layout.folder()), layout.badImages()})
    if (!file.empty() && fs::exists(file, ignored))
      members.push_back({file.filename().string(), file});
  for (const char* folder : {"source", "evaluations", "predictions"})
    std::ranges::move(membersIn(layout, folder), std::back_inserter(members));
  return members;
}

std::vector<RunMember> membersOfWeights(std::int64_t step, const fs::path& weights) {
  std::vector<RunMember> members;
  for (const char* name : {"model.safetensors", "state.json"})
    members.push_back(
        {"checkpoints/" + run_folder::stepName(step) + '/' + name, weights.parent_path() / name});
  return members;
}

std::uintmax_t packedBytes(const run_folder::Layout& layout, const fs::path& weights) {
  std::vector<RunMember> members = membersOfRun(layout);
  members.push_back({"run.json", layout.runJson()});
  const auto step = weights.empty() ? std::nullopt : run_folder::stepOfWeights(layout, weights);
  if (step) std::ranges::move(membersOfWeights(*step, weights), std::back_inserter(members));
  std::uintmax_t bytes = 0;
  for (const RunMember& member : members) {
    std::error_code error;
    const std::uintmax_t own = fs::file_size(member.file, error);
    if (!error) bytes += own;  // else it is gone meanwhile
  }
  return bytes;
}

}  // namespace lockstep::pack
