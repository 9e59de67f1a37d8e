#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/eval/evaluator.h"
#include "engine/train/loaded_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::MessageRecorder;
using tests::Session;
namespace fs = std::filesystem;

class TstTrainer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
    plain_ = std::make_unique<Session>(
        smallExperiment(3), plainFolder_.filePath(QStringLiteral("plain")).toStdString());
    plain_->trainer.run();
  }
  void cleanup() { tests::removeRuns(path("")); }

  void resumedRunContinuesBitForBit_data() {
    QTest::addColumn<QString>("precision");
    QTest::addColumn<bool>("isCanonical");
    QTest::newRow("fp32") << QStringLiteral("fp32") << false;
    QTest::newRow("bf16") << QStringLiteral("bf16") << false;
    QTest::newRow("canonical sizes") << QStringLiteral("fp32") << true;
  }
  void resumedRunContinuesBitForBit() {
    QFETCH(QString, precision);
    QFETCH(bool, isCanonical);
    const std::string name = QTest::currentDataTag();
    config::Experiment experiment = smallExperiment(4);
    experiment.runtime.precision = base::parseEnum<config::Precision>(precision.toStdString());
    if (isCanonical) {
      experiment.augment.padTo = config::PadTo::Canonical;
      experiment.augment.minSize = {48, 64};
    }
    experiment.solver.accumulate = isCanonical ? 1 : 2;
    experiment.checkpoint.every = {2};
    Session whole(experiment, path("whole " + name));
    QCOMPARE(whole.trainer.run().step, std::int64_t(4));
    QCOMPARE(whole.observer.checkpoints.size(), std::size_t(2));

    experiment.dataset.loaderThreads = 3;
    Session resumed(experiment, path("resumed " + name));
    resumed.trainer.resume(whole.layout.checkpoint(2));
    QCOMPARE(resumed.trainer.run().step, std::int64_t(4));
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      QVERIFY2(base::readFile(whole.layout.checkpoint(4) / file) ==
                   base::readFile(resumed.layout.checkpoint(4) / file),
               file);
    }
    QCOMPARE(resumed.observer.steps.front().step, std::int64_t(3));
    QCOMPARE(resumed.observer.value(0, "train/loss_total"),
             whole.observer.value(2, "train/loss_total"));
    verifyPartsOfSteps(whole.observer, 4);
    verifyPartsOfSteps(resumed.observer, 2);
  }

  /// The first layer of the box head is a matrix in files, of weights, moments and averages alike,
  /// and a checkpoint with it is gone on from to the bit.
  void filesHaveTorchvisionsShapes() {
    config::Experiment experiment = smallExperiment(2);
    experiment.solver.optimizer = config::OptimizerKind::AdamW;
    experiment.solver.baseLr = 1e-3;
    experiment.solver.emaDecay = 0.5;
    experiment.checkpoint = {.every = {1}, .keep = 2, .keepBest = true};
    Session whole(experiment, path("matrices"));
    whole.trainer.run();
    const std::string name = "roi_heads.box_head.fc6.weight";
    const fs::path folder = whole.layout.checkpoint(2);
    const auto optimizer = checkpoint::readSafetensors(folder / "optimizer.safetensors");
    const model::ParameterInfo weight = [&] {
      for (const model::ParameterInfo& info : whole.trainer.model().trainableParameters())
        if (info.name == name) return info;
      throw Error("the model has no " + name);
    }();
    QCOMPARE(weight.tensor.dim(), std::int64_t(4));
    QVERIFY(at::equal(*optimizer.find("weight." + name), weight.tensor.flatten(1)));
    const at::Tensor kept = *checkpoint::readSafetensors(folder / "model.safetensors").find(name);
    for (const at::Tensor& matrix :
         {kept, *optimizer.find("exp_avg." + name), *optimizer.find("exp_avg_sq." + name)}) {
      QCOMPARE(matrix.sizes(), weight.tensor.flatten(1).sizes());
      QVERIFY(matrix.ne(0).any().item<bool>());
    }
    QCOMPARE(optimizer.find("step." + name)->dim(), std::int64_t(0));

    Session resumed(experiment, path("matrices again"));
    resumed.trainer.resume(whole.layout.checkpoint(1));
    resumed.trainer.run();
    for (const char* file : {"model.safetensors", "optimizer.safetensors"})
      QVERIFY2(base::readFile(folder / file) == base::readFile(resumed.layout.checkpoint(2) / file),
               file);
  }

  void theNetworkComputesInItsPrecision() {
    const auto lossIn = [&](config::Precision precision) {
      config::Experiment experiment = smallExperiment(1);
      experiment.runtime.precision = precision;
      Session session(experiment, path(std::string("computes in ") + base::textOf(precision)));
      session.trainer.run();
      return session.observer.value(0, "train/loss_total");
    };
    using enum config::Precision;
    const float wide = plain_->observer.value(0, "train/loss_total"), half = lossIn(Bf16);
    QVERIFY(half != wide);
    QVERIFY(std::abs(half - wide) < 0.05f * wide);
    // A CPU has no TF32, and no quick fp16.
    QCOMPARE(lossIn(Tf32), wide);
    QCOMPARE(lossIn(Fp16), wide);
  }

  void cudaGraphsNeedAGpu() {
    config::Experiment experiment = smallExperiment(1);
    experiment.runtime.cudaGraphs = true;
    Session session(experiment, path("cuda graphs"));
    QCOMPARE(session.trainer.run().step, std::int64_t(1));
    QVERIFY(std::ranges::any_of(session.observer.logs, [](const protocol::Log& log) {
      return log.text.find("runtime.cuda_graphs: needs a GPU") != std::string::npos;
    }));
  }

  void everyStepIsRecordedAndTheLastIsEvaluatedAndKept() {
    const MessageRecorder& seen = plain_->observer;
    QCOMPARE(seen.steps.size(), std::size_t(4));  // three steps and the evaluation
    for (int i = 0; i < 3; ++i) QCOMPARE(seen.steps[i].step, std::int64_t(i + 1));
    QCOMPARE(seen.evaluations.size(), std::size_t(1));
    QCOMPARE(seen.evaluations[0].step, std::int64_t(3));
    QCOMPARE(seen.checkpoints.size(), std::size_t(1));
    QVERIFY(seen.checkpoints[0].last);
    QCOMPARE(seen.predictions, std::vector<std::int64_t>{3});
    const auto json = nlohmann::json::parse(base::readFile(plain_->layout.evaluation(3)));
    QCOMPARE(json.at("per_image").size(), std::size_t(3));
    QVERIFY(json.at("segm").is_object());
    // Else who watches for stalls takes a long evaluation for hung.
    QCOMPARE(plain_->phase.images.load(), std::int64_t(3));
  }

  void totalIsTheWeightedSum() {
    config::Experiment experiment = smallExperiment(1);
    experiment.solver.lossWeights = {2, 3, 5, 7, 11};
    Session session(experiment, path("weighted"));
    session.trainer.run();
    const MessageRecorder& seen = session.observer;
    const float sum =
        2 * seen.value(0, "train/loss_classifier") + 3 * seen.value(0, "train/loss_box_reg") +
        5 * seen.value(0, "train/loss_mask") + 7 * seen.value(0, "train/loss_objectness") +
        11 * seen.value(0, "train/loss_rpn_box_reg");
    QVERIFY(std::abs(sum - seen.value(0, "train/loss_total")) < 1e-4 * sum);
  }

  void heldOutLossDoesNotDependOnThreads_data() {
    QTest::addColumn<QString>("norm");
    QTest::addColumn<QString>("precision");
    const auto row = [](const char* norm, const char* precision) {
      QTest::addRow("%s %s", norm, precision)
          << QString::fromLatin1(norm) << QString::fromLatin1(precision);
    };
    for (const char* norm : {"frozen_batch", "batch", "group"}) row(norm, "fp32");
    row("group", "bf16");
  }
  /// All six losses of every image, from one checkpoint: asked again by one thread, by two, by
  /// four.
  void heldOutLossDoesNotDependOnThreads() {
    QFETCH(QString, norm);
    QFETCH(QString, precision);
    config::Experiment experiment = smallExperiment(1);
    experiment.model.norm = base::parseEnum<config::Norm>(norm.toStdString());
    experiment.runtime.precision = base::parseEnum<config::Precision>(precision.toStdString());
    experiment.runtime.cpuThreads = 1;
    const run_folder::Layout trained(path("trained"));
    Session(experiment, trained.folder()).trainer.run();
    const auto expected = perImageLosses(trained.evaluation(1));
    QCOMPARE(expected.size(), std::size_t(3 * 6));

    for (const int threads : {1, 2, 4}) {
      experiment.runtime.cpuThreads = threads;
      const std::string name = std::to_string(threads) + " threads";
      Session again(experiment, path(name));
      again.trainer.resume(trained.checkpoint(1));
      again.trainer.run();
      const auto found = perImageLosses(again.layout.evaluation(1));
      for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(found.at(i) == expected[i],
                 (name + ": " + expected[i] + " is now " + found[i]).c_str());
      QCOMPARE(base::readFile(again.layout.evaluation(1)), base::readFile(trained.evaluation(1)));
    }
  }

  void twoImagesAreOverfitted() {
    config::Experiment experiment = smallExperiment(40);
    experiment.dataset.train = {path("shapes/val"), path("shapes/annotations/instances_val.json")};
    experiment.solver.batchSize = 3;
    experiment.augment.horizontalFlip = 0;
    Session session(experiment, path("overfit"));
    session.trainer.run();
    const auto mean = [&](std::size_t from) {
      float sum = 0;
      for (std::size_t i = from; i < from + 5; ++i)
        sum += session.observer.value(i, "train/loss_total");
      return sum / 5;
    };
    QVERIFY2(
        mean(35) < 0.6f * mean(0),
        qPrintable(QString::number(mean(0)) + QStringLiteral(" -> ") + QString::number(mean(35))));
  }

  void nonFiniteLossStopsBeforeTheUpdate() {
    config::Experiment experiment = smallExperiment(30);
    experiment.solver.baseLr = 1e12;
    experiment.solver.warmupSteps = {0};
    experiment.solver.clipGradNorm = 0;
    experiment.checkpoint.every = {1};
    Session session(experiment, path("diverged"));
    std::string text;
    try {
      session.trainer.run();
    } catch (const Error& error) {
      text = error.what();
    }
    QVERIFY(!session.observer.checkpoints.empty());
    const std::int64_t lastGood = session.observer.checkpoints.back().step;
    const std::string start = "step " + std::to_string(lastGood + 1) + ": loss_";
    QVERIFY2(text.starts_with(start) && text.find(" on images ") != std::string::npos,
             text.c_str());
    const auto before =
        checkpoint::readSafetensors(session.layout.checkpoint(lastGood) / "model.safetensors");
    for (const auto& [name, tensor] :
         checkpoint::inFileShapes(session.trainer.model().namedState())) {
      QVERIFY2(before.find(name)->isfinite().all().item<bool>(), name.c_str());
      QVERIFY2(at::equal(tensor, *before.find(name)), name.c_str());
    }
  }

  /// solver.ema_decay changes nothing of the training: what is kept as the model, and evaluated, is
  /// the average of the weights after each step.
  void theAverageIsKeptAndEvaluated_data() {
    QTest::addColumn<QString>("precision");
    for (const char* precision : {"fp32", "bf16"})
      QTest::newRow(precision) << QString::fromLatin1(precision);
  }
  void theAverageIsKeptAndEvaluated() {
    QFETCH(QString, precision);
    config::Experiment experiment = smallExperiment(3);
    experiment.runtime.precision = base::parseEnum<config::Precision>(precision.toStdString());
    std::unique_ptr<Session> half;
    if (precision != QStringLiteral("fp32")) {
      half = std::make_unique<Session>(experiment, path("plain"));
      half->trainer.run();
    }
    const Session& plain = half ? *half : *plain_;
    experiment.checkpoint = {.every = {1}, .keep = 3, .keepBest = true};
    experiment.solver.emaDecay = 0.5;
    Session averaged(experiment, path("averaged"));
    averaged.trainer.run();

    const auto tensorsIn = [](const Session& session, int step, const char* file) {
      return checkpoint::readSafetensors(session.layout.checkpoint(step) / file);
    };
    const auto third = tensorsIn(plain, 3, "model.safetensors");
    const auto kept = tensorsIn(averaged, 3, "model.safetensors");
    // The weights beside the average.
    std::vector<checkpoint::SafetensorsFile> beside;
    for (const int step : {1, 2, 3})
      beside.push_back(tensorsIn(averaged, step, "optimizer.safetensors"));
    for (const model::ParameterInfo& parameter : averaged.trainer.model().trainableParameters()) {
      const std::string& name = parameter.name;
      const auto weight = [&](std::size_t step) {
        return *beside[step - 1].find("weight." + name);
      };
      const at::Tensor expected = 0.5 * (0.5 * weight(1) + 0.5 * weight(2)) + 0.5 * weight(3);
      QVERIFY2(at::allclose(*kept.find(name), expected, 1e-6, 1e-7), name.c_str());
      QVERIFY2(at::equal(weight(3), *third.find(name)), name.c_str());
      QVERIFY2(at::equal(checkpoint::inFileShape(name, parameter.tensor), *third.find(name)),
               name.c_str());
    }
    const auto dataset = coco::Dataset::load(experiment.dataset.val.annotations);
    const auto loaded = train::loadModel(
        experiment, averaged.layout.checkpoint(3) / "model.safetensors", &dataset, at::kCPU);
    const data::SampleLoader loader(dataset, experiment.dataset.val.images, experiment.augment,
                                    data::ClassTable(loaded.categories));
    const eval::Evaluator evaluator(loader, {.lossWeights = experiment.solver.lossWeights});
    eval::Evaluation evaluation = evaluator.evaluate(*loaded.model, {});
    evaluation.step = 3;
    QCOMPARE(base::readFile(averaged.layout.evaluation(3)),
             eval::toJson(evaluation, /*withPerImage=*/true));
  }

  /// The mask loss of an image is the mean over its positive RoIs.
  void lossesOfObjectsAddUpToThoseOfTheImage() {
    const config::Experiment experiment = smallExperiment(3);
    const auto dataset = coco::Dataset::load(experiment.dataset.val.annotations);
    const auto loaded = train::loadModel(
        experiment, plain_->layout.checkpoint(3) / "model.safetensors", &dataset, at::kCPU);
    const data::SampleLoader loader(dataset, experiment.dataset.val.images, experiment.augment,
                                    data::ClassTable(loaded.categories));
    for (const bool withAp : {false, true}) {
      const eval::Evaluator evaluator(
          loader, {.lossWeights = experiment.solver.lossWeights, .maxImages = 1});
      const eval::Evaluation evaluation =
          evaluator.evaluate(*loaded.model, {.losses = true, .averagePrecision = withAp});
      const eval::ObjectLosses& objects = *evaluation.objectLosses;
      const eval::LossSums& all = objects.bySize[0];
      QVERIFY(all.rois > 0);
      constexpr std::size_t kMask = 2;
      const double expected = (*evaluation.losses)[config::indexOf(config::Loss::Mask)];
      QVERIFY(std::abs(all.mean(kMask) - expected) < 1e-5 * expected);
      eval::LossSums classes, sizes;
      for (const eval::ClassLosses& each : objects.byClass) classes.add(each.losses);
      for (std::size_t size = 1; size < objects.bySize.size(); ++size)
        sizes.add(objects.bySize[size]);
      for (const eval::LossSums& sums : {classes, sizes}) {
        QCOMPARE(sums.rois, all.rois);
        for (std::size_t i = 0; i < sums.sums.size(); ++i)
          QVERIFY(std::abs(sums.sums[i] - all.sums[i]) < 1e-9 * std::abs(all.sums[i]));
      }
    }
  }

  void resumedRunNeedsNoInitialWeights() {
    config::Experiment experiment = smallExperiment(2);
    experiment.model.norm = config::Norm::Group;
    experiment.model.freezeStages = 0;
    experiment.checkpoint.every = {1};
    experiment.model.weights = path("start.safetensors");
    fs::copy_file(plain_->layout.checkpoint(3) / "model.safetensors", experiment.model.weights);
    Session whole(experiment, path("from weights"));
    whole.trainer.run();
    fs::remove(experiment.model.weights);

    Session resumed(experiment, path("without weights"));
    resumed.trainer.resume(whole.layout.checkpoint(1));
    QCOMPARE(resumed.trainer.run().step, std::int64_t(2));
    QVERIFY(base::readFile(whole.layout.checkpoint(2) / "model.safetensors") ==
            base::readFile(resumed.layout.checkpoint(2) / "model.safetensors"));
    Session begun(experiment, path("begun"));
    QVERIFY_EXCEPTION_THROWN(begun.trainer.run(), Error);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  config::Experiment smallExperiment(int steps) const {
    return tests::smallExperiment(path("shapes"), steps);
  }

  /// So many steps were told, each with a time that its parts add up to.
  static void verifyPartsOfSteps(const MessageRecorder& told, int count) {
    int steps = 0;
    for (std::size_t i = 0; i < told.steps.size(); ++i) {
      const auto value = [&](const char* tag) { return told.value(i, tag); };
      const float step = value("time/step_seconds");
      if (step < 0) continue;  // an evaluation
      ++steps;
      const float forward = value("time/forward_seconds"),
                  backward = value("time/backward_seconds"),
                  optimizer = value("time/optimizer_seconds");
      QVERIFY(forward > 0 && backward > 0 && optimizer > 0);
      const float sum = value("time/data_seconds") + forward + backward + optimizer;
      QVERIFY2(sum <= step * 1.001f && sum > 0.5f * step,
               qPrintable(QStringLiteral("%1 of %2").arg(sum).arg(step)));
      QCOMPARE(value("time/wait_seconds"), -1.f);  // there is a single rank
    }
    QCOMPARE(steps, count);
  }

  /// `1 loss_mask 0.6931471805599453` for each image and loss; the text gives every bit.
  static std::vector<std::string> perImageLosses(const fs::path& evaluation) {
    const auto json = nlohmann::json::parse(base::readFile(evaluation));
    std::vector<std::string> lines;
    for (const auto& image : json.at("per_image")) {
      for (const auto& [name, value] : image.items()) {
        if (name.starts_with("loss_"))
          lines.push_back(image.at("image_id").dump() + " " + name + " " + value.dump());
      }
    }
    return lines;
  }

  QTemporaryDir folder_, plainFolder_;
  std::unique_ptr<Session> plain_;  ///< three steps with nothing set
};

LOCKSTEP_TEST(TstTrainer)
#include "tst_trainer.moc"
