#include <QObject>
#include <QTest>
#include <atomic>
#include <thread>

#include "engine/model/cached_weight.h"
#include "engine/model/layers.h"
#include "engine/model/mask_rcnn.h"
#include "engine/model/tensor_cache.h"
#include "tests/model/small_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

#ifndef Q_MOC_RUN
#include <torch/csrc/autograd/autograd.h>
#endif

using namespace lockstep;
using model::CachedWeight;

namespace {

at::Tensor convWeight() {
  torch::manual_seed(2);
  return torch::randn({6, 5, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
}

at::Tensor factors() {
  torch::manual_seed(3);
  return torch::rand({6}) + 0.5;
}

at::Tensor multiplied(const at::Tensor& weight, const at::Tensor& factor) {
  return factor.defined() ? weight * factor.view({-1, 1, 1, 1}) : weight;
}

/// As a fused kernel does: without bumping the version counter.
void writeInSilence(const at::Tensor& tensor) {
  float* const numbers = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) numbers[i] += 1;
}

}  // namespace

class TstCachedWeight : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cachedWeightEqualsACast_data() {
    QTest::addColumn<bool>("isHalf");
    QTest::addColumn<bool>("isFolded");
    QTest::newRow("bf16") << true << false;
    QTest::newRow("bf16, folded") << true << true;
    QTest::newRow("fp32, folded") << false << true;
  }
  /// Values and gradients are bitwise identical, also with two uses in a pass.
  void cachedWeightEqualsACast() {
    QFETCH(bool, isHalf);
    QFETCH(bool, isFolded);
    const at::ScalarType type = isHalf ? at::kBFloat16 : at::kFloat;
    const at::Tensor weight = convWeight(), reference = convWeight();
    const at::Tensor factor = isFolded ? factors() : at::Tensor();
    CachedWeight cached(weight);
    const auto cast = [&] { return multiplied(reference, factor).to(type); };
    torch::manual_seed(4);
    const at::Tensor small = torch::randn({2, 5, 8, 8}).to(type),
                     large = torch::randn({2, 5, 16, 16}).to(type);
    const auto lossOf = [&](const at::Tensor& first, const at::Tensor& second) {
      return at::conv2d(small, first).square().sum() + at::conv2d(large, second).sum();
    };
    const at::Tensor used = cached.as(type, factor);
    QVERIFY(at::equal(used, cast()));
    QVERIFY(used.strides() == weight.strides());
    lossOf(used, cached.as(type, factor)).backward();
    lossOf(cast(), cast()).backward();
    QVERIFY(at::equal(weight.grad(), reference.grad()));
    QCOMPARE(weight.grad().scalar_type(), at::kFloat);
  }

  void aParameterOfTheSameTypeIsNotCopied() {
    const at::Tensor weight = convWeight();
    QVERIFY(CachedWeight(weight).as(at::kFloat).is_same(weight));
  }

  void frozenParametersGetNoGradient() {
    const at::Tensor trained = convWeight(), frozen = convWeight().detach();
    QVERIFY(!CachedWeight(frozen).as(at::kBFloat16).requires_grad());
    CachedWeight cached(trained);
    {
      const at::NoGradGuard noGradient;
      QVERIFY(!cached.as(at::kBFloat16).requires_grad());
    }
    QVERIFY(cached.as(at::kBFloat16).requires_grad());
  }

  void itIsRefreshedInTheSameMemory_data() {
    QTest::addColumn<bool>("isFolded");
    QTest::addColumn<bool>("isRefreshed");
    QTest::newRow("asked for") << false << false;
    QTest::newRow("asked for, folded") << true << false;
    QTest::newRow("refreshed") << false << true;
    QTest::newRow("refreshed, folded") << true << true;
  }
  void itIsRefreshedInTheSameMemory() {
    QFETCH(bool, isFolded);
    QFETCH(bool, isRefreshed);
    at::Tensor weight = convWeight();
    const at::Tensor factor = isFolded ? factors() : at::Tensor(), own = weight.detach();
    CachedWeight cached(weight);
    const at::NoGradGuard noGradient;
    const at::Tensor kept = cached.as(at::kBFloat16, factor);  // as a CUDA graph keeps it
    const auto isUpToDate = [&] {
      if (isRefreshed)
        CachedWeight::refresh({&cached});
      else
        cached.as(at::kBFloat16, factor);
      return at::equal(kept, multiplied(weight, factor).to(at::kBFloat16));
    };
    weight.mul_(2);
    QVERIFY(isUpToDate());
    weight.set_data(own + 3);  // as when EMA weights are swapped in
    QVERIFY(isUpToDate());
    weight.set_data(own);
    QVERIFY(isUpToDate());
    writeInSilence(weight);
    QVERIFY(!isUpToDate());
    weight.unsafeGetTensorImpl()->bump_version();
    QVERIFY(isUpToDate());
    QVERIFY(cached.as(at::kBFloat16, factor).is_same(kept));
  }

  /// A graph in one dtype stays valid while other code computes in another.
  void eachTypeKeepsItsMemoryAndIsRecorded() {
    at::Tensor weight = convWeight();
    const at::Tensor factor = factors();
    CachedWeight cached(weight);
    const at::NoGradGuard noGradient;
    const model::TensorCacheWatch watch;
    const at::Tensor half = cached.as(at::kBFloat16, factor), whole = cached.as(at::kFloat, factor);
    QCOMPARE(watch.tensors().size(), std::size_t{2});
    QVERIFY(watch.tensors()[0].is_same(half) && watch.tensors()[1].is_same(whole));
    weight.mul_(2);
    CachedWeight::refresh({&cached});
    QVERIFY(at::equal(half, multiplied(weight, factor).to(at::kBFloat16)));
    QVERIFY(at::equal(whole, multiplied(weight, factor)));
  }

  void aChangedFactorIsUsed() {
    CachedWeight cached(convWeight());
    cached.as(at::kBFloat16, factors());
    const at::Tensor twice = factors() * 2;
    QVERIFY(at::equal(cached.as(at::kBFloat16, twice),
                      multiplied(convWeight(), twice).to(at::kBFloat16)));
    QVERIFY(at::equal(cached.as(at::kBFloat16), convWeight().to(at::kBFloat16)));
  }

  void copiesMadeInInferenceModeCanBeTrained() {
    const at::Tensor weight = convWeight();
    CachedWeight cached(weight);
    {
      const at::InferenceMode inference;
      cached.as(at::kBFloat16);
    }
    const at::Tensor x = torch::ones({1, 5, 4, 4}, at::kBFloat16);
    at::conv2d(x, cached.as(at::kBFloat16)).sum().backward();
    QVERIFY(weight.grad().defined());
  }

  /// A backward pass through weights that have changed since throws, as in LibTorch.
  void backwardAfterAWeightChangeIsRefused() {
    const at::Tensor weight = convWeight();
    CachedWeight cached(weight);
    const at::Tensor x = torch::ones({1, 5, 4, 4}, at::kBFloat16).requires_grad_();
    const at::Tensor loss = at::conv2d(x, cached.as(at::kBFloat16)).sum();
    weight.detach().add_(1);
    CachedWeight::refresh({&cached});
    QVERIFY_EXCEPTION_THROWN(loss.backward(), c10::Error);
  }

  void threadsSeeRefreshedCopies() {
    const at::Tensor weight = convWeight();
    CachedWeight first(weight), second(convWeight());
    std::atomic<int> wrong = 0;
    for (int round = 0; round < 20; ++round) {
      weight.detach().add_(1);
      const at::Tensor expected = weight.detach().to(at::kBFloat16);
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          const at::NoGradGuard noGradient;
          CachedWeight::refresh({&first, &second});
          if (!at::equal(first.as(at::kBFloat16), expected)) ++wrong;
          second.as(at::kBFloat16);
        });
      }
    }
    QCOMPARE(wrong.load(), 0);
  }

  /// However weights are written, the model computes as a new one with these weights.
  void aModelUsesItsCurrentWeights_data() {
    QTest::addColumn<QString>("norm");
    QTest::newRow("group") << QStringLiteral("group");
    QTest::newRow("frozen_batch") << QStringLiteral("frozen_batch");
    QTest::newRow("batch") << QStringLiteral("batch");
  }
  void aModelUsesItsCurrentWeights() {
    QFETCH(QString, norm);
    const at::NoGradGuard noGradient;
    torch::manual_seed(1);
    const at::Tensor images = torch::randn({1, 3, 64, 96});
    const config::ModelConfig config =
        tests::smallModel(*base::parseEnum<config::Norm>(norm.toStdString()));
    model::MaskRcnn model(config, 3, 1);
    const auto scoresOf = [&](model::MaskRcnn& asked) {
      asked.setComputeType(at::kBFloat16);
      asked.eval();
      return asked.detect(images, {{64, 96}})[0].scores;
    };
    const auto isAsNew = [&] {
      model::MaskRcnn fresh(config, 3, 2);
      const auto from = model.namedState(), to = fresh.namedState();
      for (std::size_t i = 0; i < from.size(); ++i) to[i].second.copy_(from[i].second);
      return at::equal(scoresOf(model), scoresOf(fresh));
    };
    const at::Tensor before = scoresOf(model);
    QVERIFY(isAsNew());
    for (auto& [name, tensor] : model.namedState())
      if (tensor.is_floating_point()) tensor.mul_(1.0625);
    QVERIFY(isAsNew());
    QVERIFY(!at::equal(scoresOf(model), before));
    for (auto& [name, tensor] : model.namedState())
      if (tensor.requires_grad()) tensor.set_data(tensor.detach() * 1.0625);
    QVERIFY(isAsNew());
  }
};

LOCKSTEP_TEST(TstCachedWeight)
#include "tst_cached_weight.moc"
