#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <limits>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/run_folder/replay_file.h"
#include "engine/train/step_replay.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::contains;
using tests::messageOf;
using tests::Session;
namespace fs = std::filesystem;

class TstDivergence : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
  }

  /// A weight that is not a number is planted in one layer of a checkpoint; training that goes on
  /// from it stops at its first step and names that layer.
  void firstNonFiniteLayerIsNamed_data() {
    QTest::addColumn<QString>("parameter");
    QTest::addColumn<QString>("layer");
    const auto row = [](const char* parameter, const char* layer) {
      QTest::newRow(layer) << QString::fromLatin1(parameter) << QString::fromLatin1(layer);
    };
    row("backbone.body.layer2.0.bn2.weight", "backbone.body.layer2.0.bn2");
    row("backbone.fpn.inner_blocks.3.0.bias", "backbone.fpn.inner_blocks.3.0");
    row("rpn.head.bbox_pred.bias", "rpn.head.bbox_pred");
    row("roi_heads.mask_head.0.0.weight", "roi_heads.mask_head.0.0");
  }
  void firstNonFiniteLayerIsNamed() {
    QFETCH(QString, parameter);
    QFETCH(QString, layer);
    const fs::path planted =
        plant(parameter.toStdString(), std::numeric_limits<float>::quiet_NaN());
    Session session(experiment(), path(layer.toStdString()));
    session.trainer.resume(planted);
    const std::string text = messageOf([&] { session.trainer.run(); });
    QVERIFY2(text.starts_with("step 3: loss_"), text.c_str());
    QVERIFY2(contains(text, "First non-finite: " + layer.toStdString() + "."), text.c_str());
    QVERIFY(contains(text, "no update was applied"));
    // This run has no checkpoint to restart from.
    QVERIFY2(contains(text, ". Restart with a lower solver.base_lr"), text.c_str());
    QCOMPARE(session.observer.divergences, std::vector<std::int64_t>{3});
    QVERIFY(session.observer.checkpoints.empty());
    const auto replay = run_folder::readReplayFile(session.layout.divergence(3) / "replay.json");
    QCOMPARE(replay.step, std::int64_t{3});
    QCOMPARE(replay.imageIds.size(), std::size_t{2});
    QCOMPARE(replay.firstNotFinite, layer.toStdString());
  }

  /// Nothing of the model changes from the first step on that is not finite.
  void noUpdateIsApplied() {
    const fs::path planted =
        plant("rpn.head.bbox_pred.bias", std::numeric_limits<float>::infinity());
    Session session(inTwoParts(), path("not updated"));
    session.trainer.resume(planted);
    messageOf([&] { session.trainer.run(); });
    const auto before = checkpoint::readSafetensors(planted / "model.safetensors");
    for (const auto& [name, tensor] :
         checkpoint::inFileShapes(session.trainer.model().namedState()))
      QVERIFY2(at::equal(tensor, *before.find(name)), name.c_str());
    const auto kept =
        checkpoint::readSafetensors(session.layout.divergence(3) / "weights.safetensors");
    QCOMPARE(kept.tensors.size(), before.tensors.size());
    for (const auto& [name, tensor] : before.tensors)
      QVERIFY2(at::equal(tensor, *kept.find(name)), name.c_str());
  }

  /// Also of a step that nothing happened to.
  void repeatedStepHasTheSameLosses() {
    const Session& session = goodRun();
    const train::StepReplay again =
        replayed(inTwoParts(), session.layout.checkpoint(2) / "model.safetensors", 3);
    QVERIFY(again.firstNotFinite.empty());
    const auto& told = session.observer.steps;
    const auto third = std::ranges::find(told, 3, &protocol::Scalars::step) - told.begin();
    for (std::size_t i = 0; i < config::kLossNames.size(); ++i) {
      QCOMPARE(static_cast<float>(again.losses[i]),
               session.observer.value(third, std::string("train/") + config::kLossNames[i]));
    }
    QCOMPARE(static_cast<float>(again.gradientNorm),
             session.observer.value(third, "solver/grad_norm"));
  }

  /// Weights that blow up by themselves: the batch run again gives the losses of the run.
  void theSameBatchIsReplayed() {
    config::Experiment wild = inTwoParts();
    wild.solver.maxSteps = {30};
    wild.solver.baseLr = 1e12;
    wild.solver.warmupSteps = {0};
    wild.solver.clipGradNorm = 0;
    Session session(wild, path("wild"));
    const std::string text = messageOf([&] { session.trainer.run(); });
    QCOMPARE(session.observer.divergences.size(), std::size_t{1});
    const std::int64_t step = session.observer.divergences[0];
    const fs::path left = session.layout.divergence(step);
    const auto replay = run_folder::readReplayFile(left / "replay.json");
    QVERIFY(!replay.firstNotFinite.empty());

    const train::StepReplay again = replayed(wild, left / "weights.safetensors", step);
    QCOMPARE(again.firstNotFinite, replay.firstNotFinite);
    QCOMPARE(again.perImage.size(), std::size_t{2});
    for (std::size_t i = 0; i < config::kLossNames.size(); ++i) {
      const auto expected = static_cast<float>(again.losses[i]);
      const float found = replay.figures.at(i).second;
      QVERIFY2(found == expected || (std::isnan(found) && std::isnan(expected)),
               config::kLossNames[i]);
    }
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  config::Experiment experiment() const {
    config::Experiment experiment = tests::smallExperiment(path("shapes"), 4);
    experiment.checkpoint.every = {2};
    return experiment;
  }
  config::Experiment inTwoParts() const {
    config::Experiment parts = experiment();
    parts.solver.accumulate = 2;
    return parts;
  }
  const Session& goodRun() {
    if (good_) return *good_;
    good_ = std::make_unique<Session>(inTwoParts(), path("good"));
    good_->trainer.run();
    return *good_;
  }

  static train::StepReplay replayed(const config::Experiment& experiment, const fs::path& weights,
                                    std::int64_t step) {
    const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
    const data::SampleLoader loader(dataset, experiment.dataset.train.images, experiment.augment,
                                    data::ClassTable(dataset));
    const data::Sampler sampler(dataset, data::samplerOptions(experiment, 0, 1));
    model::MaskRcnn model(experiment.model, dataset.categories().size() + 1, 1);
    checkpoint::loadWeights(model.namedState(), checkpoint::readSafetensors(weights),
                            checkpoint::WeightsUse::Exactly, "weights");
    model.train();
    return train::replayStep(model, {loader, sampler, experiment.solver.lossWeights, at::kCPU},
                             step);
  }

  /// A checkpoint of step 2 with one number of one parameter replaced.
  fs::path plant(const std::string& parameter, float number) {
    const fs::path good = goodRun().layout.checkpoint(2);
    const fs::path planted = path("planted");
    fs::remove_all(planted);
    fs::copy(good, planted);
    const auto file = checkpoint::readSafetensors(good / "model.safetensors");
    file.find(parameter)->view(-1)[0] = number;
    checkpoint::writeSafetensors(planted / "model.safetensors", file.tensors, file.metadata);
    return planted;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> good_;
};

LOCKSTEP_TEST(TstDivergence)
#include "tst_divergence.moc"
