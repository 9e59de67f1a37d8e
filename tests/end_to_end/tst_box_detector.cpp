#include <QFile>
#include <QImage>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

/// A detector of boxes on annotations without masks, with every augmentation: previewed, trained,
/// evaluated, and used.
class TstBoxDetector : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyShapes();
    for (const char* part : {"train", "val"}) {
      const QString file =
          QStringLiteral("shapes/annotations/instances_%1.json").arg(QLatin1String(part));
      json annotations = read(file);
      for (json& annotation : annotations["annotations"]) annotation.erase("segmentation");
      place_->write(file, annotations.dump().c_str());
    }
    place_->write(QStringLiteral("boxes.yaml"),
                  "base: shapes/experiment.yaml\n"
                  "model: {masks: false}\n"
                  "dataset: {cache: ram}\n"
                  "augment: {min_size: [64], max_size: 128, scale_jitter: [0.5, 2], crop: 0.5, "
                  "quarter_turns: 0.75, blur: 1, noise: 0.05}\n"
                  "solver: {max_steps: 2, warmup_steps: 1}\n"
                  "runtime: {cpu_threads: 1}\n");
  }

  void itsBatchesCanBeSeen() {
    const ProcessResult drawn = engine("dataset preview boxes.yaml --out sheets --batches 3");
    QVERIFY2(drawn.status == 0, drawn.err.constData());
    for (const char* name : {"step-00000001.png", "step-00000002.png", "step-00000003.png"}) {
      const QImage sheet(place_->path(QStringLiteral("sheets/%1").arg(QLatin1String(name))));
      QVERIFY2(sheet.width() > 100 && sheet.height() > 60, name);
    }
    QCOMPARE(engine("dataset preview boxes.yaml --out sheets").status, 2);
    QCOMPARE(
        engine("dataset preview boxes.yaml --out none --set dataset.train.annotations=x").status,
        2);
    QVERIFY(!QFile::exists(place_->path(QStringLiteral("none"))));
  }

  void itTrains() {
    const ProcessResult trained = engine("train boxes.yaml --output run");
    QVERIFY2(trained.status == 0, trained.err.constData());
    const json evaluation = read(QStringLiteral("run/evaluations/step-00000002.json"));
    QVERIFY(evaluation["segm"].is_null() && evaluation["bbox"].is_object());
    QCOMPARE(evaluation["losses"]["loss_mask"].get<double>(), 0.0);
    QVERIFY(evaluation["losses"]["loss_box_reg"].get<double>() > 0);
    QVERIFY(place_->read(QStringLiteral("run/config.yaml")).contains("best_metric: bbox/AP"));
    const ProcessResult metrics = engine("metrics run");
    QVERIFY(!metrics.out.contains("segm/") && metrics.out.contains("eval/bbox/AP,") &&
            metrics.out.contains("eval/bbox/AP/class/"));
  }

  void itIsEvaluatedAndUsed() {
    const ProcessResult evaluated = engine("evaluate run --out again.json --report report.html");
    QVERIFY2(evaluated.status == 0, evaluated.err.constData());
    json again = read(QStringLiteral("again.json"));
    const json evaluation = read(QStringLiteral("run/evaluations/step-00000002.json"));
    QVERIFY(again["losses"] == evaluation["losses"] && again["bbox"] == evaluation["bbox"] &&
            again["segm"].is_null());
    QVERIFY(QFile::exists(place_->path(QStringLiteral("report.html"))));
    const ProcessResult refused = engine("evaluate run --figures pq,counts,aji");
    QVERIFY2(refused.status == 2 && refused.err.contains("--figures pq,aji: needs masks"),
             refused.err.constData());
    const ProcessResult counted = engine("evaluate run --figures counts");
    QVERIFY2(counted.status == 0 && counted.out.contains("objects per image"),
             counted.err.constData());
    const ProcessResult predicted =
        engine("predict run --split val --score 0 --out found.json --overlays pictures");
    QVERIFY2(predicted.status == 0, predicted.err.constData());
    const json found = read(QStringLiteral("found.json"));
    QVERIFY(!found.empty());
    for (const json& detection : found)
      QVERIFY(detection.contains("bbox") && !detection.contains("segmentation"));
  }

 private:
  ProcessResult engine(const char* line) { return place_->engine(words(line)); }

  json read(const QString& name) const { return json::parse(place_->read(name).toStdString()); }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstBoxDetector)
#include "tst_box_detector.moc"
