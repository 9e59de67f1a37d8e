#include "tests/worker/job_bench.h"

#include <ATen/ATen.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/config/load.h"
#include "tests/train/small_training.h"

namespace lockstep::tests {

JobBench::JobBench() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw Error("no socket pair");
  ownEnd_.reset(ends[0]);
  workerEnd_.reset(ends[1]);
}

protocol::Finished JobBench::run(const protocol::Work& work) {
  receiver_ = std::jthread([this] { receive(); });
  /// The receiver ends when the worker's end is shut.
  struct Shut {
    int end;
    std::jthread& receiver;
    ~Shut() {
      ::shutdown(end, SHUT_WR);
      receiver.join();
    }
  } const shut{workerEnd_.get(), receiver_};
  worker::Channel channel(workerEnd_.get());
  train::PhaseReport phase;
  worker::WorkerWorld world(phase);
  const protocol::RankPlacement placement;
  return worker::runWork(work, {placement, world, channel, mailbox, phase});
}

void JobBench::receive() {
  protocol::LineBuffer lines;
  char bytes[4096];
  for (ssize_t count; (count = ::read(ownEnd_.get(), bytes, sizeof bytes)) > 0;) {
    lines.append({bytes, static_cast<std::size_t>(count)});
    for (std::string line; lines.next(line) == protocol::LineBuffer::Result::Line;) {
      if (onMessage) onMessage(protocol::decodeWorkerMessage(line));
    }
  }
}

protocol::TrainedModel modelOf(const config::Experiment& experiment, const std::string& weights) {
  return {config::writeExperiment(experiment), weights, 0};
}

config::Experiment makeSmallModel(const std::string& folder) {
  writeShapes(folder + "/shapes");
  const config::Experiment experiment = smallExperiment(folder + "/shapes", 1);
  const auto trainSet = coco::Dataset::load(experiment.dataset.train.annotations);
  const auto classes = static_cast<std::int64_t>(trainSet.categories().size()) + 1;
  const model::MaskRcnn model(experiment.model, classes, 1);
  const at::NoGradGuard noGradients;
  for (const auto& [name, tensor] : model.namedState()) {
    if (name.starts_with("roi_heads.box_predictor.cls_score.")) tensor.zero_();
  }
  checkpoint::writeSafetensors(folder + "/weights.safetensors",
                               checkpoint::inFileShapes(model.namedState()),
                               checkpoint::toMetadata(train::modelFacts(experiment, trainSet)));
  return experiment;
}

}  // namespace lockstep::tests
