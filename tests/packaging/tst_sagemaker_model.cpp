// packaging/sagemaker with a model that is there already: trained on, evaluated alone, served.
#include <QTest>

#include "tests/packaging/sagemaker_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::SageMaker;

class TstSagemakerModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weightsOfAChannelAreStartedFrom_data() {
    QTest::addColumn<QString>("channel");
    QTest::addColumn<bool>("isArchive");
    QTest::newRow("weights") << "weights" << false;
    QTest::newRow("SageMaker's model") << "model" << false;
    QTest::newRow("a job's archive") << "model" << true;
  }
  void weightsOfAChannelAreStartedFrom() {
    QFETCH(QString, channel);
    QFETCH(bool, isArchive);
    SageMaker bench;
    bench.anyData();
    const std::string folder = "ml/input/data/" + channel.toStdString();
    bench.write(folder + "/model.safetensors", "weights");
    if (isArchive) {
      bench.write("made/model.safetensors", "weights");
      bench.write("made/config.yaml", "name: a");
      std::filesystem::remove(bench.path(folder + "/model.safetensors"));
      const auto packed =
          bench.run("tar", {"-czf", QString::fromStdString(bench.path(folder + "/model.tar.gz")),
                            "-C", QString::fromStdString(bench.path("made")), "."});
      QVERIFY2(packed.status == 0, packed.err.c_str());
    }
    for (const char* attempt : {"first", "restarted"}) {
      const auto ended = bench.train();
      QVERIFY2(ended.status == 0, (attempt + ended.err).c_str());
      const std::string weights =
          bench.path(isArchive ? "ml/weights/model.safetensors" : folder + "/model.safetensors");
      QVERIFY2(
          bench.settings().contains(QString::fromStdString("model.weights=\"" + weights + "\"")),
          qPrintable(bench.settings().join(' ')));
      QVERIFY2(contains(bench.arguments().at(1), "mask_rcnn_r50_fpn.yaml"),
               "what trained the weights is not what is trained");
    }
    if (isArchive) QCOMPARE(bench.read("ml/weights/model.safetensors"), std::string("weights"));
  }

  void evaluatesOnly_data() {
    QTest::addColumn<QByteArray>("asked");
    QTest::newRow("text") << QByteArray(
        R"({"eval_only": "true", "evaluation.max_dets": "[1, 10]"})");
    QTest::newRow("SageMaker's SDK")
        << QByteArray(R"({"eval_only": "True", "evaluation.max_dets": "[1, 10]"})");
    QTest::newRow("JSON") << QByteArray(R"({"eval_only": true, "evaluation.max_dets": [1, 10]})");
  }
  void evaluatesOnly() {
    QFETCH(QByteArray, asked);
    SageMaker bench;
    bench.channel("val", {"a.jpg", "val.json"});
    bench.write("ml/input/data/model/model.safetensors", "weights");
    bench.write("ml/input/data/model/config.yaml", "name: a");
    bench.hyperparameters(asked.toStdString());
    bench.write(
        "ml/output/data/metrics.json",
        R"({"step": 7, "losses": {"loss_mask": 0.25, "loss_total": 0.5}, "segm": {"AP": 0.125}, "bbox": null})");
    const auto ended = bench.train();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const auto arguments = bench.arguments();
    QCOMPARE(arguments.at(0), std::string("evaluate"));
    QCOMPARE(arguments.at(1), bench.path("ml/input/data/model/config.yaml"));
    QCOMPARE(bench.valueOf("--weights"), bench.path("ml/input/data/model/model.safetensors"));
    QCOMPARE(bench.valueOf("--out"), bench.path("ml/output/data/metrics.json"));
    QCOMPARE(bench.valueOf("--report"), bench.path("ml/output/data/report.html"));
    const QString data = QString::fromStdString(bench.path("ml/input/data/val"));
    QCOMPARE(bench.settings(), QStringList({"dataset.val.images=\"" + data + "\"",
                                            "dataset.val.annotations=\"" + data + "/val.json\"",
                                            "evaluation.max_dets=[1, 10]"}));
    QVERIFY2(contains(ended.err, "evaluation step=7 loss_total=0.5 segm/AP=0.125 loss_mask=0.25\n"),
             ended.err.c_str());
    QVERIFY(!bench.has("ml/output/failure"));
  }

  void evaluationNeedsWeights() {
    SageMaker bench;
    bench.anyData();
    bench.hyperparameters(R"({"eval_only": "true"})");
    QCOMPARE(bench.train().status, 2);
    QVERIFY(contains(bench.read("ml/output/failure"), "channel `weights`"));
  }

  void failedEvaluationIsReported() {
    SageMaker bench;
    bench.anyData();
    bench.write("ml/input/data/weights/model.safetensors", "weights");
    bench.hyperparameters(R"({"eval_only": "true"})");
    bench.write("status", "1");
    bench.write("fault", "the weights do not fit\n");
    QCOMPARE(bench.train().status, 1);
    QVERIFY(contains(bench.read("ml/output/failure"), "the weights do not fit"));
  }

  void servesTheModel() {
    SageMaker bench;
    bench.setVariable("SAGEMAKER_BIND_TO_PORT", "9001");
    bench.setVariable("LOCKSTEP_SERVE_OPTIONS", "--max-batch 4 --workers 2");
    const auto ended = bench.run(tests::sourceFile("packaging/sagemaker/serve"), {});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(
        bench.arguments() ==
        std::vector<std::string>({"serve", bench.path("ml/model"), "--bind", "0.0.0.0", "--port",
                                  "9001", "--no-token", "--max-batch", "4", "--workers", "2"}));
  }
};

LOCKSTEP_TEST(TstSagemakerModel)
#include "tst_sagemaker_model.moc"
