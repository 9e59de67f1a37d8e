#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <fstream>
#include <functional>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/cli/output_path.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using cli::Inputs;
using cli::OutputFile;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kNothing = R"({"categories":[],"images":[],"annotations":[]})";

/// The text of a UserError; else another text.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.status() == ExitStatus::UserError ? error.what() : "not a UserError";
  }
  return "not refused";
}

/// What a FIFO holds once `act` has written into it.
std::string readThrough(const fs::path& fifo, const std::function<void()>& act) {
  std::string content;
  std::jthread reader([&] { std::getline(std::ifstream(fifo), content); });
  act();
  reader.join();
  return content;
}

void write(const fs::path& file, const std::string& text = "kept") {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

/// Where results may go: nothing that is read, and nothing of a run, is ever replaced.
class TstOutputPath : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  fs::path path(const std::string& name) const {
    return fs::canonical(folder_.path().toStdString()) / name;
  }
  std::string refused(const fs::path& out, const Inputs& inputs = {}) const {
    return refusal([&] { OutputFile(out.string(), "--out", inputs); });
  }
  EngineBench bench_;  ///< whose commands are all refused

 private Q_SLOTS:
  void initTestCase() {
    const fs::path folder = bench_.folder();
    for (const char* name : {"w.safetensors", "a.png", "own/a.png"}) write(folder / name);
    write(folder / "run/run.json", "{}");
    for (const char* name : {"results.json", "more.json"}) write(folder / name, "[]");
    fs::rename(bench_.config(), folder / "base.yaml");
    write(bench_.config(), "base: base.yaml\n");
  }

  void whatCannotBeWrittenIsRefused() {
    const std::string folder = path("").parent_path().string();
    QCOMPARE(refused(path("nowhere/e.json")), "--out " + folder +
                                                  "/nowhere/e.json: cannot be written: " + folder +
                                                  "/nowhere: No such file or directory");
    for (const std::string& taken : {folder, folder + "/new/"})
      QCOMPARE(refused(taken), "--out " + taken + ": cannot be written: it is a folder");
  }

  void anInputIsNotReplacedHoweverItIsSpelt() {
    write(path("in/a.json"));
    fs::create_symlink(path("in/a.json"), path("link.json"));
    fs::create_directory_symlink(path("in"), path("other"));
    fs::create_hard_link(path("in/a.json"), path("hard.json"));
    Inputs inputs;
    inputs.add("", "--compare");
    inputs.add(path("in/a.json"), "--gt");
    for (const fs::path& spelling :
         {path("in/a.json"), path("in/./a.json"), path("in/../in/a.json"), path("link.json"),
          path("other/a.json"), path("hard.json"),
          fs::relative(path("in/a.json"), fs::current_path())}) {
      const std::string text = refused(spelling, inputs);
      QVERIFY2(contains(text, "it is --gt, which is read here; choose another file"), text.c_str());
    }
    QCOMPARE(refused(path("in/b.json"), inputs), std::string("not refused"));
  }

  void anImageOfAFolderIsNotReplaced() {
    write(path("images/day 1/a.jpg"));
    write(path("images/figures.json"));
    fs::create_symlink(path("images"), path("images/day 1/circle"));
    Inputs inputs;
    inputs.addImages(path("images"), "--images");
    QVERIFY(contains(refused(path("images/day 1/a.jpg"), inputs), "it is an image of --images"));
    QCOMPARE(refused(path("images/figures.json"), inputs), std::string("not refused"));
    const auto overlays = [&](const fs::path& folder) {
      return refusal([&] { cli::makeOutputFolder(folder.string(), "--overlays", inputs); });
    };
    QVERIFY(contains(overlays(path("images/day 1/../")), "is the folder of --images"));
    QCOMPARE(overlays(path("images/drawn")), std::string("not refused"));
  }

  void filesOfARunAreNotReplaced_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isRefused");
    for (const char* name :
         {"config.yaml", "run.json", "run.lock", "engine.log", "rank-0.log", "rank-12.log",
          "notes.json", "bad_images.jsonl", "events.out.tfevents.1700000000.host",
          "checkpoints/step-00000001/model.safetensors", "checkpoints/mine.json",
          "evaluations/step-00000001.json", "predictions/step-00000001.json",
          "predictions/step-00000001-val.json", "source/experiment.yaml",
          "divergence/step-00000001/replay.json"}) {
      QTest::newRow(name) << QString::fromUtf8(name) << true;
    }
    for (const char* name : {"best.json", "predictions.json", "overlays/a.png", "report.html",
                             "evaluations/mine.json", "rank.json"}) {
      QTest::newRow(name) << QString::fromUtf8(name) << false;
    }
  }
  void filesOfARunAreNotReplaced() {
    QFETCH(QString, name);
    QFETCH(bool, isRefused);
    write(path("runs/a/run.json"), "{}");
    const fs::path file = path("runs/a") / name.toStdString();
    fs::create_directories(file.parent_path());
    fs::remove(path("way in"));
    fs::create_directory_symlink(path("runs/a"), path("way in"));
    for (const fs::path& out : {file, path("way in") / name.toStdString()}) {
      const std::string text = refused(out);
      QVERIFY2(contains(text, "belongs to the run " + path("runs/a").string()) == isRefused,
               text.c_str());
    }
  }

  void anExperimentFileIsNeverReplaced() {
    write(path("a.yaml"));
    write(path("b.YML"));
    for (const char* name : {"a.yaml", "b.YML"})
      QVERIFY(contains(refused(path(name)), "is an experiment file, which is never replaced"));
    QCOMPARE(refused(path("new.yaml")), std::string("not refused"));
  }

  void nonRegularFilesAreWrittenTo() {
    const fs::path fifo = path("fifo");
    QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
    OutputFile out(fifo.string(), "--out", {});
    QCOMPARE(readThrough(fifo, [&] { out.write("direct"); }), std::string("direct"));
    base::writeFileAtomically(out.workerFile(), "a worker's");
    QCOMPARE(readThrough(fifo, [&] { out.writeWorkerResult(); }), std::string("a worker's"));
    QVERIFY(fs::is_fifo(fifo));
    OutputFile("/dev/null", "--out", {}).write("gone");
    QVERIFY(fs::is_character_file("/dev/null"));
  }

  void aFileDescriptorIsWrittenTo() {
    const fs::path file = path("descriptor");
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string name = "/dev/fd/" + std::to_string(descriptor);
    for (const char* text : {"one ", "two"}) OutputFile(name, "--out", {}).write(text);
    QCOMPARE(base::readFile(file), std::string("one two"));
    ::close(descriptor);
    QVERIFY(contains(refused(name), "it is not open for writing"));
  }

  void outputsOfTheSameFileAreDetected() {
    write(path("one"));
    fs::create_hard_link(path("one"), path("same"));
    const auto isSame = [](const fs::path& left, const fs::path& right) {
      return OutputFile(left.string(), "--out", {})
          .isSameAs(OutputFile(right.string(), "--report", {}));
    };
    QVERIFY(isSame(path("one"), path("same")));
    QVERIFY(isSame(path("new"), path("x/../new")));
    QVERIFY(isSame("-", "/dev/stdout"));
    QVERIFY(!isSame(path("one"), path("new")) && !isSame("-", path("new")));
  }

  void noCommandReplacesItsInputs_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* line, const char* expected) {
      QTest::newRow(line) << QString::fromUtf8(line) << QString::fromUtf8(expected);
    };
    row("coco-eval --gt train.json --dt results.json --type bbox --out ./train.json", "--gt");
    row("coco-eval --gt train.json --dt results.json --type bbox --report results.json", "--dt");
    row("coco-eval --gt train.json --dt results.json --compare more.json --type bbox --out "
        "more.json",
        "--compare");
    row("coco-eval --gt train.json --dt results.json --type bbox --report r.html --images train "
        "--out train/train1.png",
        "an image of --images");
    row("coco-eval --gt train.json --dt results.json --type bbox --out experiment.yaml",
        "never replaced");
    for (const char* command : {"evaluate experiment.yaml --weights w.safetensors --out ",
                                "predict experiment.yaml --weights w.safetensors --split val "
                                "--out "}) {
      const auto of = [&](const char* out) { return std::string(command) + out; };
      row(of("w.safetensors").c_str(), "it is the weights");
      row(of("val.json").c_str(), "it is dataset.val.annotations");
      row(of("train/train1.png").c_str(), "an image of dataset.train.images");
      row(of("experiment.yaml").c_str(), "it is the experiment");
      row(of("base.yaml").c_str(), "it is the experiment");
      row(of("run/run.json").c_str(), "belongs to the run");
    }
    row("predict experiment.yaml --weights w.safetensors --images a.png --out a.png",
        "it is an image of --images");
    row("predict experiment.yaml --weights w.safetensors --split val --out p.json --overlays val",
        "is the folder of dataset.val.images");
    row("predict experiment.yaml --weights w.safetensors --images own --out p.json --overlays own/",
        "is the folder of --images");
    row("predict experiment.yaml --weights w.safetensors --split val --out p.json --overlays "
        "run/checkpoints",
        "belongs to the run");
    row("dataset shapes --train 1 --val 1 --out run/checkpoints/new", "belongs to the run");
    row("train experiment.yaml --output run/source/new", "belongs to the run");
  }
  void noCommandReplacesItsInputs() {
    QFETCH(QString, line);
    QFETCH(QString, expected);
    std::vector<std::string> words;
    for (const QString& word : line.split(QLatin1Char(' '))) words.push_back(word.toStdString());
    const auto result = bench_.run(words);
    QVERIFY2(contains(result.err, expected.toStdString()), result.err.c_str());
    QCOMPARE(result.status, 2);
    QCOMPARE(std::count(result.err.begin(), result.err.end(), '\n'), std::ptrdiff_t{1});
    QVERIFY(bench_.received().empty());  // refused before any work
    QCOMPARE(base::readFile(bench_.folder() / "w.safetensors"), std::string("kept"));
  }

  void aDashIsStandardOutput() {
    write(bench_.folder() / "none.json", kNothing);
    for (const char* out : {"-", "/dev/stdout"}) {
      const auto result = bench_.run({"coco-eval", "--gt", "none.json", "--dt", "results.json",
                                      "--type", "bbox", "--out", out});
      QVERIFY2(result.status == 0, result.err.c_str());
      QVERIFY2(result.out.starts_with("{") && result.out.ends_with("}\n"), result.out.c_str());
    }
    QVERIFY(!fs::exists(bench_.folder() / "-"));
  }

  void workerResultReachesStandardOutput() {
    EngineBench bench;
    write(bench.folder() / "w.safetensors");
    bench.script("out [{}]\nfinish 0 result {\"images\":1,\"detections\":1}\n", "predict");
    const auto result = bench.run({"predict", "experiment.yaml", "--weights", "w.safetensors",
                                   "--split", "val", "--out", "-"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(result.out, std::string("[{}]"));
    QVERIFY2(contains(result.err, "standard output: 1 detection in 1 image"), result.err.c_str());
    QVERIFY(!fs::exists(fs::path(bench.lastJob<protocol::PredictJob>().out).parent_path()));
  }

  void emptyOptionsAreRefused() {
    for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
             {"train", "experiment.yaml", "--output", ""},
             {"coco-eval", "--gt", "train.json", "--dt", "results.json", "--type", "bbox", "--out",
              ""},
             {"coco-eval", "--gt", "train.json", "--dt", "results.json", "--type", "bbox",
              "--report", ""},
             {"evaluate", "experiment.yaml", "--weights", "w", "--out", ""},
             {"predict", "experiment.yaml", "--split", "val", "--out", ""},
             {"predict", "experiment.yaml", "--split", "val", "--out", "p", "--overlays", ""},
             {"dataset", "shapes", "--train", "1", "--val", "1", "--out", ""}}) {
      const auto result = bench_.run(line);
      QCOMPARE(result.status, 2);
      QVERIFY2(contains(result.err, ": is empty; omit the option"), result.err.c_str());
    }
    QVERIFY(!fs::exists(bench_.folder() / "runs"));
  }
};

LOCKSTEP_TEST(TstOutputPath)
#include "tst_output_path.moc"
