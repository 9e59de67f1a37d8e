#include <ATen/Parallel.h>

#include <QObject>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/model/mask_rcnn.h"
#include "tests/model/small_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::stateOf;

namespace {

config::ModelConfig wideModel() {
  config::ModelConfig config;
  config.backbone = "resnet18";
  config.norm = config::Norm::Group;
  config.fpnChannels = 64;
  config.boxHead.fcDim = 128;
  config.maskHead.channels = 64;
  return config;
}

}  // namespace

class TstInitialisation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSeedGivesTheSameWeightsWithAnyThreads() {
    at::set_num_threads(1);
    const auto one = stateOf(model::MaskRcnn(wideModel(), 3, 7));
    at::set_num_threads(2);
    const auto two = stateOf(model::MaskRcnn(wideModel(), 3, 7));
    for (const auto& [name, tensor] : one) QVERIFY2(at::equal(tensor, two.at(name)), name.c_str());
  }

  void initialisationDoesNotDependOnOtherParameters() {
    config::ModelConfig wider = wideModel();
    wider.boxHead.fcDim = 64;
    const auto one = stateOf(model::MaskRcnn(wideModel(), 3, 7));
    const auto two = stateOf(model::MaskRcnn(wider, 3, 7));
    const char* name = "roi_heads.mask_head.1.0.weight";
    QVERIFY(at::equal(one.at(name), two.at(name)));
    QVERIFY(!at::equal(one.at(name), one.at("roi_heads.mask_head.2.0.weight")));
    const auto other = stateOf(model::MaskRcnn(wideModel(), 3, 8));
    QVERIFY(!at::equal(one.at(name), other.at(name)));
  }

  void distributionsEqualTorchvision_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("deviation");
    QTest::addColumn<bool>("isNormal");
    const auto uniform = [](double bound) { return bound / std::sqrt(3.0); };
    QTest::addRow("stem") << "backbone.body.conv1.weight" << std::sqrt(2.0 / (64 * 49)) << true;
    QTest::addRow("stage") << "backbone.body.layer3.1.conv2.weight" << std::sqrt(2.0 / (256 * 9))
                           << true;
    QTest::addRow("shortcut") << "backbone.body.layer2.0.downsample.0.weight"
                              << std::sqrt(2.0 / 128) << true;
    QTest::addRow("pyramid") << "backbone.fpn.layer_blocks.1.0.weight"
                             << uniform(std::sqrt(3.0 / (64 * 9))) << false;
    QTest::addRow("lateral") << "backbone.fpn.inner_blocks.3.0.weight"
                             << uniform(std::sqrt(3.0 / 512)) << false;
    QTest::addRow("rpn") << "rpn.head.conv.0.0.weight" << 0.01 << true;
    QTest::addRow("fc") << "roi_heads.box_head.fc6.weight" << uniform(1 / std::sqrt(64.0 * 49))
                        << false;
    QTest::addRow("mask head") << "roi_heads.mask_head.0.0.weight" << std::sqrt(2.0 / (64 * 9))
                               << true;
    QTest::addRow("mask up") << "roi_heads.mask_predictor.conv5_mask.weight"
                             << std::sqrt(2.0 / (64 * 4)) << true;
  }

  void distributionsEqualTorchvision() {
    QFETCH(QString, name);
    QFETCH(double, deviation);
    QFETCH(bool, isNormal);
    const at::Tensor weights =
        stateOf(model::MaskRcnn(wideModel(), 3, 1)).at(name.toStdString()).to(at::kDouble);
    const double count = static_cast<double>(weights.numel());
    QVERIFY(std::abs(weights.mean().item<double>()) < 5 * deviation / std::sqrt(count));
    QVERIFY(std::abs(weights.std().item<double>() / deviation - 1) < 5 / std::sqrt(count));
    // Fraction within one standard deviation: 68 % for normal, 58 % for uniform.
    const double share = (weights.abs() < deviation).to(at::kDouble).mean().item<double>();
    QVERIFY(std::abs(share - (isNormal ? 0.6827 : 0.5774)) < 3 / std::sqrt(count));
  }

  void normsStartAtOneAndConvolutionBiasesAtZero() {
    const auto state = stateOf(model::MaskRcnn(wideModel(), 3, 1));
    QVERIFY(state.at("backbone.body.layer1.0.bn1.weight").eq(1).all().item<bool>());
    QVERIFY(state.at("backbone.body.layer1.0.bn1.bias").eq(0).all().item<bool>());
    QVERIFY(state.at("rpn.head.conv.0.0.bias").eq(0).all().item<bool>());
    QVERIFY(state.at("roi_heads.mask_predictor.mask_fcn_logits.bias").ne(0).all().item<bool>());
  }
};

LOCKSTEP_TEST(TstInitialisation)
#include "tst_initialisation.moc"
