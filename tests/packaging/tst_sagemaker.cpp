// packaging/sagemaker/train: hyperparameters, channels, hosts, results and the lines that are
// scraped.
#include <signal.h>

#include <QRegularExpression>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/config/losses.h"
#include "engine/events/tags.h"
#include "engine/supervisor/training_progress.h"
#include "tests/packaging/sagemaker_bench.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
using tests::SageMaker;
using tests::ScriptBench;

class TstSagemaker : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hyperparametersBecomeSettings_data() {
    QTest::addColumn<QByteArray>("hyperparameters");
    QTest::addColumn<QStringList>("settings");
    const auto row = [](const char* hyperparameters, const QStringList& settings) {
      QTest::newRow(hyperparameters) << QByteArray(hyperparameters) << settings;
    };
    row("{}", {});
    row(R"({"solver.max_steps": "200"})", {"solver.max_steps=200"});
    row(R"({"solver.max_steps": 200, "solver.nesterov": true})",
        {"solver.max_steps=200", "solver.nesterov=true"});
    row(R"({"solver.base_lr": "1e-3"})", {"solver.base_lr=1e-3"});
    row("{\"solver.optimizer\": \"\\\"adamw\\\"\"}", {"solver.optimizer=adamw"});
    row(R"({"solver.optimizer": "adamw"})", {"solver.optimizer=adamw"});
    row(R"({"solver.warmup_steps": "2 epochs"})", {"solver.warmup_steps=2 epochs"});
    row(R"({"augment.min_size": "[256, 320]"})", {"augment.min_size=[256, 320]"});
    row(R"({"augment.min_size": [256, 320]})", {"augment.min_size=[256, 320]"});
    row(R"({"solver.nesterov": "True", "evaluation.early_stop.metric": "None"})",
        {"solver.nesterov=true", "evaluation.early_stop.metric=null"});
    row("{\"solver.loss_weights\": \"{\\\"loss_mask\\\": 2, \\\"loss_box_reg\\\": 0.5}\"}",
        {"solver.loss_weights.loss_mask=2", "solver.loss_weights.loss_box_reg=0.5"});
    row(R"({"solver": {"schedule": "cosine", "clip_grad_norm": 10}})",
        {"solver.schedule=cosine", "solver.clip_grad_norm=10"});
    row("{\"name\": \"droplets: #3\"}", {"name=\"droplets: #3\""});
    row(R"x({"solver.milestones": "(100, 200)", "augment.min_size": "(800,)"})x",
        {"solver.milestones=[100, 200]", "augment.min_size=[800]"});
    row(R"({"opts": "solver.max_steps 200 solver.base_lr=0.01"})",
        {"solver.max_steps=200", "solver.base_lr=0.01"});
    row("{\"opts\": \"\\\"SOLVER.IMS_PER_BATCH 2 SOLVER.BASE_LR 0.9999\\\"\"}",
        {"SOLVER.IMS_PER_BATCH=2", "SOLVER.BASE_LR=0.9999"});
    row(R"({"opts": ["solver.nesterov", true, "augment.min_size", [256, 320]]})",
        {"solver.nesterov=true", "augment.min_size=[256, 320]"});
    row(R"({"opts": "solver.milestones (100, 200) name 'a b' model.weights None"})",
        {"solver.milestones=[100, 200]", "name=a b", "model.weights=null"});
    row(R"({"opts": {"solver": {"gamma": 0.5}}})", {"solver.gamma=0.5"});
    row(R"({"opts": ""})", {});
    row(R"({"sagemaker_region": "x", "_tuning_objective_metric": "y", "solver.gamma": "0.5"})",
        {"solver.gamma=0.5"});
  }
  void hyperparametersBecomeSettings() {
    QFETCH(QByteArray, hyperparameters);
    QFETCH(QStringList, settings);
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("ml/input/config/hyperparameters.json", hyperparameters.toStdString());
    const auto ended = bench.train();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(bench.settings(), settings);
  }

  void hyperparametersOfDetectron2AreRefusedWithTheirNameHere_data() {
    QTest::addColumn<QByteArray>("hyperparameters");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("config-file") << QByteArray(R"({"config-file": "a.yaml"})")
                                 << QByteArray(
                                        "config-file: no such hyperparameter; name the "
                                        "experiment by the hyperparameter `config`");
    QTest::newRow("eval-only") << QByteArray(R"({"eval-only": "True"})")
                               << QByteArray("use the hyperparameter `eval_only`");
    QTest::newRow("resume") << QByteArray(R"({"resume": "True"})")
                            << QByteArray("resume: no such hyperparameter; remove it");
    QTest::newRow("opts") << QByteArray(R"({"opts": "solver.gamma"})")
                          << QByteArray("opts: solver.gamma has no value");
  }
  void hyperparametersOfDetectron2AreRefusedWithTheirNameHere() {
    QFETCH(QByteArray, hyperparameters);
    QFETCH(QByteArray, expected);
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("ml/input/config/hyperparameters.json", hyperparameters.toStdString());
    const auto ended = bench.train();
    QCOMPARE(ended.status, 2);
    QVERIFY2(contains(ended.err, expected.toStdString()), ended.err.c_str());
    QVERIFY(contains(bench.read("ml/output/failure"), expected.toStdString()));
  }

  void channelsBecomeTheDataset_data() {
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QStringList>("settings");  // behind dataset., below input/data/
    QTest::addColumn<QString>("fault");
    const auto row = [](const char* name, const QStringList& files, const QStringList& settings,
                        const char* fault = "") {
      QTest::newRow(name) << files << settings << QString::fromUtf8(fault);
    };
    row("none", {}, {});
    const QStringList both{"train.images=train", "train.annotations=train/t.json", "val.images=val",
                           "val.annotations=val/v.json"};
    row("annotations beside the images", {"train/a.jpg", "train/t.json", "val/v.json"}, both);
    row("images in a folder of their own",
        {"train/images/a.jpg", "train/annotations/t.json", "val/images/b.jpg", "val/v.json"},
        {"train.images=train/images", "train.annotations=train/annotations/t.json",
         "val.images=val/images", "val.annotations=val/v.json"});
    row("one channel of annotations",
        {"train/a.jpg", "val/b.jpg", "annotations/instances_train.json",
         "annotations/instances_val.json"},
        {"train.images=train", "train.annotations=annotations/instances_train.json",
         "val.images=val", "val.annotations=annotations/instances_val.json"});
    row("channels of annotations",
        {"train/a.jpg", "validation/b.jpg", "train_annotations/x.json", "val_annotations/y.json"},
        {"train.images=train", "train.annotations=train_annotations/x.json",
         "val.images=validation", "val.annotations=val_annotations/y.json"});
    const QStringList whole{"train.images=D/train", "train.annotations=D/annotations/i_train.json",
                            "val.images=D/val", "val.annotations=D/annotations/i_val.json"};
    for (const char* name : {"data", "training"}) {
      const QString channel = QString::fromUtf8(name);
      QStringList files{"D/train/a.jpg", "D/val/b.jpg", "D/annotations/i_train.json",
                        "D/annotations/i_val.json"};
      QStringList settings = whole;
      files.replaceInStrings("D/", channel + "/");
      settings.replaceInStrings("D/", channel + "/");
      row(name, files, settings);
    }
    row("annotations that are not there", {"train/a.jpg"}, {}, "0 candidates for the annotations");
    row("annotations in doubt", {"train/a.json", "train/b.json"}, {}, "2 candidates");
    row("experiments in doubt", {"config/a.yaml", "config/b.yaml"}, {}, "2 candidates");
  }
  void channelsBecomeTheDataset() {
    QFETCH(QStringList, files);
    QFETCH(QStringList, settings);
    QFETCH(QString, fault);
    SageMaker bench;
    for (const QString& file : files) bench.write("ml/input/data/" + file.toStdString(), "{}");
    const auto ended = bench.train();
    if (!fault.isEmpty()) {
      QCOMPARE(ended.status, 2);
      QVERIFY2(contains(ended.err, fault.toStdString()), ended.err.c_str());
      QVERIFY(contains(bench.read("ml/output/failure"), fault.toStdString()));
      return;
    }
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QStringList found = bench.settings();
    found.replaceInStrings("dataset.", "");
    found.replaceInStrings(QString::fromStdString((bench.folder() / "ml/input/data/").string()),
                           "");
    found.replaceInStrings("\"", "");
    QCOMPARE(found, settings);
  }

  void variablesNameChannelsToo() {
    SageMaker bench;
    bench.write("elsewhere/t.json", "{}");
    bench.setVariable("SM_CHANNEL_TRAIN", (bench.folder() / "elsewhere").string());
    QCOMPARE(bench.train().status, 0);
    QVERIFY(contains(bench.settings().join(' ').toStdString(), "/elsewhere/t.json"));
  }

  void dataHyperparametersOverrideChannels() {
    SageMaker bench;
    bench.channel("train", {"a.json", "b.json"});
    bench.write("ml/input/config/hyperparameters.json",
                R"({"dataset.train.images": "/d", "dataset.train.annotations": "/d/a.json"})");
    QCOMPARE(bench.train().status, 0);
    QCOMPARE(bench.settings(),
             QStringList({"dataset.train.images=/d", "dataset.train.annotations=/d/a.json"}));
  }

  void experimentIsFound_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("found");
    QTest::newRow("the channel's only one") << QString() << "ml/input/data/config/own.yaml";
    QTest::newRow("of the channel") << "own.yaml"
                                    << "ml/input/data/config/own.yaml";
    QTest::newRow("of the image") << "configs/cpu_small.yaml"
                                  << "configs/cpu_small.yaml";
    QTest::newRow("by its name alone") << "cpu_small.yaml"
                                       << "configs/cpu_small.yaml";
  }
  void experimentIsFound() {
    QFETCH(QString, config);
    QFETCH(QString, found);
    SageMaker bench;
    bench.channel("config", {"own.yaml"});
    if (!config.isEmpty()) {
      bench.write("ml/input/config/hyperparameters.json",
                  "{\"config\": \"" + config.toStdString() + "\"}");
    }
    QCOMPARE(bench.train().status, 0);
    const auto arguments = bench.arguments();
    QVERIFY2(arguments.at(1).ends_with("/" + found.toStdString()), arguments.at(1).c_str());
    QCOMPARE(bench.settings(), QStringList());
    const std::string output = (bench.folder() / "ml/checkpoints").string();
    QVERIFY(std::vector<std::string>(arguments.begin() + 2, arguments.begin() + 5) ==
            std::vector<std::string>({"--output", output, "--resume"}));
  }

  void missingExperimentIsReported() {
    SageMaker bench;
    bench.write("ml/input/config/hyperparameters.json", R"({"config": "nothing.yaml"})");
    QCOMPARE(bench.train().status, 2);
    QVERIFY(contains(bench.read("ml/output/failure"), "nothing.yaml"));
  }

  void hostsBecomeTheWorld_data() {
    QTest::addColumn<QString>("hosts");
    QTest::addColumn<QString>("current");
    QTest::addColumn<QString>("world");
    QTest::newRow("one") << R"(["algo-1"])"
                         << "algo-1"
                         << "/";
    QTest::newRow("first") << R"(["algo-1", "algo-2"])"
                           << "algo-1"
                           << "0/2";
    QTest::newRow("second") << R"(["algo-2", "algo-1"])"
                            << "algo-2"
                            << "1/2";
  }
  void hostsBecomeTheWorld() {
    QFETCH(QString, hosts);
    QFETCH(QString, current);
    QFETCH(QString, world);
    for (const bool byVariables : {true, false}) {
      SageMaker bench;
      bench.channel("config", {"a.yaml"});
      if (byVariables) {
        bench.setVariable("SM_HOSTS", hosts.toStdString());
        bench.setVariable("SM_CURRENT_HOST", current.toStdString());
        bench.setVariable("SM_NETWORK_INTERFACE_NAME", "eth7");
      } else {
        bench.write("ml/input/config/resourceconfig.json",
                    "{\"hosts\": " + hosts.toStdString() + ", \"current_host\": \"" +
                        current.toStdString() + "\", \"network_interface_name\": \"eth7\"}");
      }
      QCOMPARE(bench.train().status, 0);
      QCOMPARE(QString::fromStdString(bench.variable("RANK") + "/" + bench.variable("WORLD_SIZE")),
               world);
      const bool isMore = world != "/";
      QCOMPARE(bench.variable("MASTER_ADDR"), std::string(isMore ? "algo-1" : ""));
      QCOMPARE(bench.variable("MASTER_PORT"), std::string(isMore ? "7777" : ""));
      QCOMPARE(bench.variable("NCCL_SOCKET_IFNAME"), std::string(isMore ? "eth7" : ""));
    }
  }

  void everyGpuHasARank() {
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.setVariable("SM_NUM_GPUS", "8");
    QCOMPARE(bench.train().status, 0);
    const auto arguments = bench.arguments();
    const auto workers = std::find(arguments.begin(), arguments.end(), "--workers");
    QVERIFY(workers != arguments.end() && *(workers + 1) == "8");
    bench.setVariable("SM_NUM_GPUS", "0");
    QCOMPARE(bench.train().status, 0);
    const auto without = bench.arguments();
    QVERIFY(std::find(without.begin(), without.end(), "--workers") == without.end());
  }

  void bestModelAndRunAreSaved_data() {
    QTest::addColumn<QByteArray>("best");
    QTest::addColumn<QByteArray>("model");
    QTest::newRow("best") << QByteArray(R"({"metric": "segm/AP", "value": 0.5, "step": 2})")
                          << QByteArray("2");
    QTest::newRow("no evaluation") << QByteArray("null") << QByteArray("4");
    QTest::newRow("the best is gone") << QByteArray(R"({"step": 3})") << QByteArray("4");
  }
  void bestModelAndRunAreSaved() {
    QFETCH(QByteArray, best);
    QFETCH(QByteArray, model);
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("run/run.json", "{\"best\": " + best.toStdString() + "}");
    bench.write("run/config.yaml", "name: a");
    bench.write("run/checkpoints/step-00000002/model.safetensors", "2");
    bench.write("run/checkpoints/step-00000004/model.safetensors", "4");
    bench.write("run/checkpoints/step-00000006/optimizer.safetensors", "no model");
    const auto ended = bench.train();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY2(contains(ended.err, "step=2 max_steps=4"), "its lines come through");
    QCOMPARE(bench.read("ml/model/model.safetensors"), model.toStdString());
    QCOMPARE(bench.read("ml/model/config.yaml"), std::string("name: a"));
    QVERIFY(bench.has("ml/output/data/run.json"));
    QVERIFY(bench.has("ml/output/data/checkpoints/step-00000004/model.safetensors"));
    QVERIFY(!bench.has("ml/output/failure"));
  }

  void onlyTheFirstHostSavesResults() {
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("run/run.json", R"({"best": null})");
    bench.setVariable("SM_HOSTS", R"(["algo-1", "algo-2"])");
    bench.setVariable("SM_CURRENT_HOST", "algo-2");
    QCOMPARE(bench.train().status, 0);
    QVERIFY(!bench.has("ml/output/data"));
  }

  void failureIsReported_data() {
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QByteArray>("run");
    QTest::addColumn<QByteArray>("fault");
    QTest::newRow("a rank") << QByteArray("1")
                            << QByteArray(R"({"error": {"message": "rank 3 was killed"}})")
                            << QByteArray("rank 3 was killed\n");
    QTest::newRow("the experiment")
        << QByteArray("2") << QByteArray() << QByteArray("a.yaml:3: no such key");
    QTest::newRow("nothing is known")
        << QByteArray("1") << QByteArray("{}") << QByteArray("the last line");
  }
  void failureIsReported() {
    QFETCH(QByteArray, status);
    QFETCH(QByteArray, run);
    QFETCH(QByteArray, fault);
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("status", status.toStdString());
    bench.write("fault", "a.yaml:3: no such key\nthe last line\n");
    if (!run.isEmpty()) bench.write("run/run.json", run.toStdString());
    const auto ended = bench.train();
    QCOMPARE(ended.status, status.toInt());
    const std::string failure = bench.read("ml/output/failure");
    QVERIFY2(contains(failure, fault.toStdString()), failure.c_str());
    QVERIFY(failure.size() <= 1025);
  }

  void stopIsForwardedAndSavesTheModel() {
    SageMaker bench;
    bench.channel("config", {"a.yaml"});
    bench.write("waits", "");
    bench.write("run/run.json", R"({"best": null})");
    bench.write("run/config.yaml", "");
    bench.write("run/checkpoints/step-00000004/model.safetensors", "4");
    const auto process = bench.start(tests::sourceFile("packaging/sagemaker/train"), {});
    QTRY_VERIFY_WITH_TIMEOUT(bench.has("waiting"), 20000);
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    const auto ended = ScriptBench::finish(*process);
    QCOMPARE(ended.status, 75);
    QVERIFY2(contains(ended.err, "stopping"), ended.err.c_str());
    QCOMPARE(bench.read("ml/model/model.safetensors"), std::string("4"));
    QVERIFY(!bench.has("ml/output/failure"));
  }

  /// With the true lockstep-engine and a scripted rank: the whole way, and the lines that
  /// SageMaker's expressions are for.
  void realEngineRunsAndItsLinesMatch() {
    EngineBench engine;
    engine.script(
        "state running 0\nscalars 1 6\neval 6 0.5 0.25 best\ncheckpoint 6 last best\nfinish 6\n");
    SageMaker bench;
    bench.setVariable("LOCKSTEP_ENGINE", (engine.folder() / "bin/lockstep-engine").string());
    bench.setVariable("SM_CHANNEL_CONFIG", engine.folder().string());
    bench.setVariable("SM_CHANNEL_TRAIN", (engine.folder() / "train").string());
    bench.setVariable("SM_CHANNEL_VAL", (engine.folder() / "val").string());
    bench.setVariable("SM_CHANNEL_ANNOTATIONS", engine.folder().string());
    bench.write("ml/input/config/hyperparameters.json",
                "{\"solver.gamma\": \"0.5\", \"name\": \"\\\"a b\\\"\"}");
    const auto ended = bench.train();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const std::string config = bench.read("ml/model/config.yaml");
    QVERIFY2(contains(config, "gamma: 0.5") && contains(config, "a b"), config.c_str());
    QVERIFY(!bench.read("ml/model/model.safetensors").empty());
    QVERIFY(bench.has("ml/output/data/run.json"));
    const auto again = bench.train();
    QVERIFY2(again.status == 0, again.err.c_str());  // it is done already

    const QString lines = QString::fromStdString(ended.err);
    const auto expressions = metricExpressions();
    QCOMPARE(expressions.size(), 6 + 2 * config::kLossCount);
    for (const auto& [name, expression] : expressions) {
      if (name.contains("loss_") && !name.endsWith("loss_total")) continue;
      const QRegularExpression metric(expression, QRegularExpression::MultilineOption);
      QVERIFY2(metric.isValid(), qPrintable(name));
      const auto match = metric.match(lines);
      QVERIFY2(match.hasMatch(), qPrintable(name + ": " + lines));
      bool isNumber = false;
      match.captured(1).toDouble(&isNumber);
      QVERIFY2(isNumber, qPrintable(name + ": " + match.captured(1)));
    }
  }

  /// The lines of a model's losses, which the scripted rank does not send.
  void everyHeadHasItsMetric() {
    protocol::Scalars step{0, 1, 0, {{"train/loss_total", 9}, {"time/step_seconds", 1}}},
        evaluation{0, 1, 0, {{"eval/loss_total", 9}}};
    for (std::size_t i = 0; i < config::kLossCount; ++i) {
      step.values.emplace_back(events::tags::train(config::kLosses[i].name), i);
      evaluation.values.emplace_back(events::tags::eval(config::kLosses[i].name), i + 0.5);
    }
    supervisor::TrainingProgress progress(1, 1);
    progress.add(step);
    const QString lines = QString::fromStdString(progress.dueLine().value() + "\n" +
                                                 supervisor::evaluationLine(evaluation));
    std::map<QString, QString> expressions;
    for (const auto& [name, expression] : metricExpressions()) expressions[name] = expression;
    for (std::size_t i = 0; i < config::kLossCount; ++i) {
      for (const auto& [kind, value] : {std::pair("train:", i + 0.0), std::pair("val:", i + 0.5)}) {
        const QString name = QString::fromUtf8(kind) + config::kLosses[i].name;
        const QRegularExpression metric(expressions[name], QRegularExpression::MultilineOption);
        const auto match = metric.match(lines);
        QVERIFY2(match.hasMatch(), qPrintable(name + ": " + lines));
        QCOMPARE(match.captured(1).toDouble(), value);
      }
    }
  }

 private:
  /// Rows `| name | `expression` |` of the README's table.
  static std::vector<std::pair<QString, QString>> metricExpressions() {
    std::ifstream readme(tests::sourceFile("packaging/sagemaker/README.md"));
    std::vector<std::pair<QString, QString>> found;
    const QRegularExpression row(QStringLiteral(R"(^\| ((?:train|val):\S+) \| `(.*)` \|$)"));
    for (std::string line; std::getline(readme, line);) {
      const auto match = row.match(QString::fromStdString(line));
      if (match.hasMatch()) found.emplace_back(match.captured(1), match.captured(2));
    }
    return found;
  }
};

LOCKSTEP_TEST(TstSagemaker)
#include "tst_sagemaker.moc"
