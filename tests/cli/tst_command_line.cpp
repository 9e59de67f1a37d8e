#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/cli/command_line.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> words(const QString& line) {
  std::vector<std::string> list;
  for (const QString& word : line.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    list.push_back(word.toStdString());
  return list;
}

}  // namespace

class TstCommandLine : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<EngineBench> bench_;

 private Q_SLOTS:
  void initTestCase() {
    bench_ = std::make_unique<EngineBench>();
    const fs::path folder = bench_->folder();
    std::ofstream(folder / "w.safetensors") << "w";
    std::ofstream(folder / "a.png") << "a";
    std::ofstream(folder / "file") << "x";
    std::ofstream(folder / "broken.yaml") << "solver: {base_lr: [\n";
    std::ofstream(folder / "broken.json") << "{\"images\": [";
    std::ofstream(folder / "results.json") << "[]";
    fs::create_directories(folder / "empty");
    // A run without a checkpoint.
    bench_->script("fail 1 no luck\n");
    QCOMPARE(bench_->run({"train", "experiment.yaml", "--output", "run"}).status, 1);
  }

  void cleanupTestCase() { bench_.reset(); }

  void errorIsOneLineWithItsStatus_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* line, int status, const char* expected) {
      QTest::newRow(line) << QString::fromUtf8(line) << status << QString::fromUtf8(expected);
    };
    row("", 2, "give a command (see lockstep-engine --help)");
    row("trian experiment.yaml", 2, "did you mean train?");
    row("xyzzy --help", 2, "unknown command 'xyzzy' (see lockstep-engine --help)");
    row("--verison", 2, "did you mean --version?");
    row("train", 2, "give an experiment file or a run folder");
    row("train nowhere.yaml", 2, "nowhere.yaml: no such experiment file or run folder");
    row("train experiment.yaml --ouput x", 2, "unknown option --ouput: did you mean --output?");
    row("train experiment.yaml extra", 2, "unexpected argument 'extra' (see ");
    row("train --config-file experiment.yaml --num-gpus 2", 2,
        "unknown option --config-file: give the experiment file without an option");
    row("train experiment.yaml --num-gpus=2", 2, "unknown option --num-gpus: use --workers N");
    row("train experiment.yaml --eval-only", 2, "--eval-only: use lockstep-engine evaluate");
    row("train experiment.yaml --opts SOLVER.BASE_LR 0.1", 2,
        "--opts: use --set KEY=VALUE, once for each key");
    row("train experiment.yaml --dist-url tcp://a:1", 2, "MASTER_ADDR and MASTER_PORT");
    row("train experiment.yaml SOLVER.BASE_LR 0.1", 2,
        "unexpected argument 'SOLVER.BASE_LR': use --set solver.base_lr=VALUE");
    row("train experiment.yaml --lr 0.1", 2, "unknown option --lr: use --set solver.base_lr=VALUE");
    row("metrics run --num-gpus 2", 2, "unknown option --num-gpus (see ");
    row("train experiment.yaml --set SOLVER.BASE_LR=0.1", 2,
        "--set: SOLVER.BASE_LR: unknown key; did you mean solver.base_lr=0.1?");
    row("train experiment.yaml --set", 2, "--set: give a value");
    row("train experiment.yaml --set solver.bse_lr=1", 2, "solver.base_lr");
    row("train experiment.yaml --set runtime.device=cuda", 2, "runtime.device");
    row("train broken.yaml", 2, "broken.yaml:");
    row("train empty", 2, "empty: not a run folder");
    row("train run", 2, "--resume");
    row("train run --resume --output other", 2, "--output");
    row("train experiment.yaml --output run", 2, "run: already exists; add --resume");
    row("train experiment.yaml --output empty", 2, "empty: already exists; add --resume");
    row("train experiment.yaml --output bin", 2, "bin: already exists and is not a run folder");
    row("train experiment.yaml --output file --resume", 2, "file");
    row("train experiment.yaml --output file/run", 2, "file: cannot be created: Not a directory");
    row("train experiment.yaml --resume", 2,
        "--resume: experiment.yaml is an experiment file; give the run folder instead, or --output "
        "RUN_DIR");
    row("train experiment.yaml --from 100", 2, "experiment.yaml is an experiment file");
    row("train run --find-lr", 2, "run is a run: give its config.yaml");
    row("train run --find-lr --resume", 2, "omit --resume, --from and --accept-data");
    row("train run --find-lr --from best", 2, "omit --resume, --from and --accept-data");
    row("train experiment.yaml --find-lr --output new --resume", 2, "omit --resume");
    row("train experiment.yaml --find-lr --accept-data", 2, "omit --resume");
    row("train experiment.yaml --find-lr --output run", 2, "already exists; choose another folder");
    row("train --find-lr --replay broken.json", 2, "--replay takes no CONFIG or RUN");
    row("train experiment.yaml --find-lr --set solver.schedule=sweep", 2, "solver.schedule");
    row("train --find-lr", 2, "give an experiment file");
    row("train experiment.yaml --replay f", 2, "--replay takes no CONFIG or RUN");
    row("train --replay gone.json", 2, "--replay gone.json: no such file");
    row("train --replay broken.yaml", 1, "broken.yaml: ");
    row("train experiment.yaml --workers 3", 2,
        "2 images cannot be divided evenly among 3 ranks x solver.accumulate: 1; the smallest "
        "batch size is 3");
    row("train experiment.yaml --workers 2 --set solver.batch_size=5", 2,
        "5 images cannot be divided evenly among 2 ranks x solver.accumulate: 1; the nearest batch "
        "sizes are 4 and 6");
    row("train experiment.yaml --set runtime.workers=4", 2, "divided evenly among 4 ranks");
    row("train experiment.yaml --workers 2 --set runtime.devices=[0]", 2,
        "runtime.devices: lists 1 for 2 ranks");
    row("train experiment.yaml --set runtime.backend=nccl", 2, "runtime.backend: nccl is for GPUs");
    row("train experiment.yaml --workers two", 2, "--workers: two is not an integer");
    row("train experiment.yaml --workers 5000000000", 2, "5000000000 is out of range");
    row("train experiment.yaml --workers 0", 2, "--workers 0: at least one rank is needed");
    row("pack nowhere --out a.lockstep", 2, "nowhere: no such run folder");
    row("pack . --out a.lockstep", 2, "not a run folder");
    row("metrics nowhere.lockstep", 2, "no packed run (*.lockstep)");
    row("evaluate nowhere", 2, "nowhere: no such experiment file, run folder or weights file");
    row("evaluate experiment.yaml", 2, "--weights");
    row("evaluate experiment.yaml --weights best", 2, "best");
    row("evaluate experiment.yaml --weights gone.safetensors", 2, "gone.safetensors: no such file");
    row("evaluate experiment.yaml --weights https://a.b/w.pth", 2,
        "--weights https://a.b/w.pth: URLs are not supported");
    row("evaluate experiment.yaml --weights w.safetensors --per-image", 2,
        "--per-image requires --out");
    row("evaluate run", 2, "no checkpoint");
    row("evaluate run --weights 500", 2, "500");
    row("evaluate experiment.yaml --weights w.safetensors --split test", 2,
        "--split: test is not one of val, train");
    row("evaluate experiment.yaml --weights w.safetensors --out nowhere/e.json", 2,
        "--out nowhere/e.json: cannot be written");
    row("train experiment.yaml --workers 60000 --set solver.batch_size=60000", 2,
        "60000 ranks on the CPU: ");
    row("predict experiment.yaml --weights w.safetensors --split val", 2, "give --out F.json");
    row("predict experiment.yaml --weights w.safetensors --out p.json", 2,
        "either --split val|train or --images");
    row("predict experiment.yaml --weights w.safetensors --out p.json --split val --images a.png",
        2, "either");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images gone.png", 2,
        "--images gone.png: no such file or folder");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images empty", 2,
        "contains no images");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images a.png --score nan",
        2, "--score: nan is not in 0 … 1");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images a.png --overlays "
        "file",
        2, "--overlays file");
    row("predict experiment.yaml --weights w.safetensors --out new --images a.png --overlays "
        "./new",
        2, "--overlays ./new: is the file of --out; choose a folder");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images a.png "
        "--overlay-score 0.3",
        2, "--overlay-score requires --overlays");
    row("predict experiment.yaml --weights w.safetensors --out p.json --images a.png --overlays o "
        "--overlay-score 2",
        2, "--overlay-score: 2 is not in 0 … 1");
    row("inspect experiment.yaml", 2, "--weights");
    row("coco-eval --gt train.json --dt gone.json --type bbox", 2, "gone.json: no such file");
    row("coco-eval --gt /dev/null --dt results.json --type bbox", 2, "/dev/null: is a device");
    row("coco-eval --gt train.json --dt results.json --type keypoints", 2, "--type");
    row("coco-eval --gt broken.json --dt results.json --type bbox", 1, "broken.json");
    row("coco-eval --gt train.json --dt broken.json --type bbox", 1, "broken.json");
    row("coco-eval --gt train.json --dt results.json --type bbox --compare gone.json", 2,
        "gone.json: no such file");
    row("coco-eval --gt train.json --dt results.json --type bbox --matches", 2,
        "--matches requires --out");
    row("coco-eval --gt train.json --dt results.json --type bbox --score-threshold .5", 2,
        "--score-threshold is for --analysis");
    row("coco-eval --gt train.json --dt results.json --type bbox --iou-threshold .5", 2,
        "--iou-threshold is for --analysis");
    row("coco-eval --gt train.json --dt results.json --type bbox --images empty", 2,
        "--images requires --report");
    row("coco-eval --gt train.json --dt results.json --type bbox --report r.html --images file", 2,
        "--images file: no such folder");
    row("coco-eval --gt train.json --dt results.json --type bbox --report empty", 2,
        "--report empty: cannot be written: it is a folder");
    row("coco-eval --gt train.json --dt results.json --type bbox --report r.html --out ./r.html", 2,
        "--report r.html: --out is the same file");
    row("coco-eval --gt train.json --dt results.json --type bbox --analysis --iou-threshold nan", 2,
        "--iou-threshold: must be above 0 and at most 1");
    row("coco-eval --gt train.json --dt results.json --type bbox --analysis --iou-threshold 1.1", 2,
        "--iou-threshold: must be above 0 and at most 1");
    row("coco-eval --gt train.json --dt results.json --type bbox --analysis --score-threshold inf",
        2, "--score-threshold: must be a finite number");
    row("coco-eval --gt train.json --dt results.json --type bbox --analysis --score-threshold high",
        2, "--score-threshold: high is not a number");
    row("dataset", 2, "give a command");
    row("dataset check", 2, "give CONFIG");
    row("dataset check gone.yaml", 2, "gone.yaml: no such file");
    row("dataset check experiment.yaml --out train.json", 2, "it is the annotations");
    row("dataset check experiment.yaml --fix bin", 2,
        "bin: already exists; choose a new or empty folder");
    row("dataset shapes --out d --train 0 --val 1", 2, "--train: 0 is not in 1 … 1000000");
    row("dataset shapes --out d --train 1 --val 1 --seed=-1", 2, "--seed: -1: must be ≥ 0");
    row("metrics", 2, "give RUN");
    row("dataset import none --out d", 2, "none: no such file or folder");
    row("dataset import . --out d --from csv", 2,
        "--from 'csv': unknown format; known are coco|lvis|");
    row("dataset import . --out d --val 1", 2, "--val: must be greater than 0 and less than 1");
    row("dataset import . --out file", 2, "file: cannot be created: it is a file");
    row("dataset import . --out d --classes none", 2, "--classes none: ");
    row("dataset export . --to coco --out d", 2,
        "--to 'coco': unknown format; known are labelme|yolo|cvat|masks");
    row("dataset shapes --out file --train 1 --val 1", 2, "file: cannot be created: it is a file");
    row("metrics nowhere", 2, "nowhere: no such run folder");
    row("metrics empty", 2, "empty: is not a run folder");
    row("metrics run --format xml", 2, "--format");
    row("runs nowhere", 2, "nowhere: no such folder");
    row("attach empty", 2, "empty: is not a run folder");
    row("config", 2, "--help");
  }
  void errorIsOneLineWithItsStatus() {
    QFETCH(QString, line);
    QFETCH(int, status);
    QFETCH(QString, expected);
    const auto result = bench_->run(words(line));
    QVERIFY2(contains(result.err, expected.toStdString()), result.err.c_str());
    QCOMPARE(result.status, status);
    QCOMPARE(std::count(result.err.begin(), result.err.end(), '\n'), std::ptrdiff_t{1});
    QVERIFY2(result.out.empty(), result.out.c_str());
    QVERIFY2(!fs::exists(bench_->folder() / "runs"), "nothing is left behind");
    QVERIFY(!fs::exists(bench_->folder() / "p.json"));
  }

  void unusableDataIsRefusedBeforeAFolderIsCreated() {
    std::ofstream(bench_->folder() / "orphan.json")
        << R"({"categories":[{"id":1,"name":"a"}],"images":[],"annotations":[{"id":1,"image_id":9,"category_id":1,"bbox":[0,0,5,5],"area":25,"iscrowd":0,"segmentation":[[0,0,5,0,5,5]]}]})";
    const auto result =
        bench_->run({"train", "experiment.yaml", "--set", "dataset.train.annotations=orphan.json"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "orphan.json"), result.err.c_str());
    QVERIFY(!fs::exists(bench_->folder() / "runs"));
  }

  void valuesThatAreNotUtf8AreRefused() {
    std::vector<std::string> images;
    const auto read = [&](std::vector<const char*> words) {
      words.insert(words.begin(), {"lockstep-engine", "predict", "--images"});
      images.clear();
      return cli::runCommandLine(static_cast<int>(words.size()), words.data(),
                                 [&](cli::Command& program) {
                                   cli::Command command = program.command("predict", "");
                                   command.option("--images", images, "");
                                   command.run([] { return 7; });
                                 });
    };
    QCOMPARE(read({"t\xc3\xbcr.png"}), 7);
    try {
      read({"a.png", "t\xfcr.png"});
      QFAIL("not refused");
    } catch (const Error& error) {
      QCOMPARE(error.what(),
               std::string("lockstep-engine predict: --images: t\xfcr.png: the name is "
                           "not UTF-8: rename the file"));
      QCOMPARE(error.status(), ExitStatus::UserError);
    }
  }

  void helpAndVersionGoToStandardOutput() {
    for (const std::string line :
         {"--help", "train --help", "dataset shapes --help", "config check --help"}) {
      const auto result = bench_->run(words(QString::fromStdString(line)));
      QCOMPARE(result.status, 0);
      QVERIFY2(contains(result.out, "Usage"), line.c_str());
      QVERIFY(result.err.empty());
    }
    const auto version = bench_->run({"--version"});
    QCOMPARE(version.status, 0);
    QVERIFY(contains(version.out, "lockstep-engine " LOCKSTEP_VERSION));
  }

  void helpHasDefaultsAndRequirements() {
    const auto help = [&](const char* line) {
      return bench_->run(words(QString::fromUtf8(line))).out;
    };
    const std::string predict = help("predict --help");
    QVERIFY2(contains(predict, "(default: 0.05)") && contains(predict, "(default: 0.5)") &&
                 contains(predict, "(requires --overlays)") &&
                 contains(predict, "predict RUN|CONFIG (--split val|train | --images PATH...)"),
             predict.c_str());
    const std::string evaluate = help("evaluate --help");
    QVERIFY2(contains(evaluate, "(default: val)") && contains(evaluate, "(requires --out)"),
             evaluate.c_str());
    QVERIFY2(contains(help("dataset shapes --help"), "(default: 1)"), "--seed");
    QVERIFY2(contains(help("train --help"), "lockstep-engine config docs"), "--set");
    QVERIFY2(!contains(help("coco-eval --help"), "Needs:"), "CLI11's own text");
  }

  void helpListsEveryCommand() {
    const auto help = bench_->run({"--help"}).out;
    for (const char* command : {"train", "evaluate", "predict", "inspect", "coco-eval", "config",
                                "advise", "dataset", "metrics", "runs", "attach", "info"}) {
      QVERIFY2(contains(help, std::string("\n  ") + command + " "), command);
    }
  }
};

LOCKSTEP_TEST(TstCommandLine)
#include "tst_command_line.moc"
