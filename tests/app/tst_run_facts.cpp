#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "app/runs/list/run_facts.h"
#include "engine/base/atomic_file.h"
#include "engine/base/counter_hash.h"
#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "tests/app/made_run.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::Facts;
using app::RunFacts;
using tests::made;
namespace fs = std::filesystem;

class TstRunFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void configurationAndLastValuesAreRead() {
    const QTemporaryDir parent;
    const tests::MadeRun plan = made("run", 1000);
    const QString folder = tests::makeRun(parent.path(), plan);
    RunFacts facts;
    QVERIFY(facts.find(folder) == nullptr);
    readAll(facts, {folder});
    const Facts* read = facts.find(folder);
    QVERIFY(read != nullptr && read->fault.isEmpty());
    QVERIFY(read->config(QStringLiteral("solver.max_steps")) != nullptr);
    QVERIFY(read->config(QStringLiteral("solver")) == nullptr);
    QCOMPARE(read->metric(QStringLiteral("train/loss_total")),
             std::optional<double>(tests::madeLoss(plan, plan.steps)));
    QVERIFY(read->metric(QStringLiteral("segm/AP")).has_value());
    QCOMPARE(read->metric(QStringLiteral("segm/AP")), read->metric(QStringLiteral("eval/segm/AP")));
    QVERIFY(!read->metric(QStringLiteral("nothing")));
    const QStringList keys = facts.keys();
    for (const char* key : {"solver.max_steps", "eval/segm/AP", "segm/AP", "train/loss_total"})
      QVERIFY2(keys.contains(QLatin1StringView(key)), key);
  }

  void runsOfOtherProgramsHaveFacts() {
    const QTemporaryDir parent;
    const QString folder = parent.filePath(QStringLiteral("d2"));
    const fs::path path = folder.toStdString();
    fs::create_directories(path);
    base::writeFileAtomically(path / "metrics.json",
                              "{\"iteration\": 1, \"total_loss\": 3}\n"
                              "{\"iteration\": 2, \"total_loss\": 2, \"segm/AP\": 50}\n");
    base::writeFileAtomically(path / "config.yaml", "SOLVER: {BASE_LR: 0.02, STEPS: [1, 2]}\n");
    RunFacts facts;
    readAll(facts, {folder});
    const Facts* read = facts.find(folder);
    QVERIFY(read != nullptr && read->config(QStringLiteral("SOLVER.BASE_LR")) != nullptr);
    QCOMPARE(*read->config(QStringLiteral("SOLVER.BASE_LR")), QStringLiteral("0.02"));
    QCOMPARE(read->metric(QStringLiteral("train/loss_total")), std::optional(2.0));
    QCOMPARE(read->metric(QStringLiteral("segm/AP")), std::optional(0.5));
  }

  void onlyWhatHasChangedIsReadAgain() {
    const QTemporaryDir parent;
    const QString a = tests::makeRun(parent.path(), made("a", 1000));
    const QString b = tests::makeRun(parent.path(), made("b", 1000));
    RunFacts facts;
    readAll(facts, {a, b});
    QSignalSpy changed(&facts, &RunFacts::changed);
    readAll(facts, {a, b});
    QCOMPARE(changed.count(), 0);
    append(b, events::encodeRecord(tests::scalarRecord(41, {{"train/loss_total", 7.F}})));
    readAll(facts, {a, b});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toStringList(), QStringList{b});
    QCOMPARE(facts.find(b)->metric(QStringLiteral("train/loss_total")), std::optional(7.0));
    QVERIFY(facts.find(b)->config(QStringLiteral("solver.max_steps")) != nullptr);
  }

  /// More than a first reading has of the end.
  void aLastEvaluationFarBackIsFound() {
    const QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    std::string bytes;
    for (int step = 41; bytes.size() < (1 << 20); ++step)
      bytes += events::encodeRecord(
          tests::scalarRecord(step, {{"train/loss_total", 1.F}, {"grad_norm/a.weight", 1.F}}));
    append(folder, bytes);
    RunFacts facts;
    readAll(facts, {folder});
    QCOMPARE(facts.find(folder)->metric(QStringLiteral("train/loss_total")), std::optional(1.0));
    QVERIFY(facts.find(folder)->metric(QStringLiteral("loss_total")).has_value());
    QVERIFY(!facts.find(folder)->metric(QStringLiteral("grad_norm/a.weight")));
  }

  void whatCannotBeReadIsSaid() {
    const QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    base::writeFileAtomically(folder.toStdString() + "/config.yaml", "solver: [\n");
    const QString gone = parent.filePath(QStringLiteral("gone"));
    RunFacts facts;
    readAll(facts, {folder, gone});
    QVERIFY2(facts.find(folder)->fault.contains(QStringLiteral("config.yaml:")),
             qPrintable(facts.find(folder)->fault));
    QVERIFY(facts.find(folder)->metric(QStringLiteral("segm/AP")).has_value());
    QCOMPARE(facts.find(gone)->fault, gone + QStringLiteral(": is not a run"));
    base::writeFileAtomically(folder.toStdString() + "/config.yaml", "solver: {base_lr: 3}\n");
    readAll(facts, {folder});
    QVERIFY(facts.find(folder)->fault.isEmpty());
  }

  void manyRunsComeInBatches() {
    const QTemporaryDir parent;
    QStringList folders;
    for (int i = 0; i < 150; ++i) {
      folders.append(parent.filePath(QStringLiteral("run-%1").arg(i)));
      QVERIFY(QDir().mkpath(folders.last()));
      const run_folder::Layout layout(folders.last().toStdString());
      run_folder::writeRunInfo(layout, {});
      base::writeFileAtomically(layout.config(), "seed: " + std::to_string(i % 2) + "\nname: a\n");
    }
    RunFacts facts;
    QSignalSpy changed(&facts, &RunFacts::changed), finished(&facts, &RunFacts::finished);
    facts.want(folders);
    facts.want(folders);
    QVERIFY(facts.isReading());
    QVERIFY(finished.wait());
    QVERIFY(!facts.isReading());
    QVERIFY2(changed.count() > 1 && changed.count() < 10, "few signals, each for many");
    QStringList all;
    for (const auto& signal : changed) all += signal[0].toStringList();
    QVERIFY(all == folders);
    QCOMPARE(facts.find(folders[0])->configKeys.get(), facts.find(folders[149])->configKeys.get());
    QCOMPARE(facts.differingKeys(folders), QStringList{QStringLiteral("seed")});
    QVERIFY(facts.differingKeys({folders[0], folders[2]}).isEmpty());
  }

  void aForgottenRunIsNotKept() {
    const QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    RunFacts facts;
    QSignalSpy finished(&facts, &RunFacts::finished);
    facts.want({folder});
    facts.forget({folder});
    QVERIFY(finished.wait());
    QVERIFY(facts.find(folder) == nullptr);
    readAll(facts, {folder});
    QVERIFY(facts.find(folder) != nullptr);
    facts.forget({folder});
    QVERIFY(facts.find(folder) == nullptr);
  }

  /// Of random configurations, some with the same keys.
  void differingKeysAreThoseOfAPlainComparison() {
    std::uint64_t drawn = 0;
    const auto draw = [&](std::uint64_t below) { return base::counterHash({3, ++drawn}) % below; };
    for (int round = 0; round < 200; ++round) {
      std::vector<Facts> runs(1 + draw(4));
      std::map<QString, std::set<QString>> values;
      std::map<QStringList, std::shared_ptr<const QStringList>> keyLists;
      for (Facts& run : runs) {
        QStringList keys;
        for (const char key : {'a', 'b', 'c'}) {
          if (draw(4) == 0) continue;
          keys.append(QString(QLatin1Char(key)));
          run.configValues.append(QString::number(draw(2)));
          values[keys.last()].insert(run.configValues.last());
        }
        auto& shared = keyLists[keys];
        if (!shared) shared = std::make_shared<const QStringList>(keys);
        run.configKeys = shared;
      }
      QStringList expected;
      for (const auto& [key, held] : values)
        if (held.size() > 1) expected.append(key);
      std::vector<const Facts*> all;
      for (const Facts& run : runs) all.push_back(&run);
      QCOMPARE(app::differingKeys(all), expected);
    }
  }

 private:
  static void readAll(RunFacts& facts, const QStringList& folders) {
    QSignalSpy finished(&facts, &RunFacts::finished);
    facts.want(folders);
    QVERIFY(finished.wait());
  }
  static void append(const QString& run, const std::string& bytes) {
    std::ofstream(events::findEventFile(run.toStdString()), std::ios::app | std::ios::binary)
        << bytes;
  }
};

LOCKSTEP_TEST(TstRunFacts)
#include "tst_run_facts.moc"
