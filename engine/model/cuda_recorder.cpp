#include "engine/model/cuda_recorder.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace lockstep::model {
namespace {

/// `later` does not begin before all that `earlier` was given so far is done.
void follow(const c10::cuda::CUDAStream& later, const c10::cuda::CUDAStream& earlier) {
  at::cuda::CUDAEvent event;
  event.record(earlier);
  event.block(later);
}

RecordedWork recordGraph(const Work& work, at::cuda::MempoolId_t pool,
                         const c10::cuda::CUDAStream& aside) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream();
  follow(aside, current);
  RecordedWork recorded;
  {
    const c10::cuda::CUDAStreamGuard guard(aside);
    // What other threads do with the device, such as NCCL's, is their affair.
    graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    try {
      recorded.results = work();
    } catch (...) {
      try {
        graph->capture_end();
      } catch (const c10::Error&) {  // the first error is the one that says something
      }
      throw;
    }
    graph->capture_end();
  }
  follow(current, aside);
  recorded.repeat = [graph] { graph->replay(); };
  return recorded;
}

}  // namespace

Recorder cudaRecorder() {
  // Recording is for streams other than the default one. Autograd runs backward on the stream of
  // forward, so both are recorded on the same.
  const auto pool = at::cuda::graph_pool_handle();
  const c10::cuda::CUDAStream aside = c10::cuda::getStreamFromPool();
  return [pool, aside](const Work& work) { return recordGraph(work, pool, aside); };
}

}  // namespace lockstep::model
