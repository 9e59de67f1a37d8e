#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/opening.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::Opening;
using app::openingOf;
using app::Page;

class TstOpening : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;

  QString experiment(const char* name) const {
    QFile file(folder_->filePath(QString::fromLatin1(name)));
    return file.open(QIODevice::WriteOnly) ? file.fileName() : QString();
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void withoutArgumentsTheDefaultFolderOfRunsIsOpened() {
    const Opening opening = openingOf({}, {});
    QVERIFY(opening.isPlainStart && opening.runs.isEmpty() && opening.experiments.isEmpty());
    QVERIFY(QDir::isAbsolutePath(opening.runsFolders.value(0)));
    QVERIFY(opening.page == Page::Monitor);
    QVERIFY(!openingOf({}, Page::Predictions).isPlainStart);
  }

  void aFolderThatIsNoRunIsAFolderOfRuns() {
    QCOMPARE(openingOf({folder_->path()}, {}).runsFolders, QStringList{folder_->path()});
  }

  void severalExperimentsAreOpenedAndTheLastIsShown() {
    const QString a = experiment("a.yaml"), b = experiment("b.yaml");
    const Opening opening = openingOf({a, b}, {});
    QCOMPARE(opening.experiments, (QStringList{a, b}));
    QVERIFY(opening.page == Page::Configure);
  }

  void runsAreShownAndConfigureEditsACopyOfTheFirst() {
    tests::MadeRun plan;
    plan.name = "one";
    const QString one = tests::makeRun(folder_->path(), plan);
    plan.name = "two";
    const QString two = tests::makeRun(folder_->path(), plan);
    const Opening opening = openingOf({one, two, experiment("a.yaml")}, {});
    QCOMPARE(opening.runs, (QStringList{one, two}));
    QVERIFY(opening.page == Page::Monitor && opening.copiedRun.isEmpty());
    QCOMPARE(openingOf({one, two}, Page::Configure).copiedRun, one);
  }
};

LOCKSTEP_TEST(TstOpening)
#include "tst_opening.moc"
