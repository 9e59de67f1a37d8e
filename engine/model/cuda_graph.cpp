#include "engine/model/cuda_graph.h"

#ifdef LOCKSTEP_CUDA
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <memory>
#else
#include <c10/util/Exception.h>
#endif

namespace lockstep::model {

#ifdef LOCKSTEP_CUDA
namespace {

/// Cleans up what capture_end() does not when it throws: until the allocators are told that the
/// capture has ended, they do not reuse memory that another stream has used.
void releasePool(at::cuda::MempoolId_t pool) {
  try {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(c10::cuda::current_device(), pool);
  } catch (const c10::Error&) {  // the capture had ended already
  }
  try {
    at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(pool);
  } catch (const c10::Error&) {
  }
}

void endCapture(at::cuda::CUDAGraph& graph, at::cuda::MempoolId_t pool) {
  try {
    graph.capture_end();
  } catch (const c10::Error&) {
    releasePool(pool);
    throw;
  }
}

CapturedCudaGraph capture(const CudaGraphWork& work, at::cuda::MempoolId_t pool) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  CapturedCudaGraph captured;
  // Thread-local mode: other threads, such as NCCL's, may call CUDA during the capture.
  graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  try {
    captured.outputs = work.run();
  } catch (...) {
    try {
      endCapture(*graph, pool);
    } catch (const c10::Error&) {  // the first error is the meaningful one
    }
    throw;
  }
  endCapture(*graph, pool);
  captured.replay = [graph, reads = work.reads] { graph->replay(); };
  return captured;
}

}  // namespace

CudaGraphCapture cudaGraphCapture() {
  return [pool = at::cuda::graph_pool_handle()](const CudaGraphWork& work) {
    return capture(work, pool);
  };
}
#else
CudaGraphCapture cudaGraphCapture() {
  TORCH_CHECK(false, "this program was built without CUDA graphs");
}
#endif

}  // namespace lockstep::model
