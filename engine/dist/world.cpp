#include "engine/dist/world.h"

#include <torch/types.h>

#include <utility>

namespace lockstep::dist {
namespace {

class OwnGradients : public GradientAverage {
 public:
  void beginAnew() override { sum_.reset(); }
  void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastPart) override {
    sum_ = sum_.defined() ? sum_ + figures : figures;
    if (isLastPart) figures_ = std::exchange(sum_, {});
    loss.backward();
  }
  at::Tensor figures() const override { return figures_; }
  double waitSeconds() const override { return 0; }

 private:
  at::Tensor sum_, figures_;
};

class WorldOfOne : public World {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string share(const std::string& bytes) override { return bytes; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  void broadcast(const std::vector<at::Tensor>&) override {}
  bool isSoAnywhere(bool isSo) override { return isSo; }
  void beginAgreement(bool wishes) override { wishes_ = wishes; }
  bool finishAgreement() override { return wishes_; }
  std::unique_ptr<GradientAverage> averageGradients(const std::vector<at::Tensor>&, std::int64_t,
                                                    std::optional<config::Backend>) override {
    return std::make_unique<OwnGradients>();
  }
  std::function<void(at::Tensor&)> sumOverRanks(at::Device,
                                                std::optional<config::Backend>) override {
    return [](at::Tensor&) {};
  }
  PeerWatch* peerWatch() override { return nullptr; }

 private:
  bool wishes_ = false;
};

}  // namespace

std::unique_ptr<World> makeWorldOfOne() { return std::make_unique<WorldOfOne>(); }

}  // namespace lockstep::dist
