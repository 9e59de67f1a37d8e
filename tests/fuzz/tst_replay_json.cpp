#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/replay_file.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::Choices;

class TstReplayJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damagedFilesAreReadOrAreErrors() {
    QTemporaryDir folder;
    const fs::path file = folder.filePath(QStringLiteral("replay.json")).toStdString();
    writeReplayFile(file, {.step = 7,
                           .message = "step 7: loss_mask=NaN on images 3, 5",
                           .imageIds = {3, 5},
                           .figures = {{"loss_mask", 0.5f}, {"grad_norm", 2.5f}},
                           .firstNotFinite = "backbone.body.layer1.0",
                           .configYaml = "name: a\n"});
    const std::string whole = base::readFile(file);
    const std::string failures =
        tests::failuresOf({"replay.json",
                           file,
                           {},
                           [&](Choices& choices) { return tests::damagedJson(whole, choices); },
                           [&] { readReplayFile(file); }},
                          tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }
};

LOCKSTEP_TEST(TstReplayJson)
#include "tst_replay_json.moc"
