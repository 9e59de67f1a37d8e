#include <QObject>
#include <QTest>
#include <map>

#include "engine/model/mask_rcnn.h"
#include "engine/structures/ground_truth.h"
#include "tests/model/small_model.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Loss;
using tests::stateOf;

namespace {

constexpr std::int64_t kClasses = 3;
constexpr float kFirstArea = 100, kSecondArea = 200;

/// Two images with two objects each, whose areas tell them apart.
struct TwoObjectScene {
  at::Tensor images = torch::linspace(-2, 2, 2 * 3 * 64 * 96).sin().view({2, 3, 64, 96}) * 2;
  std::vector<base::ImageSize> sizes{{60, 90}, {64, 80}};
  std::vector<std::uint64_t> keys{11, 12};
  structures::GtBatch gts;

  TwoObjectScene() {
    std::vector<structures::GtInstances> all;
    for (const base::ImageSize& size : sizes) {
      at::Tensor masks = torch::zeros({2, size.height, size.width}, at::kByte);
      masks[0].slice(0, 8, 40).slice(1, 10, 45).fill_(1);
      masks[1].slice(0, 20, 58).slice(1, 48, 78).fill_(1);
      all.push_back({torch::tensor({{10.f, 8.f, 50.f, 40.f}, {48.f, 20.f, 78.f, 58.f}}),
                     torch::tensor({1, 2}, at::kLong), tests::cropped(masks),
                     torch::tensor({kFirstArea, kSecondArea})});
    }
    gts = structures::batchGroundTruth(all);
  }
};

/// Without the mask of object g of every image.
structures::GtBatch withoutMask(const structures::GtBatch& gts, std::int64_t g) {
  structures::GtBatch changed = gts;
  changed.masks.windows = gts.masks.windows.clone();
  changed.masks.windows.select(1, g).select(1, 0).fill_(structures::MaskWindow::kNoMask);
  return changed;
}

config::ModelConfig withoutMasks() {
  config::ModelConfig config = tests::smallModel();
  config.masks = false;
  return config;
}

}  // namespace

class TstBoxDetector : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void itHasTheParametersOfFasterRcnn() {
    const model::MaskRcnn whole(tests::smallModel(), kClasses, 1),
        boxes(withoutMasks(), kClasses, 1);
    QVERIFY(whole.hasMaskHead() && !boxes.hasMaskHead());
    const auto state = stateOf(boxes);
    for (const auto& [name, tensor] : stateOf(whole)) {
      const auto found = state.find(name);
      QCOMPARE(found == state.end(), name.starts_with("roi_heads.mask_"));
      if (found != state.end()) QVERIFY(torch::equal(found->second, tensor));
    }
  }

  void itsBoxLossesAreThoseOfTheModelWithMasks() {
    model::MaskRcnn whole(tests::smallModel(), kClasses, 1), boxes(withoutMasks(), kClasses, 1);
    const TwoObjectScene scene;
    model::RoiLosses perRoi;
    model::Losses expected = whole.losses(scene.images, scene.sizes, scene.gts, scene.keys);
    model::Losses losses = boxes.losses(scene.images, scene.sizes, scene.gts, scene.keys, &perRoi);
    for (const Loss loss : {Loss::Classifier, Loss::BoxReg, Loss::Objectness, Loss::RpnBoxReg}) {
      QCOMPARE(losses[loss].item<float>(), expected[loss].item<float>());
    }
    QCOMPARE(losses[Loss::Mask].item<float>(), 0.0F);
    QVERIFY(perRoi.box.defined() && !perRoi.mask.defined());
    losses.total({}).backward();
    for (const model::ParameterInfo& parameter : boxes.trainableParameters())
      QVERIFY2(parameter.tensor.grad().defined(), parameter.name.c_str());
  }

  void itsDetectionsHaveNoMasks() {
    model::MaskRcnn whole(tests::smallModel(), kClasses, 1), boxes(withoutMasks(), kClasses, 1);
    whole.eval();
    boxes.eval();
    const TwoObjectScene scene;
    const at::NoGradGuard noGradient;
    const auto expected = whole.detect(scene.images, scene.sizes);
    const auto found = boxes.detect(scene.images, scene.sizes);
    QVERIFY(expected[0].scores.size(0) > 0);
    for (std::size_t n = 0; n < found.size(); ++n) {
      QVERIFY(torch::equal(found[n].boxesXyxy, expected[n].boxesXyxy));
      QVERIFY(torch::equal(found[n].scores, expected[n].scores));
      QVERIFY(expected[n].maskProbs.defined() && !found[n].maskProbs.defined());
    }
  }

  void theMaskLossIsOfTheObjectsWithMasks_data() {
    QTest::addColumn<bool>("isFixed");
    QTest::newRow("compact rows") << false;
    QTest::newRow("fixed rows") << true;
  }
  void theMaskLossIsOfTheObjectsWithMasks() {
    QFETCH(bool, isFixed);
    model::MaskRcnn model(tests::smallModel(), kClasses, 1);
    model.setRowShapes(isFixed ? model::RowShapes::Fixed : model::RowShapes::Compact);
    const TwoObjectScene scene;
    model::RoiLosses all, some;
    model::Losses whole = model.losses(scene.images, scene.sizes, scene.gts, scene.keys, &all);
    model::Losses mixed =
        model.losses(scene.images, scene.sizes, withoutMask(scene.gts, 1), scene.keys, &some);
    // Rows of RoiLosses::mask: class, area, image, loss.
    const at::Tensor isOfFirst =
        (all.mask.select(1, 0) > 0).logical_and(all.mask.select(1, 1) == kFirstArea);
    const at::Tensor isOfSecond =
        (all.mask.select(1, 0) > 0).logical_and(all.mask.select(1, 1) == kSecondArea);
    QVERIFY(isOfFirst.any().item<bool>() && isOfSecond.any().item<bool>());
    const at::Tensor expected = all.mask.select(1, 3).index({isOfFirst}).mean();
    QVERIFY(torch::allclose(mixed[Loss::Mask], expected, 1e-5));
    QVERIFY(!torch::allclose(whole[Loss::Mask], expected, 1e-5));
    const at::Tensor rows = some.mask.index({some.mask.select(1, 0) > 0});
    QVERIFY((rows.select(1, 1) == kFirstArea).all().item<bool>());
    QCOMPARE(rows.size(0), isOfFirst.sum().item<std::int64_t>());
    for (const Loss loss : {Loss::Classifier, Loss::BoxReg, Loss::Objectness, Loss::RpnBoxReg}) {
      QCOMPARE(mixed[loss].item<float>(), whole[loss].item<float>());
    }
  }

  void batchesWithoutMasksTrainTheRest() {
    model::MaskRcnn model(tests::smallModel(), kClasses, 1);
    const TwoObjectScene scene;
    model::Losses losses = model.losses(scene.images, scene.sizes,
                                        withoutMask(withoutMask(scene.gts, 0), 1), scene.keys);
    QCOMPARE(losses[Loss::Mask].item<float>(), 0.0F);
    QVERIFY2(losses[Loss::Mask].requires_grad(), "every rank joins every all-reduce");
    losses.total({}).backward();
    for (const model::ParameterInfo& parameter : model.trainableParameters())
      QVERIFY2(parameter.tensor.grad().defined(), parameter.name.c_str());
  }
};

LOCKSTEP_TEST(TstBoxDetector)
#include "tst_box_detector.moc"
