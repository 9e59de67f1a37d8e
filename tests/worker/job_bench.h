#pragma once

#include <functional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/worker/serve.h"

namespace lockstep::tests {

/// Runs jobs in this process as lockstep-worker does, with a supervisor's end of the socket.
class JobBench {
 public:
  JobBench();
  JobBench(const JobBench&) = delete;

  /// Blocks until the job has ended. Rethrows its exception.
  protocol::Finished run(const protocol::Work& work);
  template <typename Job>
  typename Job::Result resultOf(const Job& job) {
    return std::get<typename Job::Result>(run(job).result);
  }

  /// Called with each message of the worker, on a separate thread.
  std::function<void(const protocol::WorkerMessage&)> onMessage;
  train::Mailbox mailbox;

 private:
  void receive();

  base::FileDescriptor ownEnd_, workerEnd_;
  std::jthread receiver_;
};

/// A model of an experiment, as lockstep-engine sends it.
protocol::TrainedModel modelOf(const config::Experiment& experiment, const std::string& weights);

/// A small experiment on made scenes below `folder`, and the weights of its model in
/// `folder`/weights.safetensors: untrained, every class as probable as any other.
config::Experiment makeSmallModel(const std::string& folder);

}  // namespace lockstep::tests
