#include "engine/run_folder/replay_file.h"

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/protocol/members.h"

namespace lockstep::run_folder {
namespace {

constexpr int kReplayFormat = 1;

}  // namespace

void describe(auto& members, protocol::Is<ReplayFile> auto& replay) {
  members("step", replay.step);
  members("message", replay.message);
  members("image_ids", replay.imageIds);
  members.ifNotEmpty("bad_images", replay.badImages);
  members("figures", replay.figures);
  members("first_not_finite", replay.firstNotFinite);
  members("config", replay.configYaml);
}

ReplayFile readReplayFile(const fs::path& file) {
  const auto members = protocol::MemberReader::parse(base::readFile(file), file.string());
  int format = 0;
  members("format", format);
  if (format != kReplayFormat)
    throw Error(file.string() + ": format " + std::to_string(format) +
                " is not supported by this version");
  ReplayFile replay;
  describe(members, replay);
  if (replay.step < 1) throw Error(file.string() + ": step is below 1");
  return replay;
}

void writeReplayFile(const fs::path& file, const ReplayFile& replay) {
  std::string compact;
  base::JsonWriter json(compact);
  protocol::MemberWriter members(json);
  json.beginObject();
  members("format", kReplayFormat);
  describe(members, replay);
  json.endObject();
  base::writeFileAtomically(file, protocol::indented(compact) + "\n");
}

}  // namespace lockstep::run_folder
