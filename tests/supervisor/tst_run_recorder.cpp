#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <map>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/supervisor/move_into_place.h"
#include "engine/supervisor/run_recorder.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

void writeCheckpoint(const fs::path& folder, const std::string& content) {
  fs::create_directories(folder);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"})
    std::ofstream(folder / name) << content;
}

/// Every file below the folder with its content.
std::map<std::string, std::string> filesIn(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).string()] = base::readFile(entry.path());
  }
  return files;
}

}  // namespace

class TstRunRecorder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void newCheckpointReplacesTheOldOne() {
    const QTemporaryDir folder;
    const fs::path place = fs::path(folder.path().toStdString()) / "step-00000004";
    const fs::path partial = fs::path(folder.path().toStdString()) / ".step-00000004.partial";
    writeCheckpoint(place, "old");
    std::ofstream(place / "more") << "of the old one";
    writeCheckpoint(partial, "new");
    supervisor::moveIntoPlace(partial, place);
    const std::map<std::string, std::string> expected{
        {"step-00000004/model.safetensors", "new"},
        {"step-00000004/optimizer.safetensors", "new"},
        {"step-00000004/state.json", "new"}};
    QCOMPARE(filesIn(folder.path().toStdString()), expected);
  }

  void oldCheckpointStaysUntilTheNewOneExists() {
    const QTemporaryDir folder;
    const fs::path place = fs::path(folder.path().toStdString()) / "step-00000004";
    writeCheckpoint(place, "old");
    const auto before = filesIn(folder.path().toStdString());
    QVERIFY_THROWS_EXCEPTION(Error,
                             supervisor::moveIntoPlace(place.parent_path() / ".gone", place));
    QCOMPARE(filesIn(folder.path().toStdString()), before);
  }

  void writeFailuresAreEvents() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    fs::create_directories(layout.runJson() / "in the way");
    std::vector<protocol::Alert> alerts;
    supervisor::RunRecorder recorder(
        layout, {}, {}, std::nullopt,
        {.alert = [&](const protocol::Alert& alert) { alerts.push_back(alert); }});
    recorder.setState(protocol::RunState::Running);
    recorder.setState(protocol::RunState::Paused);
    QCOMPARE(alerts.size(), std::size_t{1});  // once until it is taken
    QCOMPARE(alerts[0].kind.text(), std::string("write_failed"));
    QVERIFY(alerts[0].text.find("run.json") != std::string::npos);
    std::size_t alertRecords = 0;
    for (const auto& record : events::Reader(recorder.eventLog().path()).readAvailable())
      alertRecords += record.json.starts_with(R"({"type":"alert")") ? 1 : 0;
    QCOMPARE(alertRecords, std::size_t{1});
  }

  void noAlertNamesAPrunedCheckpoint() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    std::vector<protocol::Alert> alerts;
    config::CheckpointConfig checkpoints;
    checkpoints.keep = 1;
    supervisor::RunRecorder recorder(
        layout, {}, checkpoints, std::nullopt,
        {.alert = [&](const protocol::Alert& alert) { alerts.push_back(alert); }});
    for (const std::int64_t step : {10, 20, 30}) {
      const float risen = 0.01F * static_cast<float>(step);
      recorder.recordScalars({0, step, 1, {{"train/loss_total", 1 - risen}}});
      recorder.recordScalars({0, step, 1, {{"eval/loss_total", 1 + risen}}});
      writeCheckpoint(layout.partialCheckpoint(step), "whole");
      QVERIFY(recorder.commitCheckpoint(
          {step, layout.partialCheckpoint(step).string(), false, false, "", ""}));
    }
    QCOMPARE(alerts.size(), std::size_t{1});
    QVERIFY2(alerts[0].text.ends_with("since step 10, its lowest, while training loss fell 22 %. "
                                      "The checkpoint nearest to that step is step-00000020."),
             alerts[0].text.c_str());
  }

  void theNextCheckpointReplacesThatOfAnInterruption_data() {
    using Steps = std::vector<std::int64_t>;
    QTest::addColumn<int>("resumedFrom");
    QTest::addColumn<bool>("isBest");
    QTest::addColumn<Steps>("kept");
    QTest::newRow("stopped between two that were due") << 15 << false << Steps{10, 20};
    QTest::newRow("the best of all stays") << 15 << true << Steps{10, 15, 20};
    QTest::newRow("stopped when one was due") << 10 << false << Steps{10, 20};
  }
  void theNextCheckpointReplacesThatOfAnInterruption() {
    QFETCH(int, resumedFrom);
    QFETCH(bool, isBest);
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    run_folder::ResumePoint resume{.step = resumedFrom, .best = {}, .damaged = {}};
    if (isBest) resume.best = run_folder::Best{"segm/AP", 0.5, resumedFrom};
    for (const std::int64_t step : {10, resumedFrom})
      writeCheckpoint(layout.checkpoint(step), "whole");
    config::CheckpointConfig checkpoints{.every = {10}, .keep = 3};
    supervisor::RunRecorder recorder(layout, {}, checkpoints, resume, {});
    writeCheckpoint(layout.partialCheckpoint(20), "whole");
    QVERIFY(recorder.commitCheckpoint(
        {20, layout.partialCheckpoint(20).string(), false, false, "", ""}));
    QTEST(run_folder::checkpointSteps(layout), "kept");
  }

  /// Once its checkpoint is there, if one is kept.
  void bestsAreTold_data() {
    QTest::addColumn<bool>("keepsBest");
    QTest::newRow("kept") << true;
    QTest::newRow("not kept") << false;
  }
  void bestsAreTold() {
    QFETCH(bool, keepsBest);
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    config::CheckpointConfig checkpoints;
    checkpoints.keepBest = keepsBest;
    std::vector<std::pair<run_folder::Best, fs::path>> told;
    supervisor::RunRecorder recorder(
        layout, {}, checkpoints, std::nullopt,
        {.best = [&](const auto& best, const fs::path& kept) { told.emplace_back(best, kept); }});
    base::writeFileAtomically(layout.partialEvaluation(2), "{}");
    recorder.commit(
        protocol::EvaluationReady{2, layout.partialEvaluation(2).string(), "segm/AP", 0.5});
    QCOMPARE(told.size(), std::size_t{keepsBest ? 0u : 1u});
    writeCheckpoint(layout.partialCheckpoint(2), "whole");
    QVERIFY(
        recorder.commitCheckpoint({2, layout.partialCheckpoint(2).string(), true, false, "", ""}));
    QCOMPARE(told.size(), std::size_t{1});
    QVERIFY(told[0].first == (run_folder::Best{"segm/AP", 0.5, 2}));
    QCOMPARE(told[0].second, keepsBest ? layout.checkpoint(2) : fs::path());
  }

  void aCheckpointThatAPersonAskedForStays() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    for (const std::int64_t step : {10, 15}) writeCheckpoint(layout.checkpoint(step), "whole");
    supervisor::RunRecorder recorder(
        layout, {}, {.every = {10}, .keep = 3},
        run_folder::ResumePoint{.step = 15, .best = {}, .damaged = {}, .isAsked = true}, {});
    writeCheckpoint(layout.partialCheckpoint(20), "whole");
    QVERIFY(recorder.commitCheckpoint(
        {20, layout.partialCheckpoint(20).string(), false, false, "", ""}));
    QCOMPARE(run_folder::checkpointSteps(layout), (std::vector<std::int64_t>{10, 15, 20}));
  }

  /// A best without its evaluation would have nothing to show for it.
  void onlyASavedEvaluationMakesABest() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    supervisor::RunRecorder recorder(layout, {}, {}, std::nullopt, {});
    recorder.commit(
        protocol::EvaluationReady{2, layout.partialEvaluation(2).string(), "segm/AP", 0.5});
    writeCheckpoint(layout.partialCheckpoint(2), "2");
    QVERIFY(
        recorder.commitCheckpoint({2, layout.partialCheckpoint(2).string(), true, false, "", ""}));
    QVERIFY(!recorder.info().best);
    std::ofstream(layout.partialEvaluation(3)) << "{}";
    recorder.commit(
        protocol::EvaluationReady{3, layout.partialEvaluation(3).string(), "segm/AP", 0.25});
    writeCheckpoint(layout.partialCheckpoint(3), "3");
    QVERIFY(
        recorder.commitCheckpoint({3, layout.partialCheckpoint(3).string(), true, false, "", ""}));
    QCOMPARE(recorder.info().best->step, std::int64_t{3});
    std::vector<std::int64_t> told;
    for (const auto& record : events::Reader(recorder.eventLog().path()).readAvailable()) {
      if (record.json.find("\"best\":true") != std::string::npos) told.push_back(record.step);
    }
    QCOMPARE(told, std::vector<std::int64_t>{3});
  }
};

LOCKSTEP_TEST(TstRunRecorder)
#include "tst_run_recorder.moc"
