// What a trainer does about images that cannot be read.
#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/host.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

using protocol::Phase;

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// What one rank tells the others; empty: it has read everything.
std::string encoded(const std::optional<data::BadImage>& image) {
  if (!image) return {};
  const data::ImageFault& fault = image->fault();
  return Json{{"message", image->what()},
              {"id", fault.id.value},
              {"file", fault.file},
              {"reason", fault.reason},
              {"host", base::hostName()}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<data::Batch> Trainer::nextBatch(StepRecorder::HostFacts& facts) {
  enter(Phase::Data);
  const Clock::time_point asked = Clock::now();
  std::optional<data::Batch> batch;
  try {
    batch = feed_->next();
  } catch (const data::BadImage& image) {
    badImage_ = image;
  } catch (const std::exception&) {
    readFault_ = std::current_exception();
  }
  const Clock::time_point loaded = Clock::now();
  facts.dataSeconds += std::chrono::duration<double>(loaded - asked).count();
  // Before anything of the part that a rank cannot do alone.
  if (context_.world.isSoAnywhere(!batch)) return std::nullopt;
  facts.waitSeconds += std::chrono::duration<double>(Clock::now() - loaded).count();
  return batch;
}

std::vector<at::Tensor> Trainer::copyOfStatistics() const {
  std::vector<at::Tensor> copies;
  // The first part of a step changes nothing before all ranks know that it can be read.
  if (sampler_->accumulate() == 1 || !config::hasBatchStatistics(experiment_.model.resolvedNorm()))
    return copies;
  for (const at::Tensor& buffer : model_->buffers()) copies.push_back(buffer.clone());
  return copies;
}

void Trainer::refuseReadFault() {
  try {
    together([this] {
      if (readFault_) std::rethrow_exception(std::exchange(readFault_, nullptr));
    });
  } catch (const std::exception&) {
    endWithLastStep(std::current_exception());
  }
}

void Trainer::leaveOutBadImages(std::int64_t step) {
  refuseReadFault();
  const std::vector<MetImage> images = shareBadImages();
  badImage_.reset();
  if (!experiment_.dataset.skipsBadImages()) {
    saveBeforeEnd();
    const MetImage& first = images.front();
    throw FaultOfRank(first.image.what(), protocol::FailureCause::BadImage, first.rank, first.host);
  }
  feed_.reset();  // its threads draw
  std::vector<std::int64_t> ids;
  for (const MetImage& met : images) {
    ids.push_back(met.image.fault().id.value);
    leftOut_.push_back(met.image.fault());
  }
  try {
    sampler_->leaveOut(ids);
  } catch (const Error&) {
    saveBeforeEnd();
    throw;
  }
  loadFrom(step);
}

std::vector<Trainer::MetImage> Trainer::shareBadImages() {
  const std::vector<std::string> sent = context_.world.gather(encoded(badImage_));
  Json list = Json::array();
  for (std::size_t rank = 0; rank < sent.size(); ++rank) {
    if (sent[rank].empty()) continue;
    list.push_back(Json::parse(sent[rank]));
    list.back()["rank"] = rank;
  }
  std::vector<MetImage> images;
  std::set<ImageId> known;
  for (const Json& entry : Json::parse(context_.world.share(list.dump()))) {
    const auto text = [&entry](const char* name) { return entry[name].get<std::string>(); };
    const ImageId id{entry["id"].get<std::int64_t>()};
    if (!known.insert(id).second) continue;
    images.push_back({data::BadImage(text("message"), {id, text("file"), text("reason")}),
                      entry["rank"].get<int>(), text("host")});
  }
  return images;
}

void Trainer::tellLeftOut(std::int64_t step) {
  for (const data::ImageFault& fault : leftOut_) {
    state_.badImages.insert(std::ranges::upper_bound(state_.badImages, fault.id.value),
                            fault.id.value);
    tell(
        protocol::BadImage{step, protocol::Split::Train, fault.id.value, fault.file, fault.reason});
  }
  leftOut_.clear();
}

void Trainer::resumeBadImages(const run_folder::TrainingState& saved) {
  if (saved.badImages.empty()) return;
  const bool isSameData =
      !saved.data || saved.data->train.imagesHash == state_.data->train.imagesHash;
  if (!isSameData) return;  // ids may be those of other images: they are looked at again
  state_.badImages = saved.badImages;
  sampler_->leaveOut(state_.badImages);
  log(base::LogLevel::Info, std::to_string(state_.badImages.size()) +
                                " training images stay left out, which could not be read before "
                                "(bad_images.jsonl names them)");
}

void Trainer::tellBadHeldOut(const std::vector<data::ImageFault>& faults) {
  for (const data::ImageFault& fault : faults) {
    if (toldHeldOut_.insert(fault.id).second)
      tell(protocol::BadImage{state_.step, protocol::Split::Val, fault.id.value, fault.file,
                              fault.reason});
  }
}

}  // namespace lockstep::train
