#include "engine/model/cuda_recorder.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <memory>

namespace lockstep::model {
namespace {

/// What capture_end() leaves undone where it throws: until the allocators hear that a recording is
/// over they give out nothing again that another stream has used.
void releasePool(at::cuda::MempoolId_t pool) {
  try {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(c10::cuda::current_device(), pool);
  } catch (const c10::Error&) {  // it was over
  }
  try {
    at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(pool);
  } catch (const c10::Error&) {
  }
}

void endRecording(at::cuda::CUDAGraph& graph, at::cuda::MempoolId_t pool) {
  try {
    graph.capture_end();
  } catch (const c10::Error&) {
    releasePool(pool);
    throw;
  }
}

RecordedWork recordGraph(const Work& work, at::cuda::MempoolId_t pool) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  RecordedWork recorded;
  // What other threads do with the device, such as NCCL's, is their affair.
  graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  try {
    recorded.results = work.run();
  } catch (...) {
    try {
      endRecording(*graph, pool);
    } catch (const c10::Error&) {  // the first error is the one that says something
    }
    throw;
  }
  endRecording(*graph, pool);
  recorded.repeat = [graph, reads = work.reads] { graph->replay(); };
  return recorded;
}

}  // namespace

Recorder cudaRecorder() {
  return
      [pool = at::cuda::graph_pool_handle()](const Work& work) { return recordGraph(work, pool); };
}

}  // namespace lockstep::model
