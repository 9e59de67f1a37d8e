#include <ATen/Parallel.h>

#include <QObject>
#include <QTest>
#include <vector>

#include "engine/ops/tensor_sums.h"
#include "engine/structures/tensor_block.h"
#include "tests/support/cuda_on_cpu.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
// After the emulated CUDA keywords.
#include "engine/ops/cuda/tensor_sums.cuh"

using namespace lockstep;

namespace {

std::vector<at::Tensor> randomTensors() {
  std::vector<at::Tensor> tensors;
  for (const std::int64_t size : {1, 0, 7, 16384, 16385, 123457})
    tensors.push_back(torch::randn({size}) + 0.5);
  tensors.push_back(torch::randn({6, 5, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast));
  return tensors;
}

std::vector<at::Tensor> changed(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> others;
  for (const at::Tensor& tensor : tensors)
    others.push_back(tensor + 1e-3 * torch::randn_like(tensor));
  return others;
}

at::Tensor expectedSums(const std::vector<at::Tensor>& tensors,
                        const std::vector<at::Tensor>& others) {
  std::vector<at::Tensor> rows;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor values = tensors[i].to(at::kDouble);
    std::vector<at::Tensor> row{values.sum(), values.square().sum()};
    if (!others.empty()) row.push_back((values - others[i].to(at::kDouble)).square().sum());
    rows.push_back(torch::stack(row));
  }
  return torch::stack(rows);
}

/// The launches of cuda::tensorSums with small chunks and few threads.
at::Tensor sumsByKernels(const std::vector<at::Tensor>& tensors,
                         const std::vector<at::Tensor>& others, int chunkSize) {
  constexpr unsigned kThreads = 8;
  std::vector<std::int64_t> values, otherValues, counts, firstChunks{0};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    values.push_back(reinterpret_cast<std::int64_t>(tensors[i].const_data_ptr<float>()));
    if (!others.empty())
      otherValues.push_back(reinterpret_cast<std::int64_t>(others[i].const_data_ptr<float>()));
    counts.push_back(tensors[i].numel());
    firstChunks.push_back(firstChunks.back() + ops::blocksFor(tensors[i].numel(), chunkSize));
  }
  const ops::SumJob job{values.data(),
                        others.empty() ? nullptr : otherValues.data(),
                        counts.data(),
                        firstChunks.data(),
                        static_cast<int>(tensors.size()),
                        chunkSize};
  const std::int64_t columns = others.empty() ? 2 : 3;
  at::Tensor chunkSums = torch::full({firstChunks.back(), columns}, std::nan(""), at::kDouble);
  at::Tensor result =
      torch::full({static_cast<std::int64_t>(tensors.size()), columns}, std::nan(""), at::kDouble);
  tests::launchOnCpu({static_cast<unsigned>(firstChunks.back()), 1, 1}, kThreads,
                     [&] { ops::chunkSumsKernel(job, chunkSums.data_ptr<double>()); });
  tests::launchOnCpu({static_cast<unsigned>(tensors.size()), 1, 1}, kThreads, [&] {
    ops::addChunksKernel(job, chunkSums.const_data_ptr<double>(), result.data_ptr<double>());
  });
  return result;
}

}  // namespace

class TstTensorSums : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(4); }

  void sumsEqualTorchInDouble() {
    const auto tensors = randomTensors(), others = changed(tensors);
    QVERIFY(torch::allclose(ops::tensorSums(tensors), expectedSums(tensors, {}), 1e-12, 1e-12));
    QVERIFY(torch::allclose(ops::tensorSums(tensors, others), expectedSums(tensors, others), 1e-12,
                            1e-12));
  }

  void theNumberOfThreadsChangesNoBit() {
    const auto tensors = randomTensors(), others = changed(tensors);
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const at::Tensor one = ops::tensorSums(tensors, others);
    at::set_num_threads(3);
    const at::Tensor three = ops::tensorSums(tensors, others);
    at::set_num_threads(before);
    QVERIFY(torch::equal(one, three));
  }

  void nonFiniteValuesStay() {
    const at::Tensor sums =
        ops::tensorSums({torch::tensor({1.f, std::nanf("")}), torch::tensor({INFINITY, 1.f})});
    QVERIFY(sums[0].isnan().all().item<bool>());
    QVERIFY(sums[1].isinf().all().item<bool>());
  }

  void otherLayoutsAreRejected() {
    const at::Tensor values = torch::randn({4, 6});
    QVERIFY_THROWS_EXCEPTION(c10::Error, ops::tensorSums({}));
    QVERIFY_THROWS_EXCEPTION(c10::Error, ops::tensorSums({values.to(at::kDouble)}));
    QVERIFY_THROWS_EXCEPTION(c10::Error, ops::tensorSums({values.slice(1, 0, 3)}));
    QVERIFY_THROWS_EXCEPTION(c10::Error, ops::tensorSums({values}, {values.t().contiguous().t()}));
  }

  void kernelsEqualTheCpu() {
    const std::vector<at::Tensor> tensors{torch::randn({5}), torch::randn({0}), torch::randn({64}),
                                          torch::randn({0}), torch::randn({130})};
    const auto others = changed(tensors);
    for (const int chunkSize : {16, 64, 1000}) {
      QVERIFY(torch::allclose(sumsByKernels(tensors, {}, chunkSize), ops::tensorSums(tensors),
                              1e-12, 1e-12));
      QVERIFY(torch::allclose(sumsByKernels(tensors, others, chunkSize),
                              ops::tensorSums(tensors, others), 1e-12, 1e-12));
    }
  }
};

LOCKSTEP_TEST(TstTensorSums)
#include "tst_tensor_sums.moc"
