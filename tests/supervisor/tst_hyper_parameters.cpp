#include <QTest>
#include <algorithm>
#include <optional>
#include <variant>

#include "engine/events/tags.h"
#include "engine/supervisor/run_hyper_parameters.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

using Value = std::variant<bool, double, std::string>;

std::optional<Value> valueOf(const config::Experiment& experiment, const std::string& key) {
  for (const events::HyperParameter& parameter : supervisor::hyperParametersOf(experiment))
    if (parameter.name == key) return parameter.value;
  return std::nullopt;
}

}  // namespace

/// What TensorBoard compares runs by.
class TstHyperParameters : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesHaveTheTypesOfTheirKeys() {
    config::Experiment experiment;
    experiment.solver.baseLr = 0.005;
    experiment.solver.maxSteps = {400};
    experiment.solver.nesterov = true;
    experiment.solver.lossWeights.values[config::indexOf(config::Loss::Mask)] = 2;
    experiment.augment.minSize = {640, 800};
    QVERIFY(valueOf(experiment, "solver.base_lr") == Value(0.005));
    QVERIFY(valueOf(experiment, "solver.max_steps") == Value(400.0));
    QVERIFY(valueOf(experiment, "solver.batch_size") == Value(16.0));
    QVERIFY(valueOf(experiment, "solver.nesterov") == Value(true));
    QVERIFY(valueOf(experiment, "solver.loss_weights.loss_mask") == Value(2.0));
    QVERIFY(valueOf(experiment, "solver.optimizer") == Value("sgd"));
    QVERIFY(valueOf(experiment, "augment.min_size") == Value("[640, 800]"));
    QVERIFY(valueOf(experiment, "model.backbone") == Value("resnet50"));
    QVERIFY(valueOf(experiment, "runtime.seed") == Value(1.0));
  }

  /// A column of TensorBoard's table has one type.
  void aNumberThatMayBeAWordIsText() {
    config::Experiment experiment;
    QVERIFY(valueOf(experiment, "model.freeze_stages") == Value("auto"));
    experiment.model.freezeStages = 2;
    QVERIFY(valueOf(experiment, "model.freeze_stages") == Value("2"));
  }

  void keysThatDoNotChangeWhatIsLearnedAreLeftOut() {
    for (const char* key :
         {"name", "dataset.train.images", "dataset.val.annotations", "dataset.loader_threads",
          "evaluation.ap_every", "checkpoint.keep", "monitor.summary_images", "runtime.device"})
      QVERIFY2(!valueOf({}, key), key);
  }

  void fiveAreListedFirst() {
    const auto parameters = supervisor::hyperParametersOf({});
    QCOMPARE(std::ranges::count_if(parameters, [](const auto& each) { return each.isVaried; }),
             std::ptrdiff_t{5});
  }

  void metricsAreTagsOfTheLog() {
    const std::vector<std::string> metrics = supervisor::comparedMetrics();
    for (const char* tag : {events::tags::kMaskAp, events::tags::kBoxAp,
                            events::tags::kEvalTotalLoss, events::tags::kTrainTotalLoss})
      QVERIFY2(std::ranges::find(metrics, tag) < metrics.begin() + 5, tag);
    QVERIFY(std::ranges::find(metrics, "eval/loss_mask") != metrics.end());
  }

  void onlyAFinishedRunIsASuccess() {
    using events::SessionStatus;
    QCOMPARE(supervisor::sessionStatusOf(protocol::RunState::Finished), SessionStatus::Success);
    QCOMPARE(supervisor::sessionStatusOf(protocol::RunState::Failed), SessionStatus::Failure);
    QCOMPARE(supervisor::sessionStatusOf(protocol::RunState::Stopped), SessionStatus::Unknown);
  }
};

LOCKSTEP_TEST(TstHyperParameters)
#include "tst_hyper_parameters.moc"
