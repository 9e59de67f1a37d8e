// monitor.on_event: what commands get, in which order, and that nothing waits for them but the end.
#include <signal.h>
#include <sys/stat.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/supervisor/event_commands.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using supervisor::EventCommands;
using supervisor::PollLoop;
using tests::contains;
using tests::EngineBench;

namespace {

/// Commands with a loop and a log of their own.
struct Bench {
  QTemporaryDir folder;
  PollLoop loop;
  supervisor::RunLog log{path("engine.log")};
  std::optional<EventCommands> commands;

  void use(config::EventCommands wanted,
           PollLoop::Clock::duration patience = std::chrono::minutes(1)) {
    commands.emplace(loop, log, std::move(wanted), run_folder::Layout(path("run")), "droplets",
                     patience);
  }
  void runUntilIdle() {
    const auto timer = loop.every(std::chrono::milliseconds(1), [this] {
      commands->reap();
      if (commands->isIdle()) loop.stop();
    });
    loop.run();
    loop.cancel(timer);
  }
  std::string path(const std::string& name) const {
    return folder.filePath(QString::fromStdString(name)).toStdString();
  }
  std::string read(const std::string& name) const { return base::readFile(path(name)); }
  std::string append(const std::string& name) const { return "cat >> '" + path(name) + "'"; }
  std::vector<json> events(const std::string& name) const {
    std::vector<json> all;
    std::istringstream lines(read(name));
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }
};

protocol::Alert alertOf(const std::string& text) {
  return {.step = 3,
          .time = 12.5,
          .kind = protocol::AlertKind::LossJump,
          .severity = protocol::Severity::Warning,
          .text = text,
          .tags = {"train/loss_mask"},
          .from = 1,
          .to = 3,
          .key = "solver.base_lr",
          .value = "0.01"};
}

}  // namespace

class TstEventCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void commandsGetTheEventAsJson() {
    Bench bench;
    bench.use({bench.append("best"), bench.append("alert"), bench.append("end")});
    EventCommands& commands = *bench.commands;
    commands.best({"segm/AP", 0.25, 2}, bench.path("run/checkpoints/step-00000002"));
    commands.alert(alertOf("the loss \"jumped\"\nup"));
    run_folder::RunInfo info;
    info.state = protocol::RunState::Failed;
    info.step = 4;
    info.finished = 20.5;
    info.error.emplace().message = "rank 1 was killed";
    info.best = run_folder::Best{"segm/AP", 0.25, 2};
    commands.end(info);
    bench.runUntilIdle();

    const std::string run = bench.path("run");
    json best = bench.events("best").at(0);
    QVERIFY(best.at("time").is_number());
    best.erase("time");
    QCOMPARE(best.dump(), json({{"event", "best"},
                                {"run", run},
                                {"name", "droplets"},
                                {"metric", "segm/AP"},
                                {"value", 0.25},
                                {"step", 2},
                                {"checkpoint", run + "/checkpoints/step-00000002"}})
                              .dump());
    QCOMPARE(bench.events("alert").at(0).dump(), json({{"event", "alert"},
                                                       {"run", run},
                                                       {"name", "droplets"},
                                                       {"time", 12.5},
                                                       {"step", 3},
                                                       {"kind", "loss_jump"},
                                                       {"severity", "warning"},
                                                       {"text", "the loss \"jumped\"\nup"},
                                                       {"tags", {"train/loss_mask"}},
                                                       {"from", 1},
                                                       {"to", 3},
                                                       {"key", "solver.base_lr"},
                                                       {"value", "0.01"}})
                                                     .dump());
    const json ofBest{{"metric", "segm/AP"}, {"value", 0.25}, {"step", 2}};
    QCOMPARE(bench.events("end").at(0).dump(), json({{"event", "end"},
                                                     {"run", run},
                                                     {"name", "droplets"},
                                                     {"time", 20.5},
                                                     {"step", 4},
                                                     {"state", "failed"},
                                                     {"error", "rank 1 was killed"},
                                                     {"best", ofBest}})
                                                   .dump());
  }

  void withoutACommandNothingRuns() {
    Bench bench;
    bench.use({});
    bench.commands->best({"segm/AP", 0.25, 2}, {});
    bench.commands->alert(alertOf("a"));
    bench.commands->end({});
    QVERIFY(bench.commands->isIdle());
  }

  /// While one runs, only the newest best waits; alerts all do, in their order.
  void aNewerBestReplacesTheOneThatWaits() {
    Bench bench;
    const std::string go = bench.path("go");
    bench.use({"while [ ! -e '" + go + "' ]; do sleep 0.01; done; " + bench.append("all"),
               bench.append("all"),
               {}});
    EventCommands& commands = *bench.commands;
    commands.best({"segm/AP", 0.1, 1}, {});
    bench.loop.after(std::chrono::milliseconds(5), [&] {
      commands.best({"segm/AP", 0.2, 2}, {});
      commands.alert(alertOf("first"));
      commands.best({"segm/AP", 0.3, 3}, {});
      commands.alert(alertOf("second"));
      base::writeFileAtomically(go, "");
    });
    bench.runUntilIdle();
    std::vector<std::string> order;
    for (const json& event : bench.events("all"))
      order.push_back(event.at("event") == "best" ? std::to_string(event.at("step").get<int>())
                                                  : event.at("text").get<std::string>());
    QVERIFY(order == std::vector<std::string>({"1", "first", "3", "second"}));
  }

  void failuresAreToldOnce_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("told");
    QTest::newRow("status") << "echo trying; echo 'no such bucket' >&2; exit 3"
                            << "exit status 3: no such bucket";
    QTest::newRow("without a word") << "exit 3"
                                    << "exit status 3 (";
    QTest::newRow("a signal") << "kill -TERM $$"
                              << "SIGTERM";
    QTest::newRow("not there") << "/no/such/program"
                               << "exit status 127";
    QTest::newRow("much output")
        << "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1"
        << "exit status 1: last";
    QTest::newRow("a pipe full of output")
        << "head -c 60000 /dev/zero | tr '\\0' x; echo; echo last; exit 1"
        << "exit status 1: last";
  }
  void failuresAreToldOnce() {
    QFETCH(QString, command);
    QFETCH(QString, told);
    Bench bench;
    bench.use({{}, command.toStdString(), {}});
    for (int i = 0; i < 3; ++i) bench.commands->alert(alertOf("a"));
    bench.runUntilIdle();
    const QString log = QString::fromStdString(bench.read("engine.log"));
    QCOMPARE(log.count("monitor.on_event.alert"), 1);
    QVERIFY2(log.contains(told), qPrintable(log));
  }

  void aCommandThatTakesTooLongIsKilledWithWhatItStarted() {
    Bench bench;
    bench.use({{}, "sleep 1000 & echo $! > '" + bench.path("pid") + "'; wait", {}},
              std::chrono::seconds(1));
    bench.commands->alert(alertOf("a"));
    bench.runUntilIdle();
    QVERIFY(contains(bench.read("engine.log"), "killed after 1 second"));
    const int pid = std::stoi(bench.read("pid"));
    QTRY_VERIFY(!tests::isAlive(pid));
  }

  /// The run's end would wait for each of them as long.
  void whatWaitsBehindOneThatTookTooLongIsDropped() {
    Bench bench;
    bench.use({{}, bench.append("alerts") + "; exec sleep 1000", bench.append("end")},
              std::chrono::seconds(1));
    for (const char* text : {"first", "second", "third"}) bench.commands->alert(alertOf(text));
    bench.commands->end({});
    bench.runUntilIdle();
    QCOMPARE(bench.events("alerts").size(), std::size_t{1});
    QCOMPARE(bench.events("end").size(), std::size_t{1});
  }

  void abandonedOnesAreKilled() {
    Bench bench;
    bench.use({{}, "echo $$ > '" + bench.path("pid") + "'; exec sleep 1000", {}});
    bench.commands->alert(alertOf("a"));
    bench.commands->alert(alertOf("b"));
    const auto timer = bench.loop.every(std::chrono::milliseconds(1), [&] {
      if (std::filesystem::exists(bench.path("pid")) && !bench.read("pid").empty())
        bench.commands->abandon();
    });
    bench.runUntilIdle();
    bench.loop.cancel(timer);
    QVERIFY(!tests::isAlive(std::stoi(bench.read("pid"))));
  }

  // ---- In a run.

  void aRunTellsItsBestsAndItsEnd() {
    EngineBench bench;
    bench.script(
        "state running 0\n"
        "scalars 1 2\neval 2 0.9 0.25 best\ncheckpoint 2 best\n"
        "scalars 3 4\neval 4 0.8 0.125\ncheckpoint 4\n"
        "finish 4\n");
    const std::string events = (bench.folder() / "events").string();
    const auto result = bench.run({"train", "experiment.yaml", "--set", "solver.max_steps=4",
                                   "--set", "monitor.on_event.best=cat >> " + events, "--set",
                                   "monitor.on_event.end=cat >> " + events + "; exit 9"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "monitor.on_event.end") && contains(result.err, "exit status 9"),
             result.err.c_str());
    std::istringstream lines(base::readFile(events));
    std::string line;
    QVERIFY(std::getline(lines, line));
    const json best = json::parse(line);
    QCOMPARE(best.at("step").get<int>(), 2);
    QCOMPARE(best.at("checkpoint").get<std::string>(),
             std::filesystem::canonical(bench.onlyRun().checkpoint(2)).string());
    QVERIFY(std::getline(lines, line));
    const json end = json::parse(line);
    QCOMPARE(end.at("state").get<std::string>(), std::string("finished"));
    QCOMPARE(end.at("best").at("step").get<int>(), 2);
    QVERIFY(!std::getline(lines, line));
  }

  void theCheckpointThatACommandReadsIsKept() {
    EngineBench bench;
    bench.script(
        "state running 0\n"
        "scalars 1 2\neval 2 0.9 0.25 best\ncheckpoint 2 best\nawait begun\n"
        "scalars 3 4\neval 4 0.8 0.5 best\ncheckpoint 4 best\n"
        "scalars 5 6\ncheckpoint 6\nscalars 7 8\ncheckpoint 8\nfinish 8\n");
    const std::string folder = bench.folder().string(), begun = folder + "/bin/begun",
                      goOn = folder + "/go-on";
    QCOMPARE(::mkfifo(goOn.c_str(), 0600), 0);
    const std::string command = "test -e " + begun + " && exit; touch " + begun + "; read line < " +
                                goOn + "; ls " + folder + "/runs/*/checkpoints/step-00000002 > " +
                                folder + "/listed";
    const auto process =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=8", "--set",
                     "checkpoint.keep=1", "--set", "monitor.on_event.best=" + command});
    QVERIFY(QTest::qWaitFor(
        [&] {
          return std::filesystem::exists(begun) &&
                 std::filesystem::exists(bench.onlyRun().checkpoint(8));
        },
        30000));
    std::ofstream(goOn) << "\n";
    const auto result = EngineBench::finish(*process);
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY(contains(base::readFile(folder + "/listed"), "model.safetensors"));
  }

  /// The end of a run that fails, after the alert of its failure; its folder is whole by then.
  void aFailedRunTellsItsEnd() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nstderr out of luck\nexit 3\n");
    const std::string events = (bench.folder() / "events").string();
    const auto result =
        bench.run({"train", "experiment.yaml", "--set", "monitor.on_event.alert=cat >> " + events,
                   "--set", "monitor.on_event.end=cat >> " + events});
    QCOMPARE(result.status, 1);
    std::istringstream lines(base::readFile(events));
    std::string first, second;
    std::getline(lines, first);
    std::getline(lines, second);
    QCOMPARE(json::parse(first).at("kind").get<std::string>(), std::string("run_failed"));
    QCOMPARE(json::parse(second).at("state").get<std::string>(), std::string("failed"));
    QVERIFY(json::parse(second).at("error").is_string());
  }

  void aSignalEndsTheWaitForTheEndCommand() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nfinish 2\n");
    const std::string mark = (bench.folder() / "mark").string();
    const auto process =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=2", "--set",
                     "monitor.on_event.end=touch " + mark + "; exec sleep 1000"});
    QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(mark), 30000);
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    const auto result = EngineBench::finish(*process);
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY(bench.waitForState("finished"));
  }
};

LOCKSTEP_TEST(TstEventCommands)
#include "tst_event_commands.moc"
