#include <QTest>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/events/writer.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_notes.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// A run folder with a log of two steps, the second of them not finite.
void writeLog(const fs::path& folder) {
  fs::create_directories(folder);
  events::Writer writer = events::Writer::open(folder);
  events::Record record;
  record.kind = events::Record::Kind::Scalars;
  record.step = 1;
  record.wallTime = 1000.25;
  record.scalars = {{"train/loss_total", 0.1f}, {"solver/lr", 1e-05f}};
  writer.append(record);
  record.step = 2;
  record.scalars = {{"train/loss_total", std::numeric_limits<float>::quiet_NaN()},
                    {"solver/lr", -std::numeric_limits<float>::infinity()}};
  writer.append(record);
}

}  // namespace

class TstListings : public QObject {
  Q_OBJECT

 private:
  EngineBench trained_;  ///< with `run`, which has finished

  /// A copy of the finished run.
  void placeRun(const EngineBench& bench, const char* name) const {
    fs::create_directories((bench.folder() / name).parent_path());
    fs::copy(trained_.folder() / "run", bench.folder() / name, fs::copy_options::recursive);
  }

 private Q_SLOTS:
  void initTestCase() {
    trained_.script("scalars 1 6\nfinish 6\n");
    QCOMPARE(trained_.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
  }

  void metricsAreCsvWithTheShortestNumbers() {
    EngineBench bench;
    writeLog(bench.folder() / "run");
    const auto result = bench.run({"metrics", "run"});
    QCOMPARE(result.status, 0);
    QCOMPARE(result.out, std::string("step,wall_time,tag,value\n"
                                     "1,1000.25,train/loss_total,0.1\n"
                                     "1,1000.25,solver/lr,1e-05\n"
                                     "2,1000.25,train/loss_total,NaN\n"
                                     "2,1000.25,solver/lr,-Infinity\n"));
  }

  void metricsAreJsonLines() {
    EngineBench bench;
    writeLog(bench.folder() / "run");
    std::istringstream lines(bench.run({"metrics", "run", "--format", "jsonl"}).out);
    std::vector<nlohmann::json> rows;
    for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
    QCOMPARE(rows.size(), std::size_t{4});
    QCOMPARE(rows[0].at("step").get<int>(), 1);
    QCOMPARE(rows[0].at("wall_time").get<double>(), 1000.25);
    QCOMPARE(rows[0].at("tag").get<std::string>(), std::string("train/loss_total"));
    QCOMPARE(rows[0].at("value").get<float>(), 0.1f);
    QCOMPARE(rows[2].at("value").get<std::string>(), std::string("NaN"));
    QCOMPARE(rows[3].at("value").get<std::string>(), std::string("-Infinity"));
  }

  /// Without what a resume replaced.
  void metricsOfOtherProgramsHaveOurTags() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "d2");
    base::writeFileAtomically(bench.folder() / "d2/metrics.json",
                              "{\"iteration\": 1, \"total_loss\": 2, \"a,b\": 1}\n"
                              "{\"iteration\": 3, \"total_loss\": 3, \"segm/AP\": 50}\n"
                              "{\"iteration\": 2, \"total_loss\": NaN}\nbroken\n");
    const auto result = bench.run({"metrics", "d2"});
    QCOMPARE(result.out, std::string("step,wall_time,tag,value\n"
                                     "1,0,train/loss_total,2\n"
                                     "1,0,\"a,b\",1\n"
                                     "2,0,train/loss_total,NaN\n"));
    QCOMPARE(result.status, 1);
    QCOMPARE(result.err,
             std::string("d2/metrics.json:4: is not a line of detectron2's metrics; left out\n"));
    const auto none = bench.run({"metrics", "."});
    QCOMPARE(none.status, 2);
    QVERIFY2(contains(none.err, "is not a run folder (no event file) or a run of detectron2"),
             none.err.c_str());
  }

  void runsOfOtherProgramsAreListed() {
    EngineBench bench;
    placeRun(bench, "runs/own");
    const std::string own = bench.run({"runs", "runs"}).out;
    QVERIFY2(!contains(own, "PROGRAM"), own.c_str());
    fs::create_directories(bench.folder() / "runs/deep/d2");
    base::writeFileAtomically(bench.folder() / "runs/deep/d2/metrics.json",
                              "{\"iteration\": 39}\n");
    base::writeFileAtomically(bench.folder() / "runs/deep/d2/config.yaml",
                              "SOLVER: {MAX_ITER: 40}\n");
    const auto listed = bench.run({"runs", "runs"});
    QVERIFY2(contains(listed.out, "deep/d2  -         39/40"), listed.out.c_str());
    QVERIFY2(contains(listed.out, "detectron2"), listed.out.c_str());
    const auto parsed = nlohmann::json::parse(bench.run({"runs", "runs", "--format", "json"}).out);
    QCOMPARE(parsed.size(), std::size_t{2});
    QCOMPARE(parsed[0].at("program").get<std::string>(), std::string("Lockstep"));
    QCOMPARE(parsed[1].at("run").get<std::string>(), std::string("deep/d2"));
    QVERIFY(parsed[1].at("state").is_null());
    QCOMPARE(parsed[1].at("step").get<int>(), 39);
    const auto table =
        nlohmann::json::parse(bench.run({"runs", "runs", "--table", "--format", "json"}).out);
    QCOMPARE(table.size(), std::size_t{1});
  }

  void notesAreListedAndArchivedRunsLeftOut() {
    EngineBench bench;
    for (const char* run : {"runs/a", "runs/b"}) placeRun(bench, run);
    const auto plain = bench.run({"runs", "runs"});
    QVERIFY2(!contains(plain.out, "TAGS") && plain.err.empty(), plain.out.c_str());
    run_folder::writeRunNotes(run_folder::Layout(bench.folder() / "runs/a"),
                              {"base line", {"x", "y z"}, "why", false, true});
    run_folder::writeRunNotes(run_folder::Layout(bench.folder() / "runs/b"),
                              {"", {}, "", true, false});
    const auto listed = bench.run({"runs", "runs"});
    QVERIFY2(contains(listed.out, "a (base line)  finished"), listed.out.c_str());
    QVERIFY2(contains(listed.out, "x, y z  yes\n"), listed.out.c_str());
    QVERIFY2(!contains(listed.out, "\nb "), listed.out.c_str());
    QCOMPARE(listed.err, std::string("1 archived: --all lists them\n"));
    const auto all = bench.run({"runs", "runs", "--all"});
    QVERIFY2(contains(all.out, "finished, archived") && all.err.empty(), all.out.c_str());
    const auto parsed = nlohmann::json::parse(bench.run({"runs", "runs", "--format", "json"}).out);
    QCOMPARE(parsed.size(), std::size_t{2});
    const auto& a = parsed[0].at("run") == "a" ? parsed[0] : parsed[1];
    const auto& b = parsed[0].at("run") == "a" ? parsed[1] : parsed[0];
    QCOMPARE(a.at("name").get<std::string>(), std::string("base line"));
    QCOMPARE(a.at("tags").dump(), std::string(R"(["x","y z"])"));
    QCOMPARE(a.at("note").get<std::string>(), std::string("why"));
    QVERIFY(a.at("pinned").get<bool>() && !a.at("archived").get<bool>());
    QVERIFY(b.at("archived").get<bool>() && b.at("name").is_null() && b.at("tags").empty());
    const auto csv = bench.run({"runs", "runs", "--format", "csv"});
    const std::string folder = (fs::path(bench.folder()) / "runs/a").string();
    QCOMPARE(a.at("folder").get<std::string>(), folder);
    QVERIFY2(contains(csv.out, ",Lockstep,base line,\"x, y z\",why,false,true," + folder + "\n"),
             csv.out.c_str());
  }

  void namesControlNeitherTerminalNorSpreadsheet() {
    EngineBench bench;
    placeRun(bench, "runs/=1+2");
    placeRun(bench, "runs/\x1b[2Jb");
    const auto csv = bench.run({"runs", "runs", "--format", "csv"});
    QVERIFY2(contains(csv.out, "\n'=1+2,"), csv.out.c_str());
    base::writeFileAtomically(bench.folder() / "runs/\x1b[2Jb/run.json", "{");
    const auto listed = bench.run({"runs", "runs"});
    QVERIFY2(!contains(listed.out + listed.err, "\x1b"), (listed.out + listed.err).c_str());
    QVERIFY2(contains(listed.err, "\\x1b[2Jb/run.json: invalid JSON"), listed.err.c_str());
    QVERIFY(contains(listed.out, "=1+2  "));
    const auto missing = bench.run({"runs", "\x1b]0;title\x07"});
    QCOMPARE(missing.err, std::string("\\x1b]0;title\\x07: no such folder\n"));
  }

  void damagedNotesAreAWarning() {
    EngineBench bench;
    placeRun(bench, "runs/a");
    base::writeFileAtomically(bench.folder() / "runs/a/notes.json", "{");
    const auto listed = bench.run({"runs", "runs"});
    QCOMPARE(listed.status, 0);
    QVERIFY2(contains(listed.out, "finished"), listed.out.c_str());
    QVERIFY2(contains(listed.err, "notes.json: invalid JSON at byte 2"), listed.err.c_str());
  }

  void runsAreATable() {
    EngineBench bench;
    bench.script("scalars 1 6\neval 6 0.5 0.25 best\ncheckpoint 6 best last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "runs/good"}).status, 0);
    bench.script("scalars 1 3\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "runs/bad"}).status, 1);
    const auto result = bench.run({"runs"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.out, "good  finished  6/6   segm/AP 0.25 at step 6  "),
             result.out.c_str());
    QVERIFY2(contains(result.out, "bad   failed    3/6   -                       "),
             result.out.c_str());
    QVERIFY2(result.out.find("bad") < result.out.find("good"), "newest first");
    QCOMPARE(bench.run({"runs", "runs"}).out, result.out);
  }

  void runsAreOneTableInEveryFormat() {
    EngineBench bench;
    bench.script(
        "scalars 1 4\neval 2 0.75 0.125\neval 4 0.5 0.25 best\ncheckpoint 4 best last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "runs/a,b"}).status, 0);
    const auto listed = nlohmann::json::parse(bench.run({"runs", "--format", "json"}).out);
    QCOMPARE(listed.size(), std::size_t{1});
    QCOMPARE(listed[0].at("run").get<std::string>(), std::string("a,b"));
    QCOMPARE(listed[0].at("best_value").get<double>(), 0.25);
    const auto table = nlohmann::json::parse(
        bench.run({"runs", "--table", "--target", "segm/AP=0.125", "--format", "json"}).out);
    QCOMPARE(table[0].at("segm/AP").get<double>(), 0.25);
    QCOMPARE(table[0].at("segm/AP_step").get<int>(), 4);
    QCOMPARE(table[0].at("loss_total").get<double>(), 0.5);
    QCOMPARE(table[0].at("target_step").get<int>(), 2);
    QVERIFY(table[0].at("target_minutes").get<double>() >= 0);
    QCOMPARE(table[0].at("device").get<std::string>(), std::string("cpu"));
    const auto losses = bench.run({"runs", "--table", "--target", "loss_total=0.6"});
    QVERIFY2(contains(losses.out, "STEPS TO loss_total <= 0.6"), losses.out.c_str());
    QVERIFY2(contains(losses.out, "1 x cpu"), losses.out.c_str());
    const auto markdown = bench.run({"runs", "--table", "--format", "markdown"});
    QVERIFY2(markdown.out.starts_with("| RUN | STATE |") && contains(markdown.out, "\n|---|"),
             markdown.out.c_str());
    const auto csv = bench.run({"runs", "--table", "--format", "csv"});
    QVERIFY2(csv.out.starts_with("run,state,step,") && contains(csv.out, "\n\"a,b\",finished,"),
             csv.out.c_str());
    const auto never = nlohmann::json::parse(
        bench.run({"runs", "--table", "--target", "segm/AP=0.9", "--format", "json"}).out);
    QVERIFY(never[0].at("target_step").is_null());
  }

  void badTargetsAreOneLine() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "runs");
    for (const char* target : {"segm/AP", "segm/AP=", "fox=1", "=1", "segm/AP=x"}) {
      const auto result = bench.run({"runs", "--table", "--target", target});
      QCOMPARE(result.status, 2);
      QVERIFY2(contains(result.err, "expected a metric and its value"), result.err.c_str());
    }
    QVERIFY(contains(bench.run({"runs", "--target", "segm/AP=1"}).err, "--target is for --table"));
    QCOMPARE(bench.run({"runs", "--format", "json"}).out, std::string("[]\n"));
  }

  void aRunIsNotAFolderOfRuns() {
    EngineBench bench;
    placeRun(bench, "runs/good");
    const auto result = bench.run({"runs", "runs/good/"});
    QCOMPARE(result.status, 2);
    QVERIFY2(
        contains(result.err, "runs/good/: is itself a run; give the folder that contains it, " +
                                 (bench.folder() / "runs").string()),
        result.err.c_str());
  }

  void theFolderOfRunsMustExistIfItIsNamed() {
    EngineBench bench;
    bench.setVariable("LOCKSTEP_RUNS", "/nope");
    const auto result = bench.run({"runs"});
    QCOMPARE(result.status, 2);
    QCOMPARE(result.err, std::string("/nope: no such folder\n"));
    bench.setVariable("LOCKSTEP_RUNS", "");  // as if it were not set
    QCOMPARE(bench.run({"runs"}).status, 0);
  }

  void noRunsAreNotAnError() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "runs");
    const auto result = bench.run({"runs"});
    QCOMPARE(result.status, 0);
    QVERIFY(result.out.empty());
    QVERIFY2(contains(result.err, "no runs"), result.err.c_str());
  }

  void infoPrintsTheMachineAndTheWorker() {
    EngineBench bench;
    bench.script("finish 0 result {\"libtorch\":\"9.9\",\"cuda_kernels\":false}\n", "info");
    const auto result = bench.run({"info"});
    QCOMPARE(result.status, 0);
    for (const char* part :
         {"lockstep: " LOCKSTEP_VERSION "\n", "cpu cores: ", "memory: ", "gpus: ",
          "libtorch: 9.9\ncpu capability: \ncuda kernels: false\nusable gpus: 0\n"}) {
      QVERIFY2(contains(result.out, part), part);
    }
  }

  void cocoEvalPrintsTheTwelveMetrics() {
    EngineBench bench;
    std::ofstream(bench.folder() / "dt.json")
        << R"([{"image_id":1,"category_id":1,"score":0.9,"bbox":[5,5,10,10]},{"image_id":2,"category_id":1,"score":0.8,"bbox":[5,5,10,10]}])";
    const auto result = bench.run(
        {"coco-eval", "--gt", "val.json", "--dt", "dt.json", "--type", "bbox", "--out", "e.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.out, "AP     1.0000\nAP50   1.0000\n"), result.out.c_str());
    const auto parsed = nlohmann::json::parse(base::readFile(bench.folder() / "e.json"));
    QCOMPARE(parsed.at("stats").size(), std::size_t{12});
    QVERIFY(std::abs(parsed.at("stats")[0].get<double>() - 1) < 1e-9);
    QCOMPARE(parsed.at("stats")[4].get<double>(), -1.0);  // no medium object
    QCOMPARE(parsed.at("classes")[0].at("name").get<std::string>(), std::string("drop"));
  }

  void shapesJobIsSentToTheWorker() {
    EngineBench bench;
    bench.script("finish 0\n", "shapes");
    QCOMPARE(bench
                 .run({"dataset", "shapes", "--out", "made", "--train", "3", "--val", "2", "--seed",
                       "5"})
                 .status,
             0);
    const auto job = bench.lastJob<protocol::ShapesJob>();
    QCOMPARE(job.folder, (bench.folder() / "made").string());
    QCOMPARE(job.trainImages, 3);
    QCOMPARE(job.valImages, 2);
    QCOMPARE(job.seed, std::int64_t{5});
  }
};

LOCKSTEP_TEST(TstListings)
#include "tst_listings.moc"
