#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "engine/base/clock.h"
#include "engine/events/writer.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/run_folder/training_state.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::writeText;

namespace {

/// A complete checkpoint of step 6 in a folder.
fs::path writeComplete(const fs::path& folder) {
  const fs::path checkpoint = folder / stepName(6);
  for (const char* name : kCheckpointFiles) writeText(checkpoint / name, name);
  TrainingState state;
  state.step = 6;
  writeTrainingState(checkpoint, state);
  return checkpoint;
}

}  // namespace

class TstRescuedCheckpoint : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;

  fs::path path(const std::string& name) const {
    return folder_->filePath(QString::fromStdString(name)).toStdString();
  }
  Layout run() const { return Layout(path("run")); }
  void writeInfo(double created, const std::string& checkpoint = "") const {
    RunInfo info;
    info.created = created;
    if (!checkpoint.empty()) info.error.emplace().checkpoint = checkpoint;
    writeRunInfo(run(), info);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    fs::create_directory(path("tmp"));
    qputenv("TMPDIR", path("tmp").c_str());
    createRunFolderAt(path("run"));
  }
  void cleanup() { qunsetenv("TMPDIR"); }

  void theRunsOwnCheckpointIsRestored() {
    const fs::path place = writeComplete(ensureRescueFolder(path("run")));
    writeInfo(base::wallTimeSeconds() - 10);
    const auto found = findRescuedCheckpoint(run());
    QVERIFY(found && found->step == 6 && found->folder == place);
    restoreRescuedCheckpoint(run(), *found);
    QCOMPARE(checkpointSteps(run()), std::vector<std::int64_t>{6});
    QVERIFY(!fs::exists(place.parent_path()));
  }

  void checkpointsOfAnEarlierRunAtThisPathAreIgnored() {
    writeComplete(ensureRescueFolder(path("run")));
    writeInfo(base::wallTimeSeconds() + 10);
    QVERIFY(!findRescuedCheckpoint(run()));
  }

  void aFolderWithoutARunHasNoRescuedCheckpoint() {
    writeComplete(ensureRescueFolder(path("run")));
    QVERIFY(!findRescuedCheckpoint(run()));
    writeText(run().runJson(), "{broken");
    QVERIFY(!findRescuedCheckpoint(run()));
  }

  void theEventLogReplacesACorruptRunJson() {
    const fs::path place = writeComplete(ensureRescueFolder(path("run")));
    events::Writer writer = events::Writer::open(run().folder());
    writeText(run().runJson(), "{broken");
    const auto found = findRescuedCheckpoint(run());
    QVERIFY(found && found->folder == place);
  }

  void onlyRescueFoldersAreCleared_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<bool>("isCleared");
    const QString ofUser = QStringLiteral("other/lockstep-%1/").arg(::geteuid());
    QTest::newRow("another TMPDIR") << ofUser + QStringLiteral("ID") << true;
    QTest::newRow("another run's") << ofUser + QStringLiteral("0123456789abcdef") << false;
    QTest::newRow("another user's") << QStringLiteral("other/lockstep-x/ID") << false;
    QTest::newRow("somebody's archive") << QStringLiteral("archive") << false;
  }
  void onlyRescueFoldersAreCleared() {
    QFETCH(QString, place);
    QFETCH(bool, isCleared);
    place.replace(QStringLiteral("ID"), QString::fromStdString(idOf(path("run").string())));
    const fs::path checkpoint = writeComplete(path(place.toStdString()));
    writeInfo(base::wallTimeSeconds() - 10, checkpoint.string());
    const auto found = findRescuedCheckpoint(run());
    QVERIFY(found && found->folder == checkpoint);
    restoreRescuedCheckpoint(run(), *found);
    QCOMPARE(checkpointSteps(run()), std::vector<std::int64_t>{6});
    QCOMPARE(fs::exists(checkpoint), !isCleared);
    QVERIFY(isCleared || !checkpointError(checkpoint));
  }
};

LOCKSTEP_TEST(TstRescuedCheckpoint)
#include "tst_rescued_checkpoint.moc"
