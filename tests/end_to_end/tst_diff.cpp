#include <QFile>
#include <QTest>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

/// `lockstep-engine diff` of real runs.
class TstDiff : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun(QStringLiteral("whole"));
    train("train experiment.yaml --output parts --set solver.max_steps=4");
    train("train parts --resume --set solver.max_steps=6");
  }

  void aResumedRunHasTheSameBits() {
    const ProcessResult found = engine("diff whole parts");
    QVERIFY2(found.status == 0, found.out.constData());
    QVERIFY2(found.out.contains("\nscalars:") &&
                 found.out.contains("values of 6 steps, the same\n") &&
                 found.out.contains("weights:       3 common checkpoints, the same\n") &&
                 found.out.endsWith("\nthe same bits\n"),
             found.out.constData());
  }

  void anotherSeedPartsAtItsFirstStep() {
    train("train experiment.yaml --output seed --set runtime.seed=9");
    const ProcessResult found = engine("diff whole seed");
    QCOMPARE(found.status, 1);
    for (const char* part :
         {"configuration: runtime.seed: 1 -> 9\n",
          "data:          fingerprints of the annotations, "
          "the same\n",
          "scalars:       first part at step 1: ", "evaluations:   first part at step 2: /losses/",
          "weights:       first part at step 2 of 3 common checkpoints: model.safetensors: ",
          "\ndifferent\n"})
      QVERIFY2(found.out.contains(part), QByteArray(found.out + part).constData());
  }

  void twoRanksDifferByTheirNumber() {
    train("train experiment.yaml --output two --workers 2 --set solver.batch_size=2");
    const ProcessResult found = engine("diff whole two");
    QCOMPARE(found.status, 1);
    QVERIFY2(found.out.startsWith(
                 "configuration: ranks: 1 -> 2, solver.batch_size: 1 -> 2, runtime.workers: "),
             found.out.constData());
  }

  void aChangedFileIsNamed() {
    place_->copyMadeRun(QStringLiteral("changed"));
    QByteArray text = place_->read(QStringLiteral("changed/predictions/step-00000004.json"));
    place_->write(QStringLiteral("changed/predictions/step-00000004.json"),
                  text.replace("\"score_threshold\"", "\"threshold\""));
    const ProcessResult found = engine("diff whole changed");
    QCOMPARE(found.status, 1);
    QVERIFY2(found.out.contains("predictions:   first part at step 4: /") &&
                 found.out.contains("weights:       3 common checkpoints, the same\n"),
             found.out.constData());
  }

  void whatIsNoRunIsRefused() {
    for (const char* line :
         {"diff whole nowhere", "diff shapes whole", "diff whole experiment.yaml"}) {
      const ProcessResult found = engine(line);
      QCOMPARE(found.status, 2);
      QCOMPARE(found.err.count('\n'), 1);
    }
  }

  void anEvaluationIsReportedInOneStep() {
    const ProcessResult found = engine(
        "evaluate whole --report report.html --figures pq,counts --score-threshold 0.05 --out "
        "e.json");
    QVERIFY2(found.status == 0, found.err.constData());
    QVERIFY2(found.out.contains("\nAR100 ") && found.out.contains("\npanoptic quality"),
             found.out.constData());
    const QByteArray evaluation = place_->read(QStringLiteral("e.json"));
    QVERIFY2(evaluation.contains("\"losses\"") && evaluation.contains("\"pq\"") &&
                 evaluation.contains("\"counts\""),
             evaluation.constData());
    const QByteArray report = place_->read(QStringLiteral("report.html"));
    QVERIFY(report.startsWith("<!DOCTYPE html>") && report.contains("panoptic quality"));
    QVERIFY2(report.contains("2 images"), "those that were evaluated");
  }

 private:
  ProcessResult engine(const char* line) const { return place_->engine(words(line)); }
  void train(const char* line) const {
    const ProcessResult done = engine(line);
    QVERIFY2(done.status == 0, done.err.constData());
  }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstDiff)
#include "tst_diff.moc"
