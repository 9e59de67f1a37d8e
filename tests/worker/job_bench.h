#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/worker/jobs.h"

namespace lockstep::tests {

/// Runs jobs in this process as lockstep-worker does, with a supervisor's end of the socket.
class JobBench {
 public:
  JobBench();
  JobBench(const JobBench&) = delete;

  using Function = protocol::Finished (*)(const worker::JobContext&);
  /// Blocks until the job has ended; what it throws goes on.
  protocol::Finished run(Function function, const protocol::Job& job);

  /// Called with each message of the worker, on a thread of its own.
  std::function<void(const protocol::WorkerMessage&)> onMessage;
  train::Mailbox mailbox;

 private:
  void receive();

  base::FileDescriptor ownEnd_, workerEnd_;
  std::jthread receiver_;
};

/// A job on an experiment, as lockstep-engine hands it over.
protocol::Job jobOn(const config::Experiment& experiment, const std::string& kind);

/// A small experiment on made scenes below `folder`, and the weights of its model in
/// `folder`/weights.safetensors: untrained, every class as probable as any other.
config::Experiment makeSmallModel(const std::string& folder);

}  // namespace lockstep::tests
