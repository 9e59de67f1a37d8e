// A lockstep-worker whose check always succeeds and whose training reports twelve steps and a
// checkpoint at the tenth, and then fails as $LOCKSTEP_TEST_FAULT says for its rank: `rank 0|rank
// 1`.
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "engine/base/crc32c.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/worker/serve.h"

namespace {

using namespace lockstep;

[[noreturn]] void throwCudaError() {
  throw c10::AcceleratorError({"step", "step.cpp", 1}, 719,
                              "CUDA error: unspecified launch failure\nCUDA kernel errors might be "
                              "asynchronously reported at some other API call");
}

[[noreturn]] void throwNcclError() {
  throw c10::DistBackendError(
      "NCCL error in: /x.cpp:7, remote process exited\nncclRemoteError: A call failed", nullptr);
}

/// Like a tensor that cannot be freed after a CUDA error.
struct ThrowsInDestructor {
  ~ThrowsInDestructor() { throwCudaError(); }
};

void failAs(const std::string& fault, train::PhaseReport& phase) {
  if (fault == "gpu") throwCudaError();
  if (fault == "memory") {
    throw c10::OutOfMemoryError(
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of "
        "which 1.00 GiB is free. Including non-PyTorch memory, this process has 7.00 GiB memory in "
        "use. Of the allocated memory 6.50 GiB is allocated by PyTorch",
        nullptr);
  }
  if (fault == "destructor") {
    const ThrowsInDestructor tensor;
    throw c10::Error("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", nullptr);
  }
  if (fault == "thread") {
    std::thread([] { throwCudaError(); }).join();
  }
  if (fault == "peer") throwNcclError();
  if (fault == "peer in a thread") {
    phase.note("gradients", true);
    std::thread([] { throwNcclError(); }).join();
  }
  for (;;) ::pause();  // until the supervisor kills the process
}

void sendSteps(const worker::JobContext& context) {
  protocol::ScalarBatch batch;
  for (std::int64_t step = 1; step <= 12; ++step)
    batch.records.push_back(
        {0, step, 1000.0 + static_cast<double>(step), {{"train/loss_total", 1}}});
  context.channel.send(protocol::State{.state = protocol::RunState::Running});
  context.channel.send(batch);
}

void sendCheckpoint(const protocol::TrainJob& job, const worker::JobContext& context,
                    std::int64_t step) {
  const auto partial = run_folder::Layout(job.runFolder).partialCheckpoint(step);
  std::filesystem::create_directories(partial);
  run_folder::TrainingState state;
  state.step = step;
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    std::ofstream(partial / name) << "x";
    state.files.push_back({name, 1, base::crc32c("x")});
  }
  run_folder::writeTrainingState(partial, state);
  context.channel.send(protocol::CheckpointReady{step, partial.string(), false, false, "", ""});
}

std::string faultOf(int rank) {
  const char* text = std::getenv("LOCKSTEP_TEST_FAULT");
  std::string faults = text != nullptr ? text : "";
  for (; rank > 0 && !faults.empty(); --rank) {
    const std::size_t end = faults.find('|');
    faults = end == std::string::npos ? "" : faults.substr(end + 1);
  }
  return faults.substr(0, faults.find('|'));
}

/// Returns once both ranks are here: a peer can be lost only after it has come.
void meetOtherRank(const std::filesystem::path& runFolder, int rank) {
  if (faultOf(0).empty() || faultOf(1).empty()) return;
  const std::string meeting = runFolder / "meeting";
  ::mkfifo(meeting.c_str(), 0600);  // or the other rank does
  ::close(::open(meeting.c_str(), rank == 0 ? O_RDONLY : O_WRONLY));
}

protocol::Finished trainAndFail(const protocol::TrainJob& job, const worker::JobContext& context) {
  const int rank = context.placement.localRank;
  const bool isResume = !job.resumeFrom.empty();
  context.phase.rank = rank;
  if (rank == 0) {
    context.channel.send(protocol::Listening{9});
    if (!isResume) sendSteps(context);
    sendCheckpoint(job, context, isResume ? 14 : 10);
    if (isResume) return {.step = 14};
  }
  context.phase.step = 12;
  context.phase.phase = protocol::Phase::Backward;
  meetOtherRank(job.runFolder, rank);
  failAs(faultOf(rank), context.phase);
  return {.step = 12};
}

protocol::Finished runFaulty(const protocol::Work& work, const worker::JobContext& context) {
  const auto* train = std::get_if<protocol::TrainJob>(&work);
  return train != nullptr ? trainAndFail(*train, context)
                          : protocol::Finished{.result = protocol::CheckResult()};
}

}  // namespace

int main(int argc, char** argv) {
  int fd = -1;
  if (argc >= 3) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), fd);
  return worker::serve(fd, runFaulty);
}
