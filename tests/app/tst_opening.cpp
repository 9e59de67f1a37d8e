#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/opening.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::Opening;
using app::Page;

namespace {

/// Of disks that answer.
Opening opened(const QStringList& paths, std::optional<Page> page) {
  std::vector<app::GivenPath> given;
  for (const QString& path : paths) given.push_back({path, app::kindOf(path)});
  return app::openingOf(given, page);
}

}  // namespace

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
    const Opening opening = opened({}, {});
    QVERIFY(opening.isPlainStart && opening.runs.isEmpty() && opening.experiments.isEmpty());
    QVERIFY(QDir::isAbsolutePath(opening.runsFolders.value(0)));
    QVERIFY(opening.page == Page::Monitor);
    QVERIFY(!opened({}, Page::Predictions).isPlainStart);
  }

  void aFolderThatIsNoRunIsAFolderOfRuns() {
    QCOMPARE(opened({folder_->path()}, {}).runsFolders, QStringList{folder_->path()});
  }

  void severalExperimentsAreOpenedAndTheLastIsShown() {
    const QString a = experiment("a.yaml"), b = experiment("b.yaml");
    const Opening opening = opened({a, b}, {});
    QCOMPARE(opening.experiments, (QStringList{a, b}));
    QVERIFY(opening.page == Page::Configure);
  }

  void runsAreShownAndConfigureEditsACopyOfTheFirst() {
    tests::MadeRun plan;
    plan.name = "one";
    const QString one = tests::makeRun(folder_->path(), plan);
    plan.name = "two";
    const QString two = tests::makeRun(folder_->path(), plan);
    const Opening opening = opened({one, two, experiment("a.yaml")}, {});
    QCOMPARE(opening.runs, (QStringList{one, two}));
    QVERIFY(opening.page == Page::Monitor && opening.copiedRun.isEmpty());
    QCOMPARE(opened({one, two}, Page::Configure).copiedRun, one);
  }

  void aPathThatHasNotAnsweredIsWaitedFor() {
    const QString experiment = this->experiment("a.yaml");
    const Opening opening =
        app::openingOf({{QStringLiteral("/dead"), {}}, {experiment, app::kindOf(experiment)}}, {});
    QCOMPARE(opening.waiting, QStringList{QStringLiteral("/dead")});
    QCOMPARE(opening.experiments, QStringList{experiment});
    QVERIFY(!opening.hasRunsFolder && !opening.isPlainStart);
    QCOMPARE(opening.runsFolders.size(), 1);  // the usual one
  }
};

LOCKSTEP_TEST(TstOpening)
#include "tst_opening.moc"
