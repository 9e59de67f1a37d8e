#include <QObject>
#include <QTest>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/ops/epilogue.h"
#include "engine/ops/max_pool.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/packed_images.h"
#include "tests/ops/map_kernel_launches.h"
#include "tests/ops/tensors.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
// After the emulated CUDA keywords.
#include "engine/ops/cuda/epilogue.cuh"
#include "engine/ops/cuda/resize_images.cuh"

using namespace lockstep;
using tests::relativeDifference;

namespace {

at::Tensor channelsLast(const at::Tensor& map) {
  return map.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor emptyMap(at::IntArrayRef sizes, at::ScalarType type) {
  return channelsLast(torch::full(sizes, 99, type));
}

/// Values, and gradients for `gradOut`.
template <typename T, int kCount>
std::pair<at::Tensor, at::Tensor> poolByKernels(const at::Tensor& x, const at::Tensor& gradOut) {
  at::Tensor out = emptyMap(gradOut.sizes(), x.scalar_type()),
             grad = emptyMap(x.sizes(), x.scalar_type());
  tests::launchMaxPool<T, kCount>({x.size(0), x.size(1), x.size(2), x.size(3)},
                                  x.const_data_ptr<T>(), gradOut.const_data_ptr<T>(),
                                  out.data_ptr<T>(), grad.data_ptr<T>());
  return {out, grad};
}

struct NormInputs {
  at::Tensor x, weight, bias, residual;  // residual undefined: none
  at::Tensor gradOut;                    // the gradient of the result
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
       in.gradOut.const_data_ptr<T>(), in.weight.const_data_ptr<W>(), in.bias.const_data_ptr<W>(),
       out.data_ptr<T>(), gradX.data_ptr<T>(), gradResidual.data_ptr<T>(),
       parameters.data_ptr<W>()});
  const at::Tensor ofParameters = parameters.sum(0);
  return {out, gradX, ofParameters[0], ofParameters[1], hasResidual ? gradResidual : at::Tensor()};
}

/// LibTorch's operator, in float64.
NormResults normExactly(const NormInputs& in, std::int64_t groups, bool hasRelu) {
  const auto leaf = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(at::kDouble, false, true).requires_grad_() : tensor;
  };
  const at::Tensor x = leaf(in.x), weight = leaf(in.weight), bias = leaf(in.bias),
                   residual = leaf(in.residual);
  at::Tensor out = at::group_norm(x, groups, weight, bias, 1e-5);
  if (residual.defined()) out = out + residual;
  if (hasRelu) out = out.relu();
  out.backward(in.gradOut.to(at::kDouble));
  return {out.detach(), x.grad(), weight.grad(), bias.grad(),
          residual.defined() ? residual.grad() : residual};
}

/// As cuda::applyEpilogue, in place.
template <typename T, typename Bias, int kCount>
at::Tensor finishByKernel(const at::Tensor& map, const ops::Epilogue& epilogue,
                          const ops::Launch& launch) {
  at::Tensor out = map.clone();
  const Bias* bias = epilogue.bias ? epilogue.bias->const_data_ptr<Bias>() : nullptr;
  const T* residual = epilogue.residual ? epilogue.residual->const_data_ptr<T>() : nullptr;
  tests::launchOnCpu(launch, [&] {
    ops::epilogueKernel<T, Bias, kCount>(out.data_ptr<T>(), bias, residual, epilogue.hasRelu,
                                         out.numel() / kCount, static_cast<int>(out.size(1)));
  });
  return out;
}

/// As cuda::resizeImages.
template <typename T, int kStored>
at::Tensor resizeByKernel(const structures::PackedImages& images, const base::ImageSize& padded) {
  at::Tensor out = emptyMap({images.count(), kStored, padded.height, padded.width},
                            c10::CppTypeToScalarType<T>::value);
  const auto values = [](const std::array<float, 3>& all) {
    return ops::ChannelValues{all[0], all[1], all[2]};
  };
  tests::launchOnCpu(ops::resizeLaunch(images.count(), padded.height, padded.width), [&] {
    ops::resizeKernel<T, kStored>(
        images.pixels.const_data_ptr<std::uint8_t>(),
        reinterpret_cast<const structures::ImageRow*>(images.rows.const_data_ptr<std::int64_t>()),
        values(structures::kImageMean), values(structures::kImageStd),
        static_cast<int>(padded.width), out.data_ptr<T>());
  });
  return out;
}

}  // namespace

/// Kernels over whole maps run on the CPU, to find errors in their logic without a GPU.
class TstMapKernelsOnCpu : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }

  void pooledMapsEqualTheCpu_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    for (const auto& [height, width] : {std::pair{8, 12}, {7, 9}, {1, 1}, {2, 5}})
      QTest::addRow("%d x %d", height, width) << height << width;
  }
  void pooledMapsEqualTheCpu() {
    QFETCH(int, height);
    QFETCH(int, width);
    // Few different values, so that there are ties, and one NaN.
    at::Tensor x =
        channelsLast(torch::randint(-3, 4, {2, 16, height, width}).to(at::kFloat).relu());
    x[1][3][height / 2][width / 2] = NAN;
    at::Tensor leaf = x.clone().requires_grad_();
    const at::Tensor expected = ops::maxPool3x3(leaf);
    const at::Tensor gradOut = channelsLast(torch::randint(-5, 6, expected.sizes()).to(at::kFloat));
    expected.backward(gradOut);
    const auto check = [&](const std::pair<at::Tensor, at::Tensor>& got) {
      QVERIFY(at::equal(got.first.to(at::kFloat).nan_to_num(77), expected.nan_to_num(77)));
      QVERIFY(at::equal(got.second.to(at::kFloat), leaf.grad()));
    };
    check(poolByKernels<float, 4>(x, gradOut));
    check(poolByKernels<float, 1>(x, gradOut));
    check(poolByKernels<c10::BFloat16, 8>(x.to(at::kBFloat16), gradOut.to(at::kBFloat16)));
  }

  void normalisedMapsEqualLibTorch_data() {
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
  void normalisedMapsEqualLibTorch() {
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
        if (expected[i].defined()) QVERIFY(relativeDifference(got[i], expected[i]) < 1e-5);
    }
  }

  void halfPrecisionIsNormalisedInFloat32() {
    const auto map = [] {
      return channelsLast((torch::randn({2, 16, 6, 7}) * 3 + 20)).to(at::kBFloat16);
    };
    const NormInputs in{map(), torch::randn({16}), torch::randn({16}), map(), map()};
    const NormResults expected = normExactly(in, 4, true),
                      got = normByKernels<c10::BFloat16, 8>(in, 4, true, 10);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool isHalf = got[i].scalar_type() == at::kBFloat16;
      QVERIFY(relativeDifference(got[i], expected[i]) < (isHalf ? 1.0 / 256 : 1e-5));
    }
  }

  void epiloguesEqualTheCpu_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("parts");
    for (const int channels : {8, 24, 104}) {
      for (int parts = 1; parts < 8; ++parts) {
        QTest::addRow("%d channels%s%s%s", channels, parts & 1 ? ", bias" : "",
                      parts & 2 ? ", residual" : "", parts & 4 ? ", ReLU" : "")
            << channels << parts;
      }
    }
  }
  void epiloguesEqualTheCpu() {
    QFETCH(int, channels);
    QFETCH(int, parts);
    at::Tensor map = channelsLast(torch::randn({2, channels, 11, 7}));
    map[1][2][3][4] = NAN;
    const auto epilogueOf = [&](at::ScalarType type) {
      torch::manual_seed(5);
      ops::Epilogue epilogue{.bias{}, .residual{}, .hasRelu = (parts & 4) != 0};
      if (parts & 1) epilogue.bias = torch::randn({channels});
      if (parts & 2) epilogue.residual = channelsLast(torch::randn(map.sizes()).to(type));
      return epilogue;
    };
    const auto isSame = [](const at::Tensor& a, const at::Tensor& b) {
      return at::equal(a.nan_to_num(77), b.nan_to_num(77));
    };
    const ops::Epilogue own = epilogueOf(at::kFloat);
    const at::Tensor expected = ops::applyEpilogue(map.clone(), own);
    // As many blocks as would be started, and so few that each goes over the map in steps, whose
    // channels differ from step to step.
    for (const ops::Launch& launch : {ops::epilogueLaunch(map.numel() / 4),
                                      ops::Launch{.x = 2, .threads = ops::kEpilogueThreads}})
      QVERIFY(isSame(finishByKernel<float, float, 4>(map, own, launch), expected));
    QVERIFY(isSame(finishByKernel<float, float, 1>(map, own, ops::epilogueLaunch(map.numel())),
                   expected));

    const at::Tensor half = map.to(at::kBFloat16);
    const ops::Epilogue ofHalf = epilogueOf(at::kBFloat16);
    at::Tensor sum = half.to(at::kFloat);
    if (ofHalf.bias) sum = sum + ofHalf.bias->view({1, -1, 1, 1});
    if (ofHalf.residual) sum = sum + ofHalf.residual->to(at::kFloat);
    if (ofHalf.hasRelu) sum = sum.relu();
    QVERIFY(isSame(finishByKernel<c10::BFloat16, float, 8>(half, ofHalf,
                                                           ops::epilogueLaunch(half.numel() / 8)),
                   sum.to(at::kBFloat16)));
  }

  void resizedImagesEqualTheCpu() {
    const std::vector<structures::ImageRow> rows{
        {.height = 30, .width = 50, .resizedHeight = 61, .resizedWidth = 97},
        {.height = 97,
         .width = 41,
         .resizedHeight = 40,
         .resizedWidth = 17,
         .flipsHorizontally = 1},
        {.height = 1, .width = 1, .resizedHeight = 5, .resizedWidth = 100, .flipsVertically = 1},
        {.height = 64,
         .width = 100,
         .resizedHeight = 64,
         .resizedWidth = 100,
         .flipsHorizontally = 1,
         .flipsVertically = 1}};
    const structures::PackedImages images =
        structures::makePackedImages(rows, structures::HostMemory::Pageable);
    images.pixels.random_(0, 256);
    // The width of a block and one, and less than a block's.
    for (const base::ImageSize& padded :
         {base::ImageSize{64, 100}, base::ImageSize{65, ops::kResizeThreads + 1}}) {
      QVERIFY(
          at::equal(resizeByKernel<float, 3>(images, padded), ops::resizeImages(images, padded)));
      QVERIFY(at::equal(resizeByKernel<c10::BFloat16, 4>(images, padded),
                        ops::resizeImages(images, padded, at::kBFloat16)));
      QVERIFY(at::equal(resizeByKernel<c10::Half, 4>(images, padded),
                        ops::resizeImages(images, padded, at::kHalf)));
    }
  }
};

LOCKSTEP_TEST(TstMapKernelsOnCpu)
#include "tst_map_kernels_on_cpu.moc"
