// Steps of Mask R-CNN R50-FPN as with pretrained weights, in bfloat16 on the CPU, with padded
// tensors as on a GPU. Prints the operators of a step on each batch, in the order in which they
// start, one line of JSON each:
//   {"step":0, "depth":1, "name":"aten::add", "inputs":[…], "outputs":[…]}
// depth: nesting depth of the operator. A tensor is {"type":"BFloat16", "shape":[8,256],
// "stored":2048}; stored: elements in memory, fewer if it is expanded. One of our operators has
// the autograd nodes that it made, "nodes":[first, behind the last], a run autograd node its
// "node". usage: roofline_step CLASSES BATCH.safetensors…
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/types.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/checkpoint/safetensors.h"
#include "engine/ops/resize_images.h"
#include "tests/support/training.h"

using namespace lockstep;
using nlohmann::json;

namespace {

json described(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  std::int64_t stored = 1;
  for (std::int64_t i = 0; i < tensor.dim(); ++i)
    if (tensor.stride(i) != 0) stored *= tensor.size(i);
  return {{"type", c10::toString(tensor.scalar_type())},
          {"shape", tensor.sizes().vec()},
          {"stored", stored}};
}

/// null: neither a tensor, a number, nor a list of such.
json described(const c10::IValue& value) {
  if (value.isTensor()) return described(value.toTensor());
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isBool()) return value.toBool();
  if (!value.isList()) return nullptr;
  json list = json::array();
  for (const c10::IValue& each : value.toListRef()) list.push_back(described(each));
  return list;
}

template <typename Values>
json describedAll(const Values& values) {
  json list = json::array();
  for (const c10::IValue& value : values) list.push_back(described(value));
  return list;
}

/// The operators that ran on this thread, which is also that of a CPU's backward pass.
std::vector<json> operators;
std::vector<std::size_t> running;  // among them, outermost first

std::int64_t nextNode() { return static_cast<std::int64_t>(at::sequence_number::peek()); }

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  json entry{{"depth", running.size()},
             {"name", function.name()},
             {"inputs", describedAll(function.inputs())}};
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    entry["node"] = function.seqNr();
  } else if (std::string_view(function.name()).starts_with("lockstep::")) {
    entry["nodes"] = {nextNode(), nextNode()};
  }
  running.push_back(operators.size());
  operators.push_back(std::move(entry));
  return nullptr;
}

void leave(const at::RecordFunction& function, at::ObserverContext*) {
  json& entry = operators[running.back()];
  running.pop_back();
  entry["outputs"] = describedAll(function.outputs());
  if (entry.contains("nodes")) entry["nodes"][1] = nextNode();
}

void recordStep(tests::Training& training, const data::Batch& batch) {
  operators.clear();
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(enter, leave)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  training.step(batch);
  at::removeCallback(handle);
}

/// Images as DeviceFeed makes them on a GPU.
data::Batch readBatch(const std::string& file) {
  const auto tensors = checkpoint::readSafetensors(file).tensors;
  data::Batch batch = tests::batchOf({tensors.begin(), tensors.end()});
  batch.images = ops::withFourChannels(
      batch.images.to(at::kBFloat16, false, false, at::MemoryFormat::ChannelsLast));
  return batch;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: roofline_step CLASSES BATCH.safetensors…\n", stderr);
    return 2;
  }
  tests::TrainingSetup setup{.model = tests::modelAsPretrained(), .classes = std::stoll(argv[1])};
  setup.type = at::kBFloat16;
  setup.rowShapes = model::RowShapes::Fixed;
  tests::Training training(at::kCPU, setup);
  // One-time work: gradients are allocated, weights are folded, anchors are cached.
  training.step(readBatch(argv[2]));
  for (int i = 2; i < argc; ++i) {
    recordStep(training, readBatch(argv[i]));
    for (json& entry : operators) {
      entry["step"] = i - 2;
      std::printf("%s\n", entry.dump().c_str());
    }
  }
}
