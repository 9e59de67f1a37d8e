#include "tests/support/torch.h"
//
#include <QTest>
#include <cerrno>
#include <new>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/train/exception_text.h"
#include "engine/train/failure.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using protocol::FailureCause;
using tests::contains;
using train::Failure;
using train::FailureFacts;

namespace {

const FailureFacts kBackward{12, protocol::Phase::Backward, false, "GPU 1 (NVIDIA H200)"};

template <typename Exception>
Failure failureOf(const std::string& text, FailureFacts facts = kBackward) {
  return train::failureOf(Exception(text, nullptr), facts);
}

/// As c10_cuda_check_implementation() throws it.
Failure cudaFailure(int code, const std::string& what, FailureFacts facts = kBackward) {
  const std::string text =
      "CUDA error: " + what +
      "\nSearch for `cudaErrorX' in https://docs.nvidia.com/cuda for more information.\n"
      "CUDA kernel errors might be asynchronously reported at some other API call, so the "
      "stacktrace below might be incorrect.\nFor debugging consider passing "
      "CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side "
      "assertions.\n";
  return train::failureOf(c10::AcceleratorError({"f", "x.cpp", 1}, code, text), facts);
}

/// As the caching allocator of LibTorch 2.11 words it.
constexpr const char* kOutOfMemory =
    "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 1 has a total capacity of 139.81 GiB of "
    "which 9.81 GiB is free. Process 4711 has 10.00 GiB memory in use. Including non-PyTorch "
    "memory, this process has 120.00 GiB memory in use. Of the allocated memory 118.50 GiB is "
    "allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated. If reserved but "
    "unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True";

}  // namespace

class TstFailure : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gpuOomNamesSizesAndKeys() {
    const Failure failure = failureOf<c10::OutOfMemoryError>(kOutOfMemory);
    QCOMPARE(QString::fromStdString(failure.message),
             QStringLiteral(
                 "out of memory on GPU 1 (NVIDIA H200): it takes at least 138.5 GiB (118.5 GiB "
                 "are held, 20.0 GiB more requested), and the GPU has 139.8 GiB, of which other "
                 "programs hold 10.0 GiB (nvidia-smi); lower solver.batch_size or raise "
                 "solver.accumulate, lower augment.min_size, augment.max_size or "
                 "model.box_head.batch_size_per_image, or set runtime.precision to bf16 "
                 "if it is not"));
    QCOMPARE(failure.cause, FailureCause::OutOfMemory);
    QCOMPARE(failure.exitStatus, 1);
  }

  void gpuOomNamesOtherProgramsOnlyIfTheyUseMuch() {
    std::string alone = kOutOfMemory;
    alone.replace(alone.find("9.81 GiB is free"), 4, "19.5");
    QVERIFY(!contains(failureOf<c10::OutOfMemoryError>(alone).message, "other programs"));
  }

  void oomInEvaluationNamesOtherKeys() {
    FailureFacts facts = kBackward;
    facts.phase = protocol::Phase::Evaluating;
    const Failure failure = failureOf<c10::OutOfMemoryError>(kOutOfMemory, facts);
    QVERIFY(!contains(failure.message, "batch_size"));
    QVERIFY2(contains(failure.message, "augment.max_size"), failure.message.c_str());
  }

  void oomOfAnyGpuLibraryIsOutOfMemory_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
          "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
          "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
          "NCCL error in: /p/NCCLUtils.hpp:317, unhandled cuda error, NCCL version 2.27.5\n"
          "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\n"
          "Cuda failure 2 'out of memory'"})
      QTest::newRow(text) << text;
  }
  void oomOfAnyGpuLibraryIsOutOfMemory() {
    QFETCH(QString, text);
    const Failure failure = failureOf<c10::Error>(text.toStdString());
    QCOMPARE(failure.cause, FailureCause::OutOfMemory);
    QVERIFY2(failure.message.starts_with("out of memory on GPU 1 (NVIDIA H200); lower "),
             failure.message.c_str());
  }

  void driverOomIsNotAGpuFailure() {
    QCOMPARE(cudaFailure(2, "out of memory").cause, FailureCause::OutOfMemory);
  }

  void hostOomIsOutOfMemory() {
    const Failure torch = failureOf<c10::Error>(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
        "you tried to allocate 34359738368 bytes. Error code 12 (Cannot allocate memory)");
    QCOMPARE(torch.cause, FailureCause::OutOfMemory);
    QVERIFY2(torch.message.starts_with("out of memory: 32.0 GiB more requested; lower "),
             torch.message.c_str());
    QVERIFY(!contains(torch.message, "precision"));
    QCOMPARE(train::failureOf(std::bad_alloc(), {}).cause, FailureCause::OutOfMemory);
  }

  void gpuFailureNamesTheStep() {
    const Failure failure = cudaFailure(719, "unspecified launch failure");
    QCOMPARE(QString::fromStdString(failure.message),
             QStringLiteral("GPU 1 (NVIDIA H200) failed at or before step 12: unspecified launch "
                            "failure; `dmesg | grep -i xid` shows the driver's error"));
    QCOMPARE(failure.cause, FailureCause::Gpu);
    QCOMPARE(failure.exitStatus, 1);
    FailureFacts start = kBackward;
    start.step = 0;
    QVERIFY(contains(cudaFailure(214, "uncorrectable ECC error encountered", start).message,
                     "failed before the first step: uncorrectable ECC error"));
  }

  void kernelBugNamesCudaLaunchBlocking() {
    for (const char* what :
         {"device-side assert triggered", "an illegal memory access was encountered"})
      QVERIFY(contains(cudaFailure(710, what).message, "CUDA_LAUNCH_BLOCKING=1"));
  }

  void errorOfAnyGpuLibraryIsAGpuFailure_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
          "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle)`",
          "CUDA driver error: device not ready",
          "NCCL error in: /p/ProcessGroupNCCL.cpp:77, unhandled cuda error, NCCL version 2.27.5\n"
          "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\n"
          "Cuda failure 719 'unspecified launch failure'"})
      QTest::newRow(text) << text;
  }
  void errorOfAnyGpuLibraryIsAGpuFailure() {
    QFETCH(QString, text);
    FailureFacts facts = kBackward;
    facts.isWaiting = true;  // its own collective breaks, too: that is not the other ranks' doing
    QCOMPARE(failureOf<c10::DistBackendError>(text.toStdString(), facts).cause, FailureCause::Gpu);
  }

  void brokenConnectionIsALostPeer() {
    const Failure failure = failureOf<c10::DistBackendError>(
        "NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, remote "
        "process exited or there was a network error, NCCL version 2.27.5\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote process "
        "exiting prematurely.\nLast error:\nsocketProgress: Connection closed by remote peer");
    QCOMPARE(QString::fromStdString(failure.message),
             QStringLiteral(
                 "the connection to the other ranks broke: remote process exited or there was a "
                 "network error, NCCL version 2.27.5; ncclRemoteError: A call failed possibly due "
                 "to a network error or a remote process exiting prematurely.; Last error: "
                 "socketProgress: Connection closed by remote peer"));
    QCOMPARE(failure.cause, FailureCause::LostPeer);
    FailureFacts waiting = kBackward;
    waiting.isWaiting = true;
    const std::runtime_error gloo("[gloo/transport/tcp/pair.cc:547] Connection closed by peer");
    QCOMPARE(train::failureOf(gloo, waiting).cause, FailureCause::LostPeer);
    QCOMPARE(train::failureOf(gloo, kBackward).cause, FailureCause::Exception);
    QCOMPARE(failureOf<c10::DistNetworkError>("Connection reset by peer").cause,
             FailureCause::LostPeer);
  }

  void ncclMisuseIsNotALostPeer() {
    FailureFacts waiting = kBackward;
    waiting.isWaiting = true;
    const Failure failure = failureOf<c10::DistBackendError>(
        "NCCL error in: /p/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details)"
        "\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\n"
        "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000",
        waiting);
    QCOMPARE(failure.cause, FailureCause::Exception);
    QVERIFY2(contains(failure.message, "Last error: Duplicate GPU detected"),
             failure.message.c_str());
  }

  void ownErrorKeepsItsMessageAndStatus() {
    FailureFacts waiting = kBackward;
    waiting.isWaiting = true;
    const Failure failure = train::failureOf(UserError("weights do not fit"), waiting);
    QCOMPARE(failure.message, std::string("weights do not fit"));
    QCOMPARE(failure.cause, FailureCause::Error);
    QCOMPARE(failure.exitStatus, 2);
    QCOMPARE(train::failureOf(Error("a.jpg is truncated"), kBackward).exitStatus, 1);
    const base::SystemError ofMachine("a.jpg: cannot read: Input/output error", EIO);
    QCOMPARE(train::failureOf(ofMachine, kBackward).cause, FailureCause::System);
  }

  void otherExceptionsAreOneLine() {
    const Failure failure = failureOf<c10::Error>("boxes must be [N,4]\n\n  got [3]\n");
    QCOMPARE(failure.cause, FailureCause::Exception);
    QCOMPARE(failure.message, std::string("boxes must be [N,4]; got [3]"));
  }
};

LOCKSTEP_TEST(TstFailure)
#include "tst_failure.moc"
