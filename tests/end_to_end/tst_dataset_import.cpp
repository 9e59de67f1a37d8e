#include <QFile>
#include <QTest>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

/// `dataset export` and `dataset import` with their workers, up to a training.
class TstDatasetImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyShapes();
  }

  void anImportedDatasetTrains() {
    const ProcessResult exported = engine("dataset export shapes --to labelme --out labelme");
    QVERIFY2(exported.status == 0, exported.err.constData());
    QVERIFY2(exported.out.startsWith("exported:   "), exported.out.constData());
    const ProcessResult imported = engine("dataset import labelme --out in");
    QVERIFY2(imported.status == 0, imported.err.constData());
    QVERIFY2(imported.out.startsWith("format:     labelme\n") &&
                 imported.out.endsWith(
                     "next:       lockstep-engine config check in/experiment.yaml --data\n"),
             imported.out.constData());
    QVERIFY(!QFile::exists(place_->path(QStringLiteral("in/faults.txt"))));
    const ProcessResult checked = engine("config check in/experiment.yaml --data");
    QVERIFY2(checked.status == 0, checked.err.constData());
    const ProcessResult trained = engine(
        "train in/experiment.yaml --output run --set solver.max_steps=1 --set "
        "augment.min_size=[64]");
    QVERIFY2(trained.status == 0, trained.err.constData());
  }

  void faultsAreWarningsAndTheRestIsImported() {
    place_->write(QStringLiteral("labelme/train/broken.json"), "{");
    const ProcessResult imported = engine("dataset import labelme --out faulty");
    QCOMPARE(imported.status, 0);
    QVERIFY2(imported.err.contains("warning: train/broken.json:1:2: invalid JSON at byte 2: ") &&
                 imported.err.contains("warning: 1 error; all are in "),
             imported.err.constData());
    QVERIFY(QFile::exists(place_->path(QStringLiteral("faulty/faults.txt"))));
  }

  void whatCannotBeImportedLeavesNothing() {
    place_->write(QStringLiteral("notes/a.csv"), "1,2\n");
    QCOMPARE(engine("dataset import notes --out none").status, 2);
    place_->write(QStringLiteral("empty/a.json"), "{\"shapes\": [], \"imagePath\": \"a.png\"}");
    QCOMPARE(engine("dataset import empty --out none").status, 1);
    QVERIFY(!QFile::exists(place_->path(QStringLiteral("none"))));
  }

 private:
  ProcessResult engine(const char* line) const { return place_->engine(words(line)); }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstDatasetImport)
#include "tst_dataset_import.moc"
