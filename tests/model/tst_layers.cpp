#include <QObject>
#include <QTest>
#include <string_view>

#include "engine/model/layers.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

#ifndef Q_MOC_RUN
#include <ATen/record_function.h>
#include <torch/csrc/autograd/autograd.h>
#endif

using namespace lockstep;

namespace {

constexpr std::int64_t kChannels = 24, kSide = 7, kOut = 10;

thread_local int copies = 0;

/// Counts copies to another memory format on this thread during its lifetime.
class CopyCount {
 public:
  CopyCount() {
    copies = 0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& function) {
          if (std::string_view(function.name()) == "aten::clone") ++copies;
          return std::unique_ptr<at::ObserverContext>();
        }).scopes({at::RecordScope::FUNCTION}));
  }
  ~CopyCount() { at::removeCallback(handle_); }
  CopyCount(const CopyCount&) = delete;
  CopyCount& operator=(const CopyCount&) = delete;

 private:
  at::CallbackHandle handle_;
};

at::Tensor regions(std::int64_t count) {
  torch::manual_seed(3);
  return torch::randn({count, kChannels, kSide, kSide})
      .contiguous(at::MemoryFormat::ChannelsLast)
      .requires_grad_();
}

at::Tensor gradOut(std::int64_t count) {
  torch::manual_seed(4);
  return torch::randn({count, kOut});
}

double apart(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

}  // namespace

class TstLayers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    linear_ = std::make_shared<model::FlattenLinear>(kChannels, kSide, kOut);
    linear_->initialise("layer", 7);
  }

  void flattenLinearIsInitialisedAsLinear() {
    model::Linear plain(kChannels * kSide * kSide, kOut);
    plain.initialise("layer", 7);
    QVERIFY(at::equal(weight().flatten(1), plain.named_parameters()["weight"]));
    QVERIFY(at::equal(bias(), plain.named_parameters()["bias"]));
    QVERIFY(weight().is_contiguous(at::MemoryFormat::ChannelsLast));
  }

  /// torch's linear in float64, on RoIs flattened in the order of channels.
  void flattenLinearEqualsLinear() {
    const std::int64_t count = 33;
    const at::Tensor x = regions(count);
    const at::Tensor out = linear_->forward(x);
    const auto found = torch::autograd::grad({out}, {x, weight(), bias()}, {gradOut(count)});

    const auto exact = [](const at::Tensor& tensor) {
      return tensor.detach().to(at::kDouble).contiguous().requires_grad_();
    };
    const at::Tensor xs = exact(x), ws = exact(weight()), bs = exact(bias());
    const at::Tensor expected = at::linear(xs.flatten(1), ws.flatten(1), bs);
    const auto gradients =
        torch::autograd::grad({expected}, {xs, ws, bs}, {gradOut(count).to(at::kDouble)});
    QVERIFY(apart(out, expected) < 1e-6);
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(found[i].sizes(), gradients[i].sizes());
      QVERIFY2(apart(found[i], gradients[i]) < 1e-6, QByteArray::number(int(i)).constData());
    }
  }

  void flattenLinearDoesNotCopy() {
    const at::Tensor x = regions(5), grad = gradOut(5);
    const CopyCount count;
    torch::autograd::grad({linear_->forward(x)}, {x, weight(), bias()}, {grad});
    QCOMPARE(copies, 0);
  }

  void flattenLinearAcceptsNoRois() {
    const at::Tensor x = regions(0);
    const at::Tensor out = linear_->forward(x);
    QCOMPARE(out.sizes(), (at::IntArrayRef{0, kOut}));
    const auto gradients = torch::autograd::grad({out.sum()}, {weight()});
    QVERIFY(gradients[0].eq(0).all().item<bool>());
  }

 private:
  at::Tensor weight() const { return linear_->named_parameters()["weight"]; }
  at::Tensor bias() const { return linear_->named_parameters()["bias"]; }

  std::shared_ptr<model::FlattenLinear> linear_;
};

LOCKSTEP_TEST(TstLayers)
#include "tst_layers.moc"
