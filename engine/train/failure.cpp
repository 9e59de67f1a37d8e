#include "engine/train/failure.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/data/bad_image.h"
#include "engine/dist/rank_error.h"
#include "engine/train/exception_text.h"

namespace lockstep::train {
namespace {

using protocol::FailureCause;
using protocol::Phase;

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool holdsAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [text](std::string_view part) { return holds(text, part); });
}

/// Out-of-memory errors of libraries that do not use LibTorch's allocator. NCCL reports
/// cudaErrorMemoryAllocation by its number, 2.
constexpr std::array<std::string_view, 5> kGpuMemory{
    "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED",
    "ALLOCATION_FAILED", "Cuda failure 2"};
constexpr std::array<std::string_view, 2> kHostMemory{"DefaultCPUAllocator",
                                                      "Cannot allocate memory"};
constexpr std::array<std::string_view, 8> kGpuErrors{
    "CUDA error",     "CUDA driver error",      "cuDNN error",          "CUDNN_STATUS_",
    "CUBLAS_STATUS_", "ncclUnhandledCudaError", "unhandled cuda error", "Cuda failure"};
/// Bugs of kernels; other GPU errors come from the driver or the hardware.
constexpr std::array<std::string_view, 4> kKernelBugs{"device-side assert", "illegal memory access",
                                                      "misaligned address", "illegal instruction"};
/// NCCL's errors for wrong calls.
constexpr std::array<std::string_view, 2> kNcclMisuse{"ncclInvalidUsage", "ncclInvalidArgument"};

// ---- memory

/// The size in bytes behind `words`: `Tried to allocate 20.00 MiB`.
std::optional<double> sizeBehind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest(text.substr(at + words.size(), 40));
  char* end = nullptr;
  const double value = std::strtod(rest.c_str(), &end);
  if (end == rest.c_str()) return std::nullopt;
  const std::string_view unit(end);
  constexpr std::array<std::string_view, 3> kUnits{" KiB", " MiB", " GiB"};
  double factor = 1;
  for (std::size_t i = 0; i < kUnits.size(); ++i)
    if (unit.starts_with(kUnits[i]))
      factor = static_cast<double>(std::int64_t{1} << (10 * (i + 1)));
  return value * factor;
}

/// From the message of LibTorch's CUDA caching allocator.
std::string gpuMemoryText(std::string_view text) {
  const auto asked = sizeBehind(text, "Tried to allocate ");
  const auto total = sizeBehind(text, "total capacity of ");
  const auto free = sizeBehind(text, "of which ");
  const auto held = sizeBehind(text, "Of the allocated memory ");
  const auto own = sizeBehind(text, "this process has ");
  if (!asked || !total || !held) return {};
  std::string detail = ": it takes at least " + base::gibibytes(*held + *asked) + " (" +
                       base::gibibytes(*held) + " are held, " + base::gibibytes(*asked) +
                       " more requested), and the GPU has " + base::gibibytes(*total);
  const double others = own && free ? *total - *free - *own : 0;
  if (others > 0.05 * *total)
    detail += ", of which other programs hold " + base::gibibytes(others) + " (nvidia-smi)";
  return detail;
}

bool runsSingleImages(Phase phase) {
  return phase == Phase::Evaluating || phase == Phase::Predicting;
}

/// The keys that decide how much memory is needed.
std::string remedyText(Phase phase) {
  if (runsSingleImages(phase))
    return "lower augment.min_size (its last) or augment.max_size, or "
           "model.rpn.post_nms_top_n_test";
  return "lower solver.batch_size or raise solver.accumulate, lower augment.min_size, "
         "augment.max_size or model.box_head.batch_size_per_image";
}

Failure gpuMemoryFailure(const std::string& text, const FailureFacts& facts) {
  const std::string gpu = facts.gpu.empty() ? "the GPU" : facts.gpu;
  return {"out of memory on " + gpu + gpuMemoryText(text) + "; " + remedyText(facts.phase) +
              ", or set runtime.precision to bf16 if it is not",
          FailureCause::OutOfMemory};
}

Failure hostMemoryFailure(const std::string& text, const FailureFacts& facts) {
  const auto asked = sizeBehind(text, "you tried to allocate ");
  const std::string detail = asked ? ": " + base::gibibytes(*asked) + " more requested" : "";
  return {"out of memory" + detail + "; " + remedyText(facts.phase) +
              ", or use fewer ranks on this machine",
          FailureCause::OutOfMemory};
}

// ---- GPUs

Failure gpuFailure(std::string text, const FailureFacts& facts) {
  constexpr std::string_view kWord = "CUDA error: ";
  if (text.starts_with(kWord)) text.erase(0, kWord.size());
  // Kernels run asynchronously.
  const std::string when = facts.step > 0 ? " at or before step " + std::to_string(facts.step)
                           : runsSingleImages(facts.phase) ? ""
                                                           : " before the first step";
  const std::string gpu = facts.gpu.empty() ? "a GPU" : facts.gpu;
  const char* const help =
      holdsAny(text, kKernelBugs)
          ? "; CUDA_LAUNCH_BLOCKING=1 in the environment locates it if it recurs"
          : "; `dmesg | grep -i xid` shows the driver's error";
  return {gpu + " failed" + when + ": " + text + help, FailureCause::Gpu};
}

bool isGpuError(const std::exception& exception, std::string_view text) {
  return dynamic_cast<const c10::AcceleratorError*>(&exception) != nullptr ||
         holdsAny(text, kGpuErrors);
}

}  // namespace

Failure failureOf(const std::exception& exception, const FailureFacts& facts) {
  if (const auto* ofRank = dynamic_cast<const dist::RankError*>(&exception))
    return {ofRank->what(), ofRank->cause(), 1, ofRank->rank(), ofRank->host()};
  if (dynamic_cast<const data::BadImage*>(&exception))
    return {exception.what(), FailureCause::BadImage};
  if (dynamic_cast<const base::SystemError*>(&exception))
    return {exception.what(), FailureCause::System};
  if (const auto* own = dynamic_cast<const Error*>(&exception))
    return {own->what(), FailureCause::Error, static_cast<int>(own->status())};
  const std::string text = exceptionText(exception);
  if (dynamic_cast<const c10::OutOfMemoryError*>(&exception) || holdsAny(text, kGpuMemory))
    return gpuMemoryFailure(text, facts);
  if (dynamic_cast<const std::bad_alloc*>(&exception) || holdsAny(text, kHostMemory))
    return hostMemoryFailure(text, facts);
  // A rank's own GPU breaks its collectives as well.
  if (isGpuError(exception, text)) return gpuFailure(text, facts);
  const bool isOfWorld = dynamic_cast<const c10::DistError*>(&exception) != nullptr;
  if ((isOfWorld || facts.isWaiting) && !holdsAny(text, kNcclMisuse))
    return {"the connection to the other ranks broke: " + text, FailureCause::LostPeer};
  return {text, FailureCause::Exception};
}

}  // namespace lockstep::train
