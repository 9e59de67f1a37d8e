#include <QTest>
#include <functional>

#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ExperimentFolder;

class TstCrossChecks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void inconsistentKeysAreErrors_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("lines");
    const auto row = [](const char* name, const char* text, const char* lines) {
      QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(lines);
    };
    row("frozen norm without weights", "model: {norm: frozen_batch}",
        "a.yaml:1:15: model.norm: frozen_batch: without model.weights this would freeze randomly "
        "initialized layers; set model.weights "
        "to a safetensors file, or train from scratch with model.norm: group and "
        "model.freeze_stages: "
        "0");
    row("frozen stages without weights", "model: {norm: group, freeze_stages: 2}",
        "a.yaml:1:37: model.freeze_stages: 2: without model.weights this would freeze randomly "
        "initialized layers; set model.weights "
        "to a safetensors file, or train from scratch with model.norm: group and "
        "model.freeze_stages: "
        "0");
    row("auto without weights is fine", "model: {norm: auto, freeze_stages: auto}", "");
    row("batch norm without weights is fine", "model: {norm: batch}", "");
    row("milestones fall", "solver: {milestones: [200, 100]}",
        "a.yaml:1:22: solver.milestones: 100 does not come after 200: milestones must be in "
        "ascending order");
    row("milestones stand still", "solver: {milestones: [1 epoch, 1 epoch]}",
        "a.yaml:1:22: solver.milestones: 1 epoch does not come after 1 epoch: milestones must "
        "be in ascending order");
    row("milestones of two units cannot be compared", "solver: {milestones: [5000, 1 epoch]}", "");
    row("micro-batches do not divide the batch", "solver: {batch_size: 10, accumulate: 4}",
        "a.yaml:1:22: solver.batch_size: 10 images cannot be divided evenly into "
        "solver.accumulate: 4 micro-batches; the nearest batch sizes are 8 and 12");
    row("fewer images than micro-batches", "solver: {batch_size: 2, accumulate: 4}",
        "a.yaml:1:22: solver.batch_size: 2 images cannot be divided evenly into "
        "solver.accumulate: 4 micro-batches; the smallest batch size is 4");
    row("settings of GPUs on the CPU",
        "runtime: {device: cpu, devices: [0, 2], cuda_graphs: true, precision: tf32}",
        "a.yaml:1:33: runtime.devices: warning: [0, 2] is ignored: the device is the CPU\n"
        "a.yaml:1:54: runtime.cuda_graphs: warning: true is ignored: the device is the CPU\n"
        "a.yaml:1:71: runtime.precision: warning: tf32 is fp32 here: the device is the CPU");
    row("settings of GPUs with device: auto",
        "runtime: {devices: [0, 2], cuda_graphs: true, precision: tf32}", "");
    row("background above foreground", "model: {rpn: {bg_iou: 0.8}}",
        "a.yaml:1:23: model.rpn.bg_iou: 0.8 is above model.rpn.fg_iou, 0.7: nothing can be both "
        "foreground and background");
    row("captured graphs with batch norm", "runtime: {cuda_graphs: true}\nmodel: {norm: batch}",
        "a.yaml:1:24: runtime.cuda_graphs: true does not work with model.norm: batch, whose "
        "statistics change with every batch; use frozen_batch or group");
    row("nesterov without momentum", "solver: {nesterov: true, momentum: 0}",
        "a.yaml:1:20: solver.nesterov: true needs solver.momentum above 0");
    row("warm-up longer than the training", "solver: {max_steps: 100}",
        "a.yaml: solver.warmup_steps: warning: the warm-up of 500 steps is longer than "
        "solver.max_steps (100)");
    row("learning rate that diverges", "solver: {base_lr: 2}",
        "a.yaml:1:19: solver.base_lr: warning: 2 makes nearly every training diverge; Mask R-CNN's "
        "usual rate is 0.02 at a batch of 16 images, in proportion to it");
    row("size that is never reached", "augment: {min_size: [400, 900], max_size: 800}",
        "a.yaml:1:21: augment.min_size: warning: 900 is never reached: augment.max_size is 800");
    row("name of a folder elsewhere", "name: ../x",
        "a.yaml:1:7: name: ../x cannot name a run folder: it must not contain '/' or start with "
        "'.' or "
        "'-'");
    row("half the training set", "dataset: {train: {images: /}}",
        "a.yaml:1:27: dataset.train.images: is given without dataset.train.annotations: both "
        "are needed");
    row("half the validation set", "dataset: {val: {images: /}}",
        "a.yaml:1:25: dataset.val.images: is given without dataset.val.annotations: give both or "
        "neither");
    row("missing folder", "dataset: {train: {images: /no/where, annotations: /no/file.json}}",
        "a.yaml:1:27: dataset.train.images: /no/where: no such folder\n"
        "a.yaml:1:51: dataset.train.annotations: /no/file.json: no such file");
    row("missing weights", "model: {weights: /no/w.safetensors}",
        "a.yaml:1:18: model.weights: /no/w.safetensors: no such file");
    row("weights that are a folder", "model: {weights: /}",
        "a.yaml:1:18: model.weights: /: is a folder; expected a file");
  }
  void inconsistentKeysAreErrors() {
    QFETCH(QString, text);
    QFETCH(QString, lines);
    const auto loaded = config::loadExperimentText(text.toStdString(), "a.yaml");
    QCOMPARE(QString::fromStdString(tests::issueLines(loaded)), lines);
  }

  void aHeldOutSetThatIsTheTrainingSetIsAWarning() {
    ExperimentFolder folder;
    folder.write("images/a.jpg", "");
    folder.write("all.json", "");
    std::filesystem::create_hard_link(folder.path("all.json"), folder.path("link.json"));
    for (const std::string val : {"all.json", "./images/../all.json", "link.json"}) {
      const auto file = folder.write("a.yaml",
                                     "dataset:\n  train: {images: images, annotations: all.json}\n"
                                     "  val: {images: images, annotations: " +
                                         val + "}\n");
      const auto loaded = config::loadExperiment(file);
      const std::string lines = tests::issueLines(loaded, folder.path().string());
      QVERIFY2(lines ==
                   "a.yaml:3:38: dataset.val.annotations: warning: is the training set's file: "
                   "validation metrics will show how well the model memorized the training images, "
                   "not how well it generalizes",
               lines.c_str());
      QVERIFY(!loaded.hasErrors());
    }
  }

  void metricsFollowFromTheLimits() {
    const auto firstIssue = [](const std::vector<std::string>& overrides) -> std::string {
      const auto loaded = config::loadExperimentText("", "a.yaml", overrides);
      for (const config::ConfigIssue& issue : loaded.issues)
        if (issue.key.starts_with("evaluation.")) return issue.key + ": " + issue.text;
      return "";
    };
    QCOMPARE(firstIssue({"evaluation.max_dets=[1, 10, 600]", "evaluation.best_metric=segm/AR600"}),
             std::string());
    QCOMPARE(firstIssue({"evaluation.best_metric=segm/AR600"}),
             std::string("evaluation.best_metric: segm/AR600 is not measured: evaluation.max_dets "
                         "are 1, 10 and 100"));
    QCOMPARE(firstIssue({"evaluation.max_dets=[1, 100, 10]"}),
             std::string("evaluation.max_dets: must be three numbers in ascending order"));
    QCOMPARE(
        firstIssue({"evaluation.early_stop.target=1.5"}),
        std::string("evaluation.early_stop.target: 1.5 is never reached: segm/AP is at most 1"));
    QVERIFY(firstIssue({"evaluation.early_stop.target=0.5", "evaluation.ap_every=0"})
                .starts_with("evaluation.early_stop.target: segm/AP is never measured"));
  }

  void unimplementedValuesAreErrors_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* key, const char* value) {
      QTest::newRow(
          qPrintable(QStringLiteral("%1=%2").arg(QLatin1String(key), QLatin1String(value))))
          << QString::fromLatin1(key) << QString::fromLatin1(value);
    };
    row("dataset.tiles.size", "1024");
    row("dataset.tiles.overlap", "0.5");
    row("dataset.channels", "[0, 3]");
    row("dataset.window", "[1 %, 4095]");
    row("dataset.mean", "[0.5]");
    row("dataset.std", "[0.2, 0.2, 0.2]");
  }
  void unimplementedValuesAreErrors() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    const std::string override = (key + QLatin1Char('=') + value).toStdString();
    const auto loaded = config::loadExperimentText("", "a.yaml", {override});
    QVERIFY(loaded.hasErrors());
    const QString line = QString::fromStdString(tests::issueLines(loaded));
    QVERIFY2(line.startsWith(QStringLiteral("--set: %1: %2 is not built yet; ").arg(key, value)),
             qPrintable(line));
  }

  void implementedValuesAreNoErrors() {
    constexpr const char* kOverrides[] = {"runtime.precision=fp32",
                                          "runtime.precision=tf32",
                                          "runtime.precision=bf16",
                                          "runtime.precision=fp16",
                                          "runtime.precision=auto",
                                          "runtime.cuda_graphs=true",
                                          "runtime.max_restarts=1",
                                          "runtime.workers=2",
                                          "runtime.devices=[0]",
                                          "runtime.backend=gloo",
                                          "runtime.backend=nccl",
                                          "runtime.device=cuda",
                                          "model.norm=sync_batch",
                                          "model.norm=batch",
                                          "solver.ema_decay=0.99",
                                          "solver.optimizer=adamw",
                                          "solver.accumulate=2",
                                          "evaluation.early_stop.metric=loss_total",
                                          "model.masks=false",
                                          "model.norm_epsilon=0",
                                          "dataset.channels=auto",
                                          "augment.copy_paste=0.5",
                                          "augment.pad_to=canonical",
                                          "solver.class_weights=inverse",
                                          "solver.class_weights=[1, 2]",
                                          "evaluation.max_dets=[1, 10, 600]",
                                          "evaluation.early_stop.target=0.5",
                                          "evaluation.best_metric=bbox/AR10",
                                          "monitor.tensor_stats_include=[fpn]",
                                          "monitor.summary_images=4",
                                          "monitor.on_event.best=notify",
                                          "monitor.on_event.alert=notify",
                                          "monitor.on_event.end=notify",
                                          "monitor.tensor_stats_every=100",
                                          "augment.scale_jitter=[0.5, 2]",
                                          "augment.crop=0.5",
                                          "augment.brightness=0.5",
                                          "dataset.repeat_threshold=0.1",
                                          "dataset.cache=ram",
                                          "dataset.cache_limit=1 GiB",
                                          "dataset.cache_limit=4 GiB",
                                          "evaluation.early_stop.patience=7",
                                          "evaluation.early_stop.min_delta=0.5"};
    for (const char* override : kOverrides) {
      const auto loaded = config::loadExperimentText("", "a.yaml", {override});
      QVERIFY2(!loaded.hasErrors(), tests::issueLines(loaded).c_str());
    }
  }

  void picturesWithoutPredictionsAreAWarning() {
    const auto loaded = config::loadExperimentText(
        "", "a.yaml", {"monitor.summary_images=4", "monitor.predictions_every=0"});
    QVERIFY(!loaded.hasErrors());
    const QString lines = QString::fromStdString(tests::issueLines(loaded));
    QVERIFY2(lines.contains(QStringLiteral("monitor.summary_images: warning: 4 are never drawn: "
                                           "monitor.predictions_every is 0")),
             qPrintable(lines));
  }

  void scaleFactorsAreInOrder() {
    const auto loaded = config::loadExperimentText("", "a.yaml", {"augment.scale_jitter=[2, 0.5]"});
    QCOMPARE(tests::issueLines(loaded),
             std::string("--set: augment.scale_jitter: the smallest factor, 2, is above the "
                         "largest, 0.5"));
  }

  void aBoxDetectorIsJudgedByItsBoxes() {
    const auto bestOf = [](const std::vector<std::string>& overrides) {
      const auto loaded = config::loadExperimentText("", "a.yaml", overrides);
      return loaded.hasErrors() ? tests::issueLines(loaded)
                                : loaded.experiment.evaluation.bestMetric;
    };
    QCOMPARE(bestOf({}), std::string("segm/AP"));
    QCOMPARE(bestOf({"model.masks=false"}), std::string("bbox/AP"));
    QCOMPARE(bestOf({"model.masks=false", "evaluation.best_metric=loss_total"}),
             std::string("loss_total"));
    QCOMPARE(bestOf({"model.masks=false", "evaluation.best_metric=segm/AP50"}),
             std::string("--set: evaluation.best_metric: segm/AP50 is never measured with "
                         "model.masks: false; use bbox/AP or a loss"));
    QVERIFY(bestOf({"model.masks=false", "evaluation.early_stop.metric=loss_mask"})
                .starts_with("--set: evaluation.early_stop.metric: loss_mask is never measured"));
  }

  void aTensorNameThatIsNoRegexIsAnError_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("message");
    QTest::newRow("invalid") << QStringLiteral("(")
                             << QStringLiteral(
                                    "'(' is not a valid regular expression: missing "
                                    "closing parenthesis (at character 1)");
    QTest::newRow("deep") << QString(1000, u'(') + QString(1000, u')')
                          << u'\'' + QString(60, u'(') +
                                 QStringLiteral(
                                     "…' is not a valid regular expression: parentheses "
                                     "are too deeply nested (at character 251)");
  }
  void aTensorNameThatIsNoRegexIsAnError() {
    QFETCH(QString, pattern);
    QFETCH(QString, message);
    const auto loaded = config::loadExperimentText(
        "", "a.yaml", {"monitor.tensor_stats_include=['" + pattern.toStdString() + "']"});
    QVERIFY(loaded.hasErrors());
    QCOMPARE(QString::fromStdString(tests::issueLines(loaded)),
             QStringLiteral("--set: monitor.tensor_stats_include: ") + message);
  }

  void anImpossibleEarlyStopIsAnError_data() {
    QTest::addColumn<QString>("evaluation");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* evaluation, const char* message) {
      QTest::newRow(evaluation) << QString::fromLatin1(evaluation) << QString::fromLatin1(message);
    };
    row("{early_stop: {metric: bbox/AP50}, ap_every: 0, best_metric: loss_total}",
        "bbox/AP50 is never measured while evaluation.ap_every is 0");
    row("{early_stop: {metric: loss_mask}, ap_every: 0, loss_every: 0, best_metric: loss_mask}",
        "loss_mask is measured at the last step only while evaluation.loss_every is 0");
    row("{early_stop: {metric: loss_mask}, loss_every: 0}", "");
    row("{early_stop: {metric: null}, ap_every: 0, best_metric: loss_total}", "");
  }
  void anImpossibleEarlyStopIsAnError() {
    QFETCH(QString, evaluation);
    QFETCH(QString, message);
    const auto loaded =
        config::loadExperimentText("evaluation: " + evaluation.toStdString() + "\n", "a.yaml");
    QCOMPARE(loaded.hasErrors(), !message.isEmpty());
    QVERIFY(QString::fromStdString(tests::issueLines(loaded)).contains(message));
  }

  void aBestMetricThatIsNeverMeasuredIsAWarning_data() {
    QTest::addColumn<QString>("metric");
    QTest::addColumn<QString>("every");
    QTest::addColumn<bool>("isWarned");
    QTest::newRow("AP never") << "segm/AP"
                              << "0" << true;
    QTest::newRow("recall never") << "bbox/AR100"
                                  << "0" << true;
    QTest::newRow("AP") << "segm/AP"
                        << "1" << false;
    QTest::newRow("a loss") << "loss_total"
                            << "0" << false;
  }
  void aBestMetricThatIsNeverMeasuredIsAWarning() {
    QFETCH(QString, metric);
    QFETCH(QString, every);
    QFETCH(bool, isWarned);
    const auto loaded =
        config::loadExperimentText("", "a.yaml",
                                   {"evaluation.best_metric=" + metric.toStdString(),
                                    "evaluation.ap_every=" + every.toStdString()});
    QVERIFY(!loaded.hasErrors());
    const QString lines = QString::fromStdString(tests::issueLines(loaded));
    QCOMPARE(lines.contains(QStringLiteral("--set: evaluation.ap_every: warning: 0 means")),
             isWarned);
    QCOMPARE(lines.isEmpty(), !isWarned);
  }

  void invalidFilesAreNotCrossChecked() {
    const auto loaded =
        config::loadExperimentText("model: {norm: frozen_batch}\nbase: /no/where.yaml\n", "a.yaml");
    QCOMPARE(tests::issueLines(loaded),
             std::string("a.yaml:2:7: base: /no/where.yaml: no such file"));
  }
};

LOCKSTEP_TEST(TstCrossChecks)

#include "tst_cross_checks.moc"
