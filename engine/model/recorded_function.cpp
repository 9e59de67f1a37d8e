#include "engine/model/recorded_function.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Shapes that are kept: each holds its outputs and gradients. Further ones run without.
constexpr std::size_t kMostRecordings = 16;
/// Unrecorded runs on memory like that of the recording, so that libraries choose and allocate what
/// they will use.
constexpr int kWarmUps = 2;

}  // namespace

/// One shape of the input.
struct RecordedFunction::Recording {
  at::Tensor input;
  std::vector<at::Tensor> outputs;  // of the last forward run, attached to its graph
  std::vector<at::Tensor> outputGradients;
  RecordedWork forward,
      backward;  // the latter's results: gradients, undefined where there are none

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
                               at::TensorList parameters) {
    recording->input.copy_(input);
    recording->forward.repeat();
    context->saved_data["recording"] =
        c10::IValue::make_capsule(c10::make_intrusive<Holder>(recording));
    context->saved_data["parameters"] = static_cast<std::int64_t>(parameters.size());
    variable_list outputs;
    for (const at::Tensor& result : recording->forward.results) outputs.push_back(result.detach());
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    Recording& recording =
        *static_cast<Holder&>(*context->saved_data["recording"].toCapsule()).recording;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) {
        recording.outputGradients[i].copy_(gradients[i]);
      } else {
        recording.outputGradients[i].zero_();
      }
    }
    recording.backward.repeat();
    variable_list result(2);  // recording and input have none
    for (const at::Tensor& gradient : recording.backward.results)
      result.push_back(gradient.defined() ? gradient.detach() : gradient);
    return result;
  }
};

}  // namespace

RecordedFunction::RecordedFunction(Compute compute, std::vector<at::Tensor> parameters,
                                   Recorder recorder)
    : compute_(std::move(compute)),
      parameters_(std::move(parameters)),
      recorder_(std::move(recorder)) {}

RecordedFunction::~RecordedFunction() = default;

std::vector<at::Tensor> RecordedFunction::operator()(const at::Tensor& input) {
  if (!failure_.empty()) return compute_(input);
  auto [place, isNew] = recordings_.try_emplace(input.sizes().vec());
  std::shared_ptr<Recording>& recording = place->second;
  if (!recording && (isNew || recordedShapes() >= kMostRecordings)) return compute_(input);
  try {
    if (!recording) recording = record(input);
  } catch (const c10::Error& error) {
    failure_ = error.what_without_backtrace();
    return compute_(input);
  }
  return RepeatFunction<Recording>::apply(recording, input, at::TensorList(parameters_));
}

std::shared_ptr<RecordedFunction::Recording> RecordedFunction::record(const at::Tensor& input) {
  auto recording = std::make_shared<Recording>();
  recording->input = input.detach().clone();
  Recording* const own = recording.get();
  for (int i = 0; i < kWarmUps; ++i) {
    own->outputGradients.clear();
    for (const at::Tensor& result : own->runForward(compute_))
      own->outputGradients.push_back(at::zeros_like(result));
    own->runBackward(parameters_);
  }
  own->forward = recorder_([own, this] { return own->runForward(compute_); });
  own->backward = recorder_([own, this] { return own->runBackward(parameters_); });
  return recording;
}

std::size_t RecordedFunction::recordedShapes() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      recordings_, [](const auto& entry) { return entry.second != nullptr; }));
}

}  // namespace lockstep::model
