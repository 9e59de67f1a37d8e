#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "engine/config/padded_sizes.h"
#include "engine/data/sample_loader.h"
#include "engine/train/step_replay.h"
#include "tests/support/cuda_graph_captures.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::Session;

class TstCanonicalSizes : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  /// Of many scales.
  config::Experiment experimentOf(config::PadTo padTo, int steps) const {
    config::Experiment experiment = tests::smallExperiment(path("shapes"), steps);
    experiment.augment.minSize = {32, 48, 64, 80, 96};
    experiment.augment.maxSize = 160;
    experiment.augment.padTo = padTo;
    experiment.dataset.groupByAspect = false;
    return experiment;
  }
  static data::Sampler samplerOf(const config::Experiment& experiment,
                                 const coco::Dataset& dataset) {
    return {dataset, data::samplerOptions(experiment, /*rank=*/0, /*worldSize=*/1)};
  }
  static data::SampleLoader loaderOf(const config::Experiment& experiment,
                                     const coco::Dataset& dataset) {
    return {dataset,
            experiment.dataset.train.images,
            experiment.augment,
            data::ClassTable(dataset),
            {.seed = static_cast<std::uint64_t>(experiment.runtime.seed)}};
  }

 private Q_SLOTS:
  void initTestCase() { tests::writeShapes(path("shapes")); }

  void aTrainingOfManyScalesStaysWithinAFewGraphs() {
    constexpr int kSteps = 14;
    const config::Experiment experiment = experimentOf(config::PadTo::Canonical, kSteps);
    const std::vector<base::ImageSize> allowed = config::canonicalSizes(experiment.augment);
    const coco::Dataset dataset = coco::Dataset::load(experiment.dataset.train.annotations);
    const data::Sampler sampler = samplerOf(experiment, dataset);
    const data::SampleLoader loader = loaderOf(experiment, dataset);
    const auto batches = data::prefetchTraining(loader, sampler, 1, kSteps, 2);

    model::MaskRcnn model(experiment.model, dataset.categories().size() + 1, 1);
    tests::EagerCapture eager;
    model.useCudaGraphs(eager.capture());
    std::set<std::pair<std::int64_t, std::int64_t>> sizes;
    for (int step = 0; step < kSteps; ++step) {
      const data::Batch batch = batches->next();
      const base::ImageSize padded{batch.images.size(2), batch.images.size(3)};
      QVERIFY(std::ranges::count(allowed, padded) == 1);
      sizes.emplace(padded.height, padded.width);
      const at::Tensor loss =
          model.losses(batch.images, batch.sizes, batch.gts, batch.samplingKeys).total({});
      loss.backward();
      QVERIFY(std::isfinite(loss.item<double>()));
    }
    QVERIFY(sizes.size() > 1);
    const std::size_t captured = model.cudaGraphs()->capturedShapes();
    QVERIFY(captured > 0 && captured <= allowed.size());
    QCOMPARE(model.cudaGraphs()->failure(), std::string());

    // Without, the same draws have more sizes.
    std::set<std::pair<std::int64_t, std::int64_t>> others;
    const data::SampleLoader plain = loaderOf(experimentOf(config::PadTo::Batch, kSteps), dataset);
    for (int step = 1; step <= kSteps; ++step) {
      const data::Batch batch = plain.loadTraining(sampler.imagesOf(step, 0));
      others.emplace(batch.images.size(2), batch.images.size(3));
    }
    QVERIFY2(others.size() > sizes.size(), qPrintable(QString::number(others.size())));
  }

  void aReplayedStepIsPaddedAlike() {
    const config::Experiment experiment = experimentOf(config::PadTo::Canonical, 1);
    Session session(experiment, path("run"));
    session.trainer.run();
    const coco::Dataset dataset = coco::Dataset::load(experiment.dataset.train.annotations);
    const data::Sampler sampler = samplerOf(experiment, dataset);
    const data::SampleLoader loader = loaderOf(experiment, dataset);
    model::MaskRcnn model(experiment.model, dataset.categories().size() + 1,
                          static_cast<std::uint64_t>(experiment.runtime.seed));
    const train::StepReplay replay =
        train::replayStep(model, {loader, sampler, experiment.solver.lossWeights, at::kCPU}, 1);
    QCOMPARE(static_cast<float>(replay.losses.back()),
             session.observer.value(0, "train/loss_total"));
    QCOMPARE(static_cast<float>(replay.gradientNorm),
             session.observer.value(0, "solver/grad_norm"));
  }
};

LOCKSTEP_TEST(TstCanonicalSizes)
#include "tst_canonical_sizes.moc"
