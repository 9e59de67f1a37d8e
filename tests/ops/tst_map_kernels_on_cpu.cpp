#include <QObject>
#include <QTest>
#include <vector>

#include "engine/ops/max_pool.h"
#include "tests/ops/map_kernel_launches.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

at::Tensor channelsLast(const at::Tensor& map) {
  return map.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor emptyMap(at::IntArrayRef sizes, at::ScalarType type) {
  return channelsLast(torch::full(sizes, 99, type));
}

/// Values, and gradients for `slopes`.
template <typename T, int kCount>
std::pair<at::Tensor, at::Tensor> poolByKernels(const at::Tensor& x, const at::Tensor& slopes) {
  at::Tensor out = emptyMap(slopes.sizes(), x.scalar_type()),
             grad = emptyMap(x.sizes(), x.scalar_type());
  tests::launchMaxPool<T, kCount>({x.size(0), x.size(1), x.size(2), x.size(3)},
                                  x.const_data_ptr<T>(), slopes.const_data_ptr<T>(),
                                  out.data_ptr<T>(), grad.data_ptr<T>());
  return {out, grad};
}

struct NormInputs {
  at::Tensor x, weight, bias, residual;  // residual undefined: none
  at::Tensor slopes;                     // the gradient of the result
};

/// The result and the gradients of x, weight, bias and residual.
using NormResults = std::vector<at::Tensor>;

/// With parts of this many pixels.
template <typename T, int kCount>
NormResults normByKernels(const NormInputs& in, std::int64_t groups, bool hasRelu, int partPixels) {
  using W = ops::Wide<T>;
  const std::int64_t images = in.x.size(0), channels = in.x.size(1),
                     pixels = in.x.size(2) * in.x.size(3);
  const bool hasResidual = in.residual.defined();
  at::Tensor out = emptyMap(in.x.sizes(), in.x.scalar_type()), gradX = out.clone(),
             gradResidual = out.clone(),
             parameters = torch::full({images, 2, channels}, 99, in.weight.scalar_type());
  tests::launchGroupNorm<T, kCount>(
      {static_cast<int>(channels), static_cast<int>(groups), pixels, partPixels,
       static_cast<int>((pixels + partPixels - 1) / partPixels)},
      images, hasRelu,
      {in.x.const_data_ptr<T>(), hasResidual ? in.residual.const_data_ptr<T>() : nullptr,
       in.slopes.const_data_ptr<T>(), in.weight.const_data_ptr<W>(), in.bias.const_data_ptr<W>(),
       out.data_ptr<T>(), gradX.data_ptr<T>(), gradResidual.data_ptr<T>(),
       parameters.data_ptr<W>()});
  const at::Tensor ofParameters = parameters.sum(0);
  return {out, gradX, ofParameters[0], ofParameters[1], hasResidual ? gradResidual : at::Tensor()};
}

/// LibTorch's own, in float64.
NormResults normExactly(const NormInputs& in, std::int64_t groups, bool hasRelu) {
  const auto leaf = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(at::kDouble, false, true).requires_grad_() : tensor;
  };
  const at::Tensor x = leaf(in.x), weight = leaf(in.weight), bias = leaf(in.bias),
                   residual = leaf(in.residual);
  at::Tensor out = at::group_norm(x, groups, weight, bias, 1e-5);
  if (residual.defined()) out = out + residual;
  if (hasRelu) out = out.relu();
  out.backward(in.slopes.to(at::kDouble));
  return {out.detach(), x.grad(), weight.grad(), bias.grad(),
          residual.defined() ? residual.grad() : residual};
}

/// Largest difference, beside the largest value.
double difference(const at::Tensor& value, const at::Tensor& reference) {
  return ((value.to(at::kDouble) - reference).abs().max() / reference.abs().max()).item<double>();
}

}  // namespace

/// Kernels over whole maps, run on the CPU: what is wrong in their logic shows without a GPU.
class TstMapKernelsOnCpu : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }

  void pooledMapsAreThoseOfTheCpu_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    for (const auto& [height, width] : {std::pair{8, 12}, {7, 9}, {1, 1}, {2, 5}})
      QTest::addRow("%d x %d", height, width) << height << width;
  }
  void pooledMapsAreThoseOfTheCpu() {
    QFETCH(int, height);
    QFETCH(int, width);
    // Few different values, so that there are ties, and one that is no number.
    at::Tensor x =
        channelsLast(torch::randint(-3, 4, {2, 16, height, width}).to(at::kFloat).relu());
    x[1][3][height / 2][width / 2] = NAN;
    at::Tensor leaf = x.clone().requires_grad_();
    const at::Tensor expected = ops::maxPool3x3(leaf);
    const at::Tensor slopes = channelsLast(torch::randint(-5, 6, expected.sizes()).to(at::kFloat));
    expected.backward(slopes);
    const auto check = [&](const std::pair<at::Tensor, at::Tensor>& got) {
      QVERIFY(at::equal(got.first.to(at::kFloat).nan_to_num(77), expected.nan_to_num(77)));
      QVERIFY(at::equal(got.second.to(at::kFloat), leaf.grad()));
    };
    check(poolByKernels<float, 4>(x, slopes));
    check(poolByKernels<float, 1>(x, slopes));
    check(poolByKernels<c10::BFloat16, 8>(x.to(at::kBFloat16), slopes.to(at::kBFloat16)));
  }

  void normalisedMapsAreLibTorchs_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("groups");
    QTest::addColumn<bool>("hasRelu");
    QTest::addColumn<bool>("hasResidual");
    // Packs of 4 channels: more than threads, no divisor of them, and fewer.
    for (const auto& [channels, groups] : {std::pair{80, 8}, {24, 8}, {16, 2}, {8, 8}}) {
      for (const bool relu : {false, true}) {
        for (const bool residual : {false, true}) {
          QTest::addRow("%d channels, %d groups%s%s", channels, groups, relu ? ", ReLU" : "",
                        residual ? ", residual" : "")
              << channels << groups << relu << residual;
        }
      }
    }
  }
  void normalisedMapsAreLibTorchs() {
    QFETCH(int, channels);
    QFETCH(int, groups);
    QFETCH(bool, hasRelu);
    QFETCH(bool, hasResidual);
    const auto map = [&] { return channelsLast(torch::randn({2, channels, 5, 9}) * 2 + 1); };
    const NormInputs in{map(), torch::randn({channels}), torch::randn({channels}),
                        hasResidual ? map() : at::Tensor(), map()};
    const NormResults expected = normExactly(in, groups, hasRelu);
    for (const auto& got : {normByKernels<float, 4>(in, groups, hasRelu, 7),
                            normByKernels<float, 1>(in, groups, hasRelu, 64)}) {
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (expected[i].defined()) QVERIFY(difference(got[i], expected[i]) < 1e-5);
    }
  }

  void halvesAreNormalisedInFloat() {
    const auto map = [] {
      return channelsLast((torch::randn({2, 16, 6, 7}) * 3 + 20)).to(at::kBFloat16);
    };
    const NormInputs in{map(), torch::randn({16}), torch::randn({16}), map(), map()};
    const NormResults expected = normExactly(in, 4, true),
                      got = normByKernels<c10::BFloat16, 8>(in, 4, true, 10);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool isHalf = got[i].scalar_type() == at::kBFloat16;
      QVERIFY(difference(got[i], expected[i]) < (isHalf ? 1.0 / 256 : 1e-5));
    }
  }
};

LOCKSTEP_TEST(TstMapKernelsOnCpu)
#include "tst_map_kernels_on_cpu.moc"
