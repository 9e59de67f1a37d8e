#include "engine/train/bad_images.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/host.h"
#include "engine/base/number_text.h"

namespace lockstep::train {
namespace {

using Json = nlohmann::json;

/// As one rank sends it to the others; empty: it has read everything.
std::string encodedBadImage(const std::optional<data::BadImage>& image) {
  if (!image) return {};
  const data::BadImageInfo& info = image->info();
  return Json{{"message", image->what()},
              {"id", info.id.value},
              {"file", info.file},
              {"reason", info.reason},
              {"host", base::hostName()}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

BadImages::Unreadable decodedBadImage(const Json& entry) {
  const auto text = [&entry](const char* name) { return entry[name].get<std::string>(); };
  const ImageId id{entry["id"].get<std::int64_t>()};
  return {data::BadImage(text("message"), {id, text("file"), text("reason")}),
          entry["rank"].get<int>(), text("host")};
}

}  // namespace

std::vector<BadImages::Unreadable> BadImages::gather(
    const std::optional<data::BadImage>& own) const {
  dist::World& world = training_.context.world;
  const std::vector<std::string> sent = world.gather(encodedBadImage(own));
  Json list = Json::array();
  for (std::size_t rank = 0; rank < sent.size(); ++rank) {
    if (sent[rank].empty()) continue;
    list.push_back(Json::parse(sent[rank]));
    list.back()["rank"] = rank;
  }
  std::vector<Unreadable> images;
  std::set<ImageId> known;
  for (const Json& entry : Json::parse(world.broadcastBytes(list.dump()))) {
    Unreadable unreadable = decodedBadImage(entry);
    if (known.insert(unreadable.image.info().id).second) images.push_back(std::move(unreadable));
  }
  return images;
}

void BadImages::leaveOut(const std::vector<Unreadable>& images) {
  std::vector<std::int64_t> ids;
  for (const Unreadable& unreadable : images) {
    ids.push_back(unreadable.image.info().id.value);
    unreported_.push_back(unreadable.image.info());
  }
  training_.data.sampler->leaveOut(ids);
}

void BadImages::report(std::int64_t step) {
  std::vector<std::int64_t>& ids = training_.state.badImages;
  for (const data::BadImageInfo& image : unreported_) {
    ids.insert(std::ranges::upper_bound(ids, image.id.value), image.id.value);
    training_.send(
        protocol::BadImage{step, protocol::Split::Train, image.id.value, image.file, image.reason});
  }
  unreported_.clear();
}

void BadImages::reportHeldOut(const std::vector<data::BadImageInfo>& images) {
  for (const data::BadImageInfo& image : images) {
    if (!reportedHeldOut_.insert(image.id).second) continue;
    training_.send(protocol::BadImage{training_.state.step, protocol::Split::Val, image.id.value,
                                      image.file, image.reason});
  }
}

void BadImages::resume(const run_folder::TrainingState& saved) {
  run_folder::TrainingState& state = training_.state;
  if (saved.badImages.empty()) return;
  const bool isSameData =
      !saved.data || saved.data->train.imagesHash == state.data->train.imagesHash;
  if (!isSameData) return;  // ids may be those of other images: they are read again
  state.badImages = saved.badImages;
  training_.data.sampler->leaveOut(state.badImages);
  training_.log(base::LogLevel::Info, base::counted(state.badImages.size(), "training image") +
                                          " could not be read before and " +
                                          (state.badImages.size() == 1 ? "is" : "are") +
                                          " still left out (see bad_images.jsonl)");
}

}  // namespace lockstep::train
