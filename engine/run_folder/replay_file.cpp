#include "engine/run_folder/replay_file.h"

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/protocol/members.h"

namespace lockstep::run_folder {
namespace {

constexpr int kFormat = 1;

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
  const nlohmann::json object = protocol::parseObject(base::readFile(file), file.string());
  const protocol::MemberReader members(object, file.string());
  int format = 0;
  members("format", format);
  if (format != kFormat)
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
  members("format", kFormat);
  describe(members, replay);
  json.endObject();
  base::writeFileAtomically(file, nlohmann::ordered_json::parse(compact).dump(2) + "\n");
}

}  // namespace lockstep::run_folder
