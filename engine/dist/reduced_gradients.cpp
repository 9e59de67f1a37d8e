#include "engine/dist/reduced_gradients.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

namespace lockstep::dist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kFirstBucketBytes = kMiB;
constexpr std::size_t kMaxBucketBytes = 25 * kMiB;
/// Number of buckets the gradients are divided into, so that most all-reduces start before the
/// backward pass ends.
constexpr std::size_t kBuckets = 8;

std::size_t bucketBytes(const std::vector<at::Tensor>& parameters) {
  std::size_t bytes = 0;
  for (const at::Tensor& parameter : parameters) bytes += parameter.nbytes();
  return std::clamp(bytes / kBuckets, kMiB, kMaxBucketBytes);
}

/// Calls `ownIsDone` after this rank's own backward pass and before the Reducer finalises it, which
/// waits for the buckets.
void backwardThen(const at::Tensor& loss, const std::function<void()>& ownIsDone) {
  loss.register_hook([&](const at::Tensor& gradient) {
    torch::autograd::Engine::get_default_engine().queue_callback(ownIsDone);
    return gradient;
  });
  loss.backward();
}

}  // namespace

ReducedGradients::ReducedGradients(const std::vector<at::Tensor>& parameters,
                                   std::int64_t figureCount,
                                   c10::intrusive_ptr<c10d::ProcessGroup> group,
                                   CollectiveObserver observer)
    : group_(std::move(group)), observer_(std::move(observer)) {
  const at::Device device = parameters.empty() ? at::Device(at::kCPU) : parameters[0].device();
  carrier_ = at::zeros({figureCount}, at::TensorOptions(at::kFloat).device(device));
  carrier_.set_requires_grad(true);
  std::vector<at::Tensor> all = parameters;
  all.push_back(carrier_);
  makeReducer(std::move(all));
}

void ReducedGradients::makeReducer(std::vector<at::Tensor> parameters) {
  const std::size_t bytes = bucketBytes(parameters);
  // Gradients become ready in about the reverse order of the parameters: the first bucket holds the
  // last parameters and is small, so that its all-reduce starts early.
  std::vector<std::int64_t> order(parameters.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::vector<at::Tensor> inOrder(parameters.rbegin(), parameters.rend());
  const auto [buckets, limits] =
      c10d::compute_bucket_assignment_by_size(inOrder, {kFirstBucketBytes, bytes}, {}, order);
  const std::vector<bool> isSparse(parameters.size(), false);
  reducer_ = std::make_unique<c10d::Reducer>(
      std::move(parameters), buckets, group_, isSparse, static_cast<std::int64_t>(bytes),
      /*find_unused_parameters=*/true, /*gradient_as_bucket_view=*/true,
      std::unordered_map<std::size_t, std::string>{}, static_cast<std::int64_t>(kFirstBucketBytes),
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
  // Without a comm hook the first step multiplies by 1/N and later steps divide by N, which rounds
  // differently.
  reducer_->register_builtin_comm_hook(c10d::BuiltinCommHookType::ALLREDUCE);
}

void ReducedGradients::backward(const at::Tensor& loss, const at::Tensor& figures,
                                bool isLastMicroBatch) {
  if (carrier_.grad().defined() && !isAccumulating_) carrier_.mutable_grad().zero_();
  isAccumulating_ = !isLastMicroBatch;
  const at::Tensor carrying = loss + (carrier_ * figures).sum();
  if (!isLastMicroBatch) return carrying.backward();
  reducer_->prepare_for_backward({carrying});
  carrying.is_cpu() ? averageOnCpu(carrying) : averageOnGpu(carrying);
}

void ReducedGradients::averageOnCpu(const at::Tensor& loss) {
  Clock::time_point ready{};
  backwardThen(loss, [&] {
    ready = Clock::now();
    observer_("gradients", true);
  });
  observer_("gradients", false);
  waitSeconds_ = std::chrono::duration<double>(Clock::now() - ready).count();
}

void ReducedGradients::averageOnGpu(const at::Tensor& loss) {
  const c10::impl::VirtualGuardImpl devices(loss.device().type());
  const auto mark = [&](c10::Event& event) { event.record(devices.getStream(loss.device())); };
  const auto withTime = [&] {
    return c10::Event(loss.device().type(), c10::EventFlag::BACKEND_DEFAULT);
  };
  waitForStepBeforeLast();
  InFlight& step = inFlight_.emplace_back(withTime(), withTime());
  backwardThen(loss, [&] {
    mark(step.ready);
    observer_("gradients", true);  // Gloo blocks here, NCCL in waitForStepBeforeLast()
  });
  observer_("gradients", false);
  mark(step.averaged);
}

void ReducedGradients::waitForStepBeforeLast() {
  if (inFlight_.size() < 2) return;
  const InFlight& step = inFlight_.front();
  observer_("gradients", true);
  step.averaged.synchronize();
  observer_("gradients", false);
  constexpr double kMillisecond = 1e-3;
  waitSeconds_ = step.ready.elapsedTime(step.averaged) * kMillisecond;
  inFlight_.pop_front();
}

}  // namespace lockstep::dist
