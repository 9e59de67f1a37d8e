#include <QObject>
#include <QTest>

#include "engine/base/error.h"
#include "engine/model/activation_watch.h"
#include "engine/model/mask_rcnn.h"
#include "tests/model/small_model.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::smallModel;

namespace {

/// What a device does with recorded work, on a CPU: the work again, its results into the same
/// memory.
struct PlainRecorder {
  int recorded = 0, repeated = 0;

  model::Recorder recorder() {
    return [this](const model::Work& work) {
      ++recorded;
      const std::vector<at::Tensor> results = work();
      return model::RecordedWork{results, [this, work, results] {
                                   ++repeated;
                                   const std::vector<at::Tensor> again = work();
                                   const at::NoGradGuard noGradient;
                                   for (std::size_t i = 0; i < results.size(); ++i)
                                     if (results[i].defined()) results[i].copy_(again[i]);
                                 }};
    };
  }
};

/// Noise with one object.
struct Scene {
  Scene(std::int64_t height, std::int64_t width, std::uint64_t seed) : keys{seed} {
    torch::manual_seed(seed);
    images = torch::randn({1, 3, height, width});
    sizes = {{height - 3, width - 5}};
    at::Tensor masks = torch::zeros({1, height - 3, width - 5}, at::kByte);
    masks.slice(1, 8, 40).slice(2, 10, 50).fill_(1);
    gts = {{torch::tensor({{10.f, 8.f, 50.f, 40.f}}), torch::tensor({std::int64_t{1}}),
            tests::cropped(masks)}};
  }
  at::Tensor images;
  std::vector<ops::ImageSize> sizes;
  std::vector<ops::GtInstances> gts;
  std::vector<std::uint64_t> keys;
};

at::Tensor lossOf(model::MaskRcnn& model, const Scene& scene) {
  return model.losses(scene.images, scene.sizes, ops::batchGroundTruth(scene.gts), scene.keys)
      .total({});
}

/// A step of plain descent; returns the loss.
double step(model::MaskRcnn& model, const Scene& scene) {
  const at::Tensor loss = lossOf(model, scene);
  loss.backward();
  const at::NoGradGuard noGradient;
  for (const model::ParameterInfo& parameter : model.trainableParameters()) {
    parameter.tensor.detach().sub_(parameter.tensor.grad(), 0.01);
    parameter.tensor.grad().zero_();
  }
  return loss.item<double>();
}

}  // namespace

class TstRecordedFunction : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void repeatedStepsAreTheSteps_data() {
    QTest::addColumn<QString>("norm");
    QTest::newRow("group") << QStringLiteral("group");
    QTest::newRow("frozen_batch") << QStringLiteral("frozen_batch");
  }
  void repeatedStepsAreTheSteps() {
    QFETCH(QString, norm);
    config::ModelConfig config = smallModel(norm.toStdString());
    if (norm == QStringLiteral("frozen_batch")) config.freezeStages = 2;
    model::MaskRcnn plain(config, 3, 1), recording(config, 3, 1);
    PlainRecorder recorder;
    recording.recordSteps(recorder.recorder());
    const std::pair<int, int> sizes[] = {{64, 96}, {64, 96}, {96, 64},
                                         {64, 96}, {96, 64}, {96, 64}};
    std::uint64_t seed = 1;
    for (const auto& [height, width] : sizes) {
      const Scene scene(height, width, seed++);
      QCOMPARE(step(recording, scene), step(plain, scene));
    }
    const auto expected = plain.trainableParameters(), got = recording.trainableParameters();
    for (std::size_t i = 0; i < expected.size(); ++i)
      QVERIFY2(at::equal(got[i].tensor, expected[i].tensor), expected[i].name.c_str());
    // Forward and backward of two sizes, each from the second time on.
    QCOMPARE(recorder.recorded, 4);
    QCOMPARE(recorder.repeated, 8);
    QCOMPARE(recording.recordedSteps()->recordedShapes(), std::size_t{2});
    QVERIFY(recording.recordedSteps()->failure().empty());
  }

  void whereRecordingFailsAllGoesOnWithout() {
    model::MaskRcnn plain(smallModel("group"), 3, 1), recording(smallModel("group"), 3, 1);
    int tries = 0;
    recording.recordSteps([&tries](const model::Work& work) -> model::RecordedWork {
      ++tries;
      work();
      TORCH_CHECK(false, "the device cannot");
    });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Scene scene(64, 96, seed);
      QCOMPARE(step(recording, scene), step(plain, scene));
    }
    QCOMPARE(tries, 1);
    QCOMPARE(recording.recordedSteps()->failure(), std::string("the device cannot"));
  }

  void onlyTrainingStepsAreRecorded() {
    model::MaskRcnn model(smallModel("group"), 3, 1);
    PlainRecorder recorder;
    model.recordSteps(recorder.recorder());
    const Scene scene(64, 96, 1);
    for (int i = 0; i < 3; ++i) {
      {
        const at::NoGradGuard noGradient;
        lossOf(model, scene);
        model.eval();
        model.detect(scene.images, scene.sizes);
        model.train();
      }
      const model::ActivationWatch watch([](const std::string&, const at::Tensor&) {});
      lossOf(model, scene).backward();
    }
    QCOMPARE(recorder.recorded, 0);
  }

  void normsThatFollowTheBatchAreRefused() {
    for (const char* norm : {"batch", "sync_batch"}) {
      config::ModelConfig config = smallModel("group");
      config.norm = norm;
      model::MaskRcnn model(config, 3, 1);
      QVERIFY_EXCEPTION_THROWN(model.recordSteps(PlainRecorder().recorder()), Error);
    }
  }
};

LOCKSTEP_TEST(TstRecordedFunction)
#include "tst_recorded_function.moc"
