#include <QObject>
#include <QTest>
#include <optional>
#include <set>
#include <thread>

#include "engine/model/activation_watch.h"
#include "engine/model/mask_rcnn.h"
#include "tests/model/small_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::smallModel;
using tests::stateOf;

namespace {

void detect(model::MaskRcnn& model) {
  const at::NoGradGuard noGrad;
  model.eval();
  const at::Tensor image = torch::linspace(-2, 2, 3 * 64 * 96).sin().view({1, 3, 64, 96});
  model.detect(image, {{60, 90}});
}

}  // namespace

class TstActivationWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyLayerIsReportedWithItsName() {
    model::MaskRcnn model(smallModel(config::Norm::Batch), 3, 1);
    std::set<std::string> reported;
    {
      const model::ActivationWatch watch(
          [&](const std::string& name, const at::Tensor&) { reported.insert(name); });
      detect(model);
    }
    std::set<std::string> expected;
    for (const auto& [name, tensor] : model.namedState()) {
      const std::string layer = name.substr(0, name.rfind('.'));
      const bool isConvBeforeNorm = layer.starts_with("backbone.body.") && tensor.dim() == 4;
      if (!isConvBeforeNorm) expected.insert(layer);
    }
    QVERIFY(expected.size() > 30);
    for (const std::string& name : expected) QVERIFY2(reported.contains(name), name.c_str());
    QCOMPARE(reported.size(), expected.size());
  }

  void aNormIsReportedAfterItsRelu() {
    model::MaskRcnn model(smallModel(config::Norm::Batch), 3, 1);
    std::optional<double> afterRelu, shortcut;
    {
      const model::ActivationWatch watch([&](const std::string& name, const at::Tensor& output) {
        if (name == "backbone.body.layer2.0.bn2") afterRelu = output.min().item<double>();
        if (name == "backbone.body.layer2.0.downsample.1") shortcut = output.min().item<double>();
      });
      detect(model);
    }
    QCOMPARE(*afterRelu, 0.0);
    QVERIFY(*shortcut < 0);
  }

  void theFirstNonFiniteLayerIsReportedFirst() {
    model::MaskRcnn model(smallModel(config::Norm::Batch), 3, 1);
    {
      const at::NoGradGuard noGrad;
      stateOf(model).at("backbone.body.layer3.0.conv2.weight").fill_(1e30);
      stateOf(model).at("backbone.body.layer3.0.bn2.weight").fill_(1e30);
    }
    std::string first;
    {
      const model::ActivationWatch watch([&](const std::string& name, const at::Tensor& output) {
        if (first.empty() && !output.isfinite().all().item<bool>()) first = name;
      });
      detect(model);
    }
    QCOMPARE(first, std::string("backbone.body.layer3.0.bn2"));
  }

  void onlyTheInnermostWatchOfTheThreadIsCalled() {
    model::MaskRcnn model(smallModel(config::Norm::Batch), 3, 1);
    int outer = 0, inner = 0;
    {
      const model::ActivationWatch outerWatch(
          [&](const std::string&, const at::Tensor&) { ++outer; });
      {
        const model::ActivationWatch innerWatch(
            [&](const std::string&, const at::Tensor&) { ++inner; });
        detect(model);
      }
      QCOMPARE(outer, 0);
      std::thread([&] { detect(model); }).join();
      QCOMPARE(outer, 0);
      detect(model);
      QCOMPARE(outer, inner);
      QVERIFY(inner > 0);
    }
    detect(model);
    QCOMPARE(outer, inner);
    QVERIFY(model::ActivationWatch::current() == nullptr);
  }
};

LOCKSTEP_TEST(TstActivationWatch)
#include "tst_activation_watch.moc"
