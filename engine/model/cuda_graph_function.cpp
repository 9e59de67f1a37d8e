#include "engine/model/cuda_graph_function.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Warm-up runs before the capture, so that libraries select algorithms and allocate workspaces.
constexpr int kWarmUps = 2;

bool isDeterministic() {
  const at::Context& context = at::globalContext();
  return context.deterministicCuDNN() || context.deterministicAlgorithms();
}

/// Enables torch.backends.cudnn.benchmark for its lifetime, unless deterministic algorithms are
/// required. cuDNN keeps the first algorithm that it used for a convolution, benchmarked or not.
class CudnnBenchmark {
 public:
  CudnnBenchmark() { context_.setBenchmarkCuDNN(!isDeterministic()); }
  ~CudnnBenchmark() { context_.setBenchmarkCuDNN(before_); }
  CudnnBenchmark(const CudnnBenchmark&) = delete;
  CudnnBenchmark& operator=(const CudnnBenchmark&) = delete;

 private:
  at::Context& context_ = at::globalContext();
  const bool before_ = context_.benchmarkCuDNN();
};

}  // namespace

/// The graphs of one input shape.
struct CudaGraphFunction::Graphs {
  at::Tensor input;
  std::vector<at::Tensor> outputs;  // of the last forward run, attached to its autograd graph
  std::vector<at::Tensor> outputGradients;
  CapturedCudaGraph forward,
      backward;                        // its outputs are gradients, undefined where there are none
  std::shared_ptr<std::int64_t> uses;  // counts writes to the shared memory pool

  std::vector<at::Tensor> runForward(const Compute& compute) {
    const at::AutoGradMode withGradients(true);
    outputs = compute(input);
    std::vector<at::Tensor> results;
    for (const at::Tensor& output : outputs) results.push_back(output.detach());
    return results;
  }
  std::vector<at::Tensor> runBackward(const std::vector<at::Tensor>& parameters) {
    variable_list attached, gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad()) continue;
      attached.push_back(outputs[i]);
      gradients.push_back(outputGradients[i]);
    }
    std::vector<at::Tensor> results = torch::autograd::grad(
        attached, parameters, gradients, /*retain_graph=*/false, /*create_graph=*/false,
        /*allow_unused=*/true);
    outputs.clear();
    return results;
  }
  /// Both, from gradients of zero.
  void warmUp(const Compute& compute, const std::vector<at::Tensor>& parameters) {
    const CudnnBenchmark benchmark;
    outputGradients.clear();
    for (const at::Tensor& result : runForward(compute))
      outputGradients.push_back(at::zeros_like(result));
    runBackward(parameters);
  }
};

namespace {

/// Forward and backward by replay: graphs, input, parameters -> outputs.
template <typename Graphs>
class ReplayFunction : public torch::autograd::Function<ReplayFunction<Graphs>> {
 public:
  struct Holder : torch::CustomClassHolder {
    explicit Holder(std::shared_ptr<Graphs> held) : graphs(std::move(held)) {}
    std::shared_ptr<Graphs> graphs;
  };

  static variable_list forward(AutogradContext* context, const std::shared_ptr<Graphs>& graphs,
                               const at::Tensor& input, at::TensorList /*parameters*/) {
    graphs->input.copy_(input);
    graphs->forward.replay();
    context->set_materialize_grads(false);  // gradients of unused outputs are zeroed in place
    context->saved_data["use"] = *graphs->uses;
    context->saved_data["graphs"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(graphs));
    variable_list outputs;
    for (const at::Tensor& output : graphs->forward.outputs) outputs.push_back(output.detach());
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    Graphs& graphs = *static_cast<Holder&>(*context->saved_data["graphs"].toCapsule()).graphs;
    TORCH_CHECK(context->saved_data["use"].toInt() == *graphs.uses,
                "the CUDA graph has been replayed since: run backward once for every call before "
                "the next call");
    ++*graphs.uses;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) {
        graphs.outputGradients[i].copy_(gradients[i]);
      } else {
        graphs.outputGradients[i].zero_();
      }
    }
    graphs.backward.replay();
    variable_list result(2);  // graphs and input have none
    // Returns the graphs' own tensors, which have another reference: AccumulateGrad would steal a
    // gradient without one instead of copying it, and the next replay would overwrite it.
    const std::vector<at::Tensor>& own = graphs.backward.outputs;
    result.insert(result.end(), own.begin(), own.end());
    return result;
  }
};

}  // namespace

CudaGraphFunction::CudaGraphFunction(Compute compute, Reads reads, CudaGraphCapture capture)
    : compute_(std::move(compute)), reads_(std::move(reads)), capture_(std::move(capture)) {}

CudaGraphFunction::~CudaGraphFunction() = default;

std::vector<at::Tensor> CudaGraphFunction::operator()(const at::Tensor& input) {
  if (!failure_.empty()) return compute_(input);
  dropStale();
  auto [place, isNew] = graphs_.try_emplace({input.sizes().vec(), input.scalar_type()});
  std::shared_ptr<Graphs>& graphs = place->second;
  if (!graphs) {
    const bool hasRoom = capturedShapes() < kMostShapes;
    if (isNew && hasRoom) chooseAlgorithms(input);
    if (!isNew && hasRoom) graphs = capturedOrNot(input);
    leavesOutShapes_ |= !isNew && !hasRoom;
  }
  if (!graphs) return compute_(input);
  ++*uses_;
  return ReplayFunction<Graphs>::apply(graphs, input, at::TensorList(reads_.parameters));
}

void CudaGraphFunction::dropStale() {
  const auto& [parameters, constants] = reads_;
  const bool isSame =
      std::ranges::equal(parameterVersions_, parameters, &TensorVersion::hasMemoryOf) &&
      std::ranges::equal(constantVersions_, constants, &TensorVersion::isCurrentOf);
  if (isSame) return;
  graphs_.clear();
  parameterVersions_ = versionsOf(parameters);
  constantVersions_ = versionsOf(constants);
}

void CudaGraphFunction::chooseAlgorithms(const at::Tensor& input) {
  if (isDeterministic()) return;
  Graphs first;
  first.input = input.detach();
  try {
    first.warmUp(compute_, reads_.parameters);
  } catch (const c10::Error&) {
    // Only a warm-up: a real error is thrown again in the actual pass.
  }
}

std::shared_ptr<CudaGraphFunction::Graphs> CudaGraphFunction::capturedOrNot(
    const at::Tensor& input) {
  try {
    return captured(input);
  } catch (const c10::Error& error) {
    failure_ = error.what_without_backtrace();
    return nullptr;
  }
}

std::shared_ptr<CudaGraphFunction::Graphs> CudaGraphFunction::captured(const at::Tensor& input) {
  auto graphs = std::make_shared<Graphs>();
  graphs->input = input.detach().clone();
  graphs->uses = uses_;
  Graphs* const own = graphs.get();
  const TensorCacheWatch cached;
  for (int i = 0; i < kWarmUps; ++i) own->warmUp(compute_, reads_.parameters);
  std::vector<at::Tensor> reads = cached.tensors();
  reads.push_back(own->input);
  for (const auto* versions : {&parameterVersions_, &constantVersions_})
    for (const TensorVersion& version : *versions) reads.push_back(version.memory());
  own->forward = capture_({[own, this] { return own->runForward(compute_); }, reads});
  reads.insert(reads.end(), own->outputGradients.begin(), own->outputGradients.end());
  own->backward = capture_({[own, this] { return own->runBackward(reads_.parameters); }, reads});
  return graphs;
}

std::size_t CudaGraphFunction::capturedShapes() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(graphs_, [](const auto& entry) { return entry.second != nullptr; }));
}

}  // namespace lockstep::model
