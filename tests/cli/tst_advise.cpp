#include <QTest>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/events/writer.h"
#include "engine/protocol/event.h"
#include "tests/events/record_samples.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// A run whose mask head's gradients are three times its box head's, with the experiment as its
/// first event.
void writeRun(const fs::path& folder) {
  fs::create_directories(folder);
  events::Writer writer = events::Writer::open(folder);
  const protocol::Config config{.experiment =
                                    "solver: {base_lr: 0.02, warmup_steps: 5, max_steps: 100}\n"};
  writer.append(tests::eventRecord(0, protocol::encodeEvent(config)));
  for (std::int64_t step = 1; step <= 100; ++step)
    writer.append(tests::scalarRecord(step, {{"train/loss_total", 1.0f / static_cast<float>(step)},
                                             {"grad_norm/part/box_head", 2},
                                             {"grad_norm/part/mask_head", 6}}));
}

/// As detectron2 writes it: its own tags, every 20th iteration. The loss rises.
void writeDetectron2Log(const fs::path& folder) {
  fs::create_directories(folder);
  events::Writer writer = events::Writer::open(folder);
  for (std::int64_t step = 19; step < 1000; step += 20)
    writer.append(
        tests::scalarRecord(step, {{"total_loss", step < 200 ? 2.0f : 40.0f}, {"lr", 0.1f}}));
}

fs::path eventFileIn(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (contains(entry.path().filename().string(), "tfevents")) return entry.path();
  return {};
}

}  // namespace

class TstAdvise : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunsProblemIsNamedWithItsRemedy() {
    EngineBench bench;
    writeRun(bench.folder() / "run");
    const auto result = bench.run({"advise", "run"});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.out.starts_with("step 60: warning: gradient_imbalance: The mask head's "
                                    "gradients are 3 times the box head's"),
             result.out.c_str());
    QVERIFY2(contains(result.out, "set model.box_head.regression_weights to [20, 20, 10, 10]"),
             result.out.c_str());
    QVERIFY2(contains(result.out, " Remedy: model.box_head.regression_weights=[20, 20, 10, 10]\n"),
             result.out.c_str());
    QCOMPARE(bench.run({"advise", eventFileIn(bench.folder() / "run").string()}).out, result.out);
  }

  void overfittingHasItsRemedyInTheText() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "run");
    {
      events::Writer writer = events::Writer::open(bench.folder() / "run");
      const protocol::Config config{
          .experiment = "solver: {base_lr: 0.02, warmup_steps: 5, max_steps: 100}\n"};
      writer.append(tests::eventRecord(0, protocol::encodeEvent(config)));
      for (std::int64_t step = 1; step <= 50; ++step) {
        writer.append(
            tests::scalarRecord(step, {{"train/loss_total", 1.0f / static_cast<float>(step)}}));
        const float heldOut = 1.0f + 0.01f * static_cast<float>(std::abs(step - 20));
        if (step % 10 == 0)
          writer.append(tests::scalarRecord(step, {{"eval/loss_total", heldOut}}));
      }
    }
    const auto result = bench.run({"advise", "run"});
    QVERIFY2(contains(result.out, "step 40: warning: overfitting: Validation loss rose"),
             result.out.c_str());
    QVERIFY2(contains(result.out, " Remedy: solver.max_steps=20\n"), result.out.c_str());
  }

  void alertsAreJson() {
    EngineBench bench;
    writeRun(bench.folder() / "run");
    QCOMPARE(bench.run({"advise", "run", "--out", "alerts.json"}).status, 0);
    const auto alerts = nlohmann::json::parse(base::readFile(bench.folder() / "alerts.json"));
    QCOMPARE(alerts.size(), std::size_t{1});
    QCOMPARE(alerts[0].at("kind").get<std::string>(), std::string("gradient_imbalance"));
    QCOMPARE(alerts[0].at("step").get<int>(), 60);
    QCOMPARE(alerts[0].at("key").get<std::string>(),
             std::string("model.box_head.regression_weights"));
    QCOMPARE(alerts[0].at("value").get<std::string>(), std::string("[20, 20, 10, 10]"));
    QCOMPARE(alerts[0].at("tags").size(), std::size_t{2});
    const auto piped = bench.run({"advise", "run", "--out", "-"});
    QVERIFY(nlohmann::json::parse(piped.out) == alerts);
  }

  void anotherProgramsLogIsRead() {
    EngineBench bench;
    writeDetectron2Log(bench.folder() / "d2");
    const auto result = bench.run({"advise", "d2"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.out, "lr_too_high: The learning rate is too high: the training loss"),
             result.out.c_str());
    QVERIFY2(!contains(result.out, "solver."), "its experiment is not known");
  }

  void logsOfOtherProgramsThatAreNoEventFilesAreRead() {
    EngineBench bench;
    std::string lines, metric;
    for (int step = 19; step < 1000; step += 20) {
      const std::string loss = step < 200 ? "2" : "40";
      lines += "{\"iteration\": " + std::to_string(step) +
               ", \"lr\": 0.1, \"total_loss\": " + loss + "}\n";
      metric += "1700000000000 " + loss + " " + std::to_string(step) + "\n";
    }
    fs::create_directories(bench.folder() / "d2");
    base::writeFileAtomically(bench.folder() / "d2/metrics.json", lines);
    for (const char* folder : {"ml/metrics", "ml/params"})
      fs::create_directories(bench.folder() / folder);
    base::writeFileAtomically(bench.folder() / "ml/meta.yaml", "run_id: abc\n");
    base::writeFileAtomically(bench.folder() / "ml/metrics/train_loss", metric);
    for (const char* run : {"d2", "ml"}) {
      const auto result = bench.run({"advise", run});
      QVERIFY2(contains(result.out, "lr_too_high: The learning rate is too high"),
               result.out.c_str());
      QCOMPARE(result.err, std::string());
    }
    const fs::path log = bench.folder() / "d2/metrics.json";
    QCOMPARE(bench.run({"advise", "d2", "--out", log.string()}).status, 2);
    QCOMPARE(base::readFile(log), lines);
  }

  void aHealthyRunGetsNone() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "run");
    {
      events::Writer writer = events::Writer::open(bench.folder() / "run");
      for (std::int64_t step = 1; step <= 300; ++step)
        writer.append(
            tests::scalarRecord(step, {{"train/loss_total", 3.0f / static_cast<float>(step)}}));
    }
    QCOMPARE(bench.run({"advise", "run", "--out", "-"}).out, std::string("[]\n"));
    QCOMPARE(bench.run({"advise", "run"}).out, std::string("no alerts\n"));
  }

  void badInputIsOneLine() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "empty");
    base::writeFileAtomically(bench.folder() / "notes.txt", "no log\n");
    const auto missing = bench.run({"advise", "nowhere"});
    QCOMPARE(missing.status, 2);
    QCOMPARE(missing.err, std::string("nowhere: no such run folder or event file\n"));
    const auto empty = bench.run({"advise", "empty"});
    QCOMPARE(empty.status, 2);
    QCOMPARE(empty.err, std::string("empty: has no event file (*tfevents*), and is not a run of "
                                    "detectron2, mmengine or MLflow\n"));
    const auto text = bench.run({"advise", "notes.txt"});
    QCOMPARE(text.status, 2);
    QCOMPARE(text.err, std::string("notes.txt: has no records of an event log\n"));
    QCOMPARE(bench.run({"advise", "/dev/null"}).err,
             std::string("/dev/null: is not a regular file; save the log to a file first\n"));
    writeRun(bench.folder() / "run");
    QCOMPARE(bench.run({"advise", "run", "run"}).err,
             std::string("run: give one run, or the event files of one run\n"));
    const fs::path log = eventFileIn(bench.folder() / "run");
    const std::string before = base::readFile(log);
    QCOMPARE(bench.run({"advise", log.string(), "--out", log.string()}).status, 2);
    QCOMPARE(base::readFile(log), before);
  }

  void damageIsReported() {
    EngineBench bench;
    writeRun(bench.folder() / "run");
    const fs::path log = eventFileIn(bench.folder() / "run");
    std::string bytes = base::readFile(log);
    bytes[bytes.find("grad_norm/part/box_head")] = 'x';
    std::ofstream(log) << bytes;
    const auto result = bench.run({"advise", "run"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.out, "gradient_imbalance"), result.out.c_str());
    QVERIFY2(contains(result.err, ": a damaged record; left out; the advice covers the rest\n"),
             result.err.c_str());
  }

  /// What comes before the damage is judged.
  void aLogThatEndsInGarbageIsJudgedUpToThere() {
    EngineBench bench;
    writeRun(bench.folder() / "run");
    const fs::path log = eventFileIn(bench.folder() / "run");
    std::ofstream(log, std::ios::app) << std::string(100, 'x');
    const auto result = bench.run({"advise", "run"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.out, "gradient_imbalance"), result.out.c_str());
    QVERIFY2(result.err.ends_with("; the advice covers the rest\n"), result.err.c_str());
  }

  /// By step and by epoch, which is no resume at every step.
  void aLossUnderTwoNamesIsOneCurve() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "other");
    {
      events::Writer writer = events::Writer::open(bench.folder() / "other");
      for (int step = 1; step <= 400; ++step) {
        const float loss = step < 50 ? 1.0f : 6.0f;
        writer.append(tests::scalarRecord(step, {{"train_loss_step", loss}}));
        writer.append(tests::scalarRecord(step, {{"train_loss", loss}}));
        writer.append(tests::scalarRecord(step / 100, {{"train_loss_epoch", loss}}));
      }
    }
    const auto result = bench.run({"advise", "other"});
    QVERIFY2(contains(result.out, "step 60: warning: lr_too_high"), result.out.c_str());
  }

  /// Of which nothing but the file is left.
  void aPackedRunIsReadAsItsFolderIs() {
    EngineBench bench;
    writeRun(bench.folder() / "run");
    base::writeFileAtomically(bench.folder() / "run" / "config.yaml", "name: run\n");
    const auto ofFolder = bench.run({"advise", "run", "--out", "folder.json"});
    QVERIFY(ofFolder.out.starts_with("step 60: warning: gradient_imbalance"));
    const auto packed = bench.run({"pack", "run", "--out", "run.lockstep"});
    QVERIFY2(packed.status == 0, packed.err.c_str());
    fs::remove_all(bench.folder() / "run");
    const auto result = bench.run({"advise", "run.lockstep", "--out", "packed.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(result.out, ofFolder.out);
    QCOMPARE(base::readFile(bench.folder() / "packed.json"),
             base::readFile(bench.folder() / "folder.json"));
    QCOMPARE(bench.run({"advise", "gone.lockstep"}).status, 2);
  }

  void aLossThatIsNotPositiveIsNotJudgedByItsRatios() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "other");
    {
      events::Writer writer = events::Writer::open(bench.folder() / "other");
      for (int step = 1; step <= 600; ++step) {
        const float loss = -1 - 0.01f * static_cast<float>(step);
        writer.append(tests::scalarRecord(step, {{"loss", loss}, {"lr", 0.1f}}));
      }
    }
    QCOMPARE(bench.run({"advise", "other"}).out, std::string("no alerts\n"));
  }

  void aLogWithoutATrainingLossIsReported() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "other");
    {
      events::Writer writer = events::Writer::open(bench.folder() / "other");
      writer.append(tests::scalarRecord(1, {{"accuracy", 1}}));
    }
    const auto result = bench.run({"advise", "other"});
    QVERIFY2(result.err.starts_with("no training loss found; known tags are train/loss_total"),
             result.err.c_str());
  }
};

LOCKSTEP_TEST(TstAdvise)
#include "tst_advise.moc"
