#include "engine/model/recorded_function.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "engine/model/kept_tensors.h"

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Unrecorded runs on memory like that of the recording, so that libraries choose and allocate what
/// they will use.
constexpr int kWarmUps = 2;

bool isDeterministic() {
  const at::Context& context = at::globalContext();
  return context.deterministicCuDNN() || context.deterministicAlgorithms();
}

/// While it lives cuDNN looks for the quickest algorithm of a convolution that it meets for the
/// first time, unless that may give other bits. It keeps the first that it used, however it came by
/// it.
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

/// One shape of the input.
struct RecordedFunction::Recording {
  at::Tensor input;
  std::vector<at::Tensor> outputs;  // of the last forward run, attached to its graph
  std::vector<at::Tensor> outputGradients;
  RecordedWork forward,
      backward;  // the latter's results: gradients, undefined where there are none
  std::shared_ptr<std::int64_t> uses;  // of the memory, by all recordings

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

/// Forward and backward by repetition: recording, input, parameters -> outputs.
template <typename Recording>
class RepeatFunction : public torch::autograd::Function<RepeatFunction<Recording>> {
 public:
  struct Holder : torch::CustomClassHolder {
    explicit Holder(std::shared_ptr<Recording> held) : recording(std::move(held)) {}
    std::shared_ptr<Recording> recording;
  };

  static variable_list forward(AutogradContext* context,
                               const std::shared_ptr<Recording>& recording, const at::Tensor& input,
                               at::TensorList /*parameters*/) {
    recording->input.copy_(input);
    recording->forward.repeat();
    context->set_materialize_grads(false);  // zeros of what is not used are written in place
    context->saved_data["use"] = *recording->uses;
    context->saved_data["recording"] =
        c10::IValue::make_capsule(c10::make_intrusive<Holder>(recording));
    variable_list outputs;
    for (const at::Tensor& result : recording->forward.results) outputs.push_back(result.detach());
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    Recording& recording =
        *static_cast<Holder&>(*context->saved_data["recording"].toCapsule()).recording;
    TORCH_CHECK(context->saved_data["use"].toInt() == *recording.uses,
                "what was recorded has been repeated since: every call must go backward, once, "
                "before the next");
    ++*recording.uses;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) {
        recording.outputGradients[i].copy_(gradients[i]);
      } else {
        recording.outputGradients[i].zero_();
      }
    }
    recording.backward.repeat();
    variable_list result(2);  // recording and input have none
    // These very tensors, which the recording has as well: of a gradient that nobody else has,
    // AccumulateGrad would make the parameter's without a copy, and the next repetition would write
    // over it.
    const std::vector<at::Tensor>& own = recording.backward.results;
    result.insert(result.end(), own.begin(), own.end());
    return result;
  }
};

}  // namespace

RecordedFunction::RecordedFunction(Compute compute, Reads reads, Recorder recorder)
    : compute_(std::move(compute)), reads_(std::move(reads)), recorder_(std::move(recorder)) {}

RecordedFunction::~RecordedFunction() = default;

std::vector<at::Tensor> RecordedFunction::operator()(const at::Tensor& input) {
  if (!failure_.empty()) return compute_(input);
  dropStale();
  auto [place, isNew] = recordings_.try_emplace({input.sizes().vec(), input.scalar_type()});
  std::shared_ptr<Recording>& recording = place->second;
  if (!recording) {
    const bool hasRoom = recordedShapes() < kMostRecordings;
    if (isNew && hasRoom) chooseAlgorithms(input);
    if (!isNew && hasRoom) recording = recordedOrNot(input);
    leavesOutShapes_ |= !isNew && !hasRoom;
  }
  if (!recording) return compute_(input);
  ++*uses_;
  return RepeatFunction<Recording>::apply(recording, input, at::TensorList(reads_.parameters));
}

void RecordedFunction::dropStale() {
  const auto& [parameters, constants] = reads_;
  const bool isSame = std::ranges::equal(parameterMarks_, parameters, &TensorMark::isPlaceOf) &&
                      std::ranges::equal(constantMarks_, constants, &TensorMark::isStateOf);
  if (isSame) return;
  recordings_.clear();
  parameterMarks_ = marksOf(parameters);
  constantMarks_ = marksOf(constants);
}

void RecordedFunction::chooseAlgorithms(const at::Tensor& input) {
  if (isDeterministic()) return;
  Recording first;
  first.input = input.detach();
  try {
    first.warmUp(compute_, reads_.parameters);
  } catch (const c10::Error&) {
    // It is a search and no more: what does not work at all says so in the pass that counts.
  }
}

std::shared_ptr<RecordedFunction::Recording> RecordedFunction::recordedOrNot(
    const at::Tensor& input) {
  try {
    return record(input);
  } catch (const c10::Error& error) {
    failure_ = error.what_without_backtrace();
    return nullptr;
  }
}

std::shared_ptr<RecordedFunction::Recording> RecordedFunction::record(const at::Tensor& input) {
  auto recording = std::make_shared<Recording>();
  recording->input = input.detach().clone();
  recording->uses = uses_;
  Recording* const own = recording.get();
  const KeptTensorsWatch kept;
  for (int i = 0; i < kWarmUps; ++i) own->warmUp(compute_, reads_.parameters);
  std::vector<at::Tensor> reads = kept.given();
  reads.push_back(own->input);
  for (const auto* marks : {&parameterMarks_, &constantMarks_})
    for (const TensorMark& mark : *marks) reads.push_back(mark.memory());
  own->forward = recorder_({[own, this] { return own->runForward(compute_); }, reads});
  reads.insert(reads.end(), own->outputGradients.begin(), own->outputGradients.end());
  own->backward = recorder_({[own, this] { return own->runBackward(reads_.parameters); }, reads});
  return recording;
}

std::size_t RecordedFunction::recordedShapes() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      recordings_, [](const auto& entry) { return entry.second != nullptr; }));
}

}  // namespace lockstep::model
