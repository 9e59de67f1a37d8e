#include "engine/dist/world.h"

#include <torch/types.h>

#include <utility>

namespace lockstep::dist {
namespace {

class OwnGradients : public GradientAverage {
 public:
  void reset() override { sum_.reset(); }
  void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastMicroBatch) override {
    sum_ = sum_.defined() ? sum_ + figures : figures;
    if (isLastMicroBatch) figures_ = std::exchange(sum_, {});
    loss.backward();
  }
  at::Tensor figures() const override { return figures_; }
  double waitSeconds() const override { return 0; }

 private:
  at::Tensor sum_, figures_;
};

class SingleRankWorld : public World {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string broadcastBytes(const std::string& bytes) override { return bytes; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  void broadcast(const std::vector<at::Tensor>&) override {}
  bool anyRank(bool value) override { return value; }
  void beginAnyRank(bool value) override { value_ = value; }
  bool finishAnyRank() override { return value_; }
  std::unique_ptr<GradientAverage> averageGradients(const std::vector<at::Tensor>&, std::int64_t,
                                                    std::optional<config::Backend>) override {
    return std::make_unique<OwnGradients>();
  }
  std::function<void(at::Tensor&)> sumOverRanks(at::Device,
                                                std::optional<config::Backend>) override {
    return [](at::Tensor&) {};
  }
  PeerMonitor* peerMonitor() override { return nullptr; }

 private:
  bool value_ = false;
};

}  // namespace

std::unique_ptr<World> makeSingleRankWorld() { return std::make_unique<SingleRankWorld>(); }

}  // namespace lockstep::dist
