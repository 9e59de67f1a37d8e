#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;

class TstConfigCommand : public QObject {
  Q_OBJECT

 private:
  static void write(const EngineBench& bench, const char* name, const std::string& text) {
    std::filesystem::create_directories((bench.folder() / name).parent_path());
    base::writeFileAtomically(bench.folder() / name, text);
  }

 private Q_SLOTS:
  void aValidFilePrintsOneLine() {
    EngineBench bench;
    write(bench, "a.yaml",
          "model: {backbone: resnet18}\nsolver: {max_steps: 12 epochs, batch_size: 1}\n");
    const auto result = bench.run({"config", "check", "a.yaml"});
    QCOMPARE(result.status, 0);
    QCOMPARE(result.out,
             std::string("a.yaml: OK: resnet18, group norm, from scratch; 12 epochs of 1 image\n"));
    QCOMPARE(result.err, std::string());
  }

  void commandsOnEventsAreNamed() {
    EngineBench bench;
    write(bench, "a.yaml", "monitor: {on_event: {end: rm -rf /, best: 'true', alert: null}}\n");
    const auto result = bench.run({"config", "check", "a.yaml"});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.out.ends_with("; runs commands on: best, end\n"), result.out.c_str());
  }

  void everyErrorIsALine() {
    EngineBench bench;
    write(bench, "a.yaml", "solver:\n  base_rl: 1\n  gamma: x\n");
    const auto result =
        bench.run({"config", "check", "a.yaml", "--set", "runtime.sed=1", "--set", "name=b"});
    QCOMPARE(result.status, 2);
    QCOMPARE(result.out, std::string());
    QCOMPARE(result.err,
             std::string("a.yaml:2:3: solver.base_rl: unknown key; did you mean solver.base_lr?\n"
                         "a.yaml:3:10: solver.gamma: x is not a number\n"
                         "--set: runtime.sed: unknown key; did you mean runtime.seed?\n"));
  }

  void warningsLeaveTheFileValid() {
    EngineBench bench;
    write(bench, "a.yaml", "solver: {max_steps: 10}\n");
    const auto result = bench.run({"config", "check", "a.yaml"});
    QCOMPARE(result.status, 0);
    QVERIFY(
        result.err.find("warning: the warm-up of 500 steps is longer than solver.max_steps (10)") !=
        std::string::npos);
    QVERIFY(result.out.starts_with("a.yaml: OK: "));
  }

  void dataIsCheckedWithTheDataFlag() {
    EngineBench bench;
    write(bench, "a.yaml", "name: a\n");
    QCOMPARE(bench.run({"config", "check", "a.yaml"}).status, 0);
    const auto result = bench.run({"config", "check", "a.yaml", "--data"});
    QCOMPARE(result.status, 2);
    QVERIFY(result.err.starts_with("a.yaml: dataset.train.images: is not given"));
  }

  void realDataIsSummarised() {
    const auto droplets = tests::realData("droplets");
    if (droplets.empty()) QSKIP("LOCKSTEP_TEST_DATA has no droplets");
    EngineBench bench;
    write(bench, "a.yaml",
          "base: " + (tests::sourceFolder() / "configs/cpu_small.yaml").string() +
              "\ndataset:\n  train: {images: " + (droplets / "train").string() +
              ", annotations: " + (droplets / "annotations/instances_train.json").string() +
              "}\n  val: {images: " + (droplets / "val").string() +
              ", annotations: " + (droplets / "annotations/instances_val.json").string() + "}\n");
    const auto result = bench.run({"config", "check", "a.yaml", "--data"});
    QVERIFY2(contains(result.err,
                      ": model.anchors.sizes: warning: no anchor has an IoU of 0.5 with 29 % of "
                      "the 1009 training objects"),
             result.err.c_str());
    QCOMPARE(std::count(result.err.begin(), result.err.end(), '\n'), 1);
    QCOMPARE(result.status, 0);
    QVERIFY2(
        result.out.find(
            "60 training images (1009 objects), 12 validation images (229 objects), 1 class; 400 "
            "steps = 13.3 epochs; largest batch 2 x ") != std::string::npos,
        result.out.c_str());
  }

  void workerIssuesAreReportedAtTheirKey() {
    EngineBench bench;
    bench.script(
        R"(finish 0 result {"train":{"looked_at":4,"all":90,"faults":{"count":2,"ids":[3,8],"first":"a.png: is cut off"}},"val":{"looked_at":2,"all":2,"dark":{"count":1,"ids":[7],"first":"b.png: is dark"}},"weights":{"fault":"model.weights: w: no","status":2}})"
        "\n",
        "check");
    const auto bad = bench.run({"config", "check", "experiment.yaml", "--data"});
    QCOMPARE(bad.status, 2);
    QVERIFY2(bad.err.starts_with("experiment.yaml: model.anchors.sizes: warning: "),
             bad.err.c_str());
    QCOMPARE(
        bad.err.substr(bad.err.find('\n') + 1),
        std::string("experiment.yaml:3:19: dataset.train.images: 2 of 4 checked images (90 in "
                    "total) cannot be used (image ids 3, 8): a.png: is cut off\n"
                    "experiment.yaml:4:17: dataset.val.images: warning: 1 of 2 images is nearly "
                    "black after loading (image id 7): b.png: is dark\n"
                    "experiment.yaml: model.weights: w: no\n"));
    bench.script(
        R"(finish 0 result {"train":{"looked_at":64,"all":90},"val":{"looked_at":2,"all":2}})"
        "\n",
        "check");
    const auto good = bench.run({"config", "check", "experiment.yaml", "--data"});
    QCOMPARE(good.status, 0);
    QVERIFY2(
        good.out.ends_with("; checked 64 of 90 training images and 2 of 2 validation images\n"),
        good.out.c_str());
    QCOMPARE(bench.lastJob<protocol::CheckJob>().imagesPerSplit, 64);
  }

  void shownExperimentLoadsAgain() {
    EngineBench bench;
    write(bench, "ground.yaml", "solver: {gamma: 0.5}\n");
    write(bench, "a.yaml", "base: ground.yaml\n\nname: shown\n");
    const auto plain = bench.run({"config", "show", "a.yaml", "--set", "runtime.seed=9"});
    QCOMPARE(plain.status, 0);
    QVERIFY(plain.out.find("#") == std::string::npos);
    write(bench, "b.yaml", plain.out);
    const auto same = bench.run({"config", "diff", "a.yaml", "b.yaml"});
    QCOMPARE(same.status, 0);
    QCOMPARE(same.out, std::string("runtime.seed: 1 -> 9\n"));
    const auto origins =
        bench.run({"config", "show", "a.yaml", "--origins", "--set", "runtime.seed=9"});
    QVERIFY(origins.out.find("\nname: shown") == std::string::npos);
    QVERIFY(origins.out.starts_with("name: shown  # from a.yaml:3\n"));
    QVERIFY(origins.out.find("\n  gamma: 0.5  # from ground.yaml:1\n") != std::string::npos);
    QVERIFY(origins.out.find("\n  seed: 9  # from --set\n") != std::string::npos);
  }

  void differencesTakeFilesAndRunFolders() {
    EngineBench bench;
    write(bench, "a.yaml", "solver: {base_lr: 0.1, max_steps: 1 epoch}\n");
    write(bench, "run/config.yaml", "model: {norm: batch}\n");
    const auto result = bench.run({"config", "diff", "run", "a.yaml"});
    QCOMPARE(result.status, 0);
    QCOMPARE(result.out, std::string("model.norm: batch -> auto\nsolver.base_lr: 0.02 -> 0.1\n"
                                     "solver.max_steps: 90000 -> 1 epoch\n"));
    QCOMPARE(bench.run({"config", "diff", "a.yaml", "none.yaml"}).status, 2);
    const auto shown = bench.run({"config", "show", "run"});
    QCOMPARE(shown.status, 0);
    QCOMPARE(shown.out, bench.run({"config", "show", "run/config.yaml"}).out);
    QVERIFY2(shown.out.find("norm: batch\n") != std::string::npos, shown.out.c_str());
    const auto refused = bench.run({"config", "show", "x"});
    QCOMPARE(refused.status, 2);
    QCOMPARE(refused.err, std::string("x/config.yaml: no such file\n"));
  }

  void referenceAndSchemaGoToStandardOutput() {
    EngineBench bench;
    const auto docs = bench.run({"config", "docs"});
    QCOMPARE(docs.status, 0);
    QVERIFY(docs.out.starts_with("# The experiment file\n"));
    const auto schema = bench.run({"config", "schema"});
    QCOMPARE(schema.status, 0);
    QVERIFY(nlohmann::json::parse(schema.out).contains("properties"));
  }

  /// The experiment of `dataset shapes`, before its data are made.
  void theExperimentOfMadeScenesGoesThereToo() {
    EngineBench bench;
    const auto shapes = bench.run({"config", "shapes"});
    QCOMPARE(shapes.status, 0);
    write(bench, "a.yaml", shapes.out);
    for (const char* folder : {"train", "val"})
      std::filesystem::create_directory(bench.folder() / folder);
    for (const char* split : {"train", "val"})
      write(bench, ("annotations/instances_" + std::string(split) + ".json").c_str(), "{}");
    const auto result = bench.run({"config", "check", "a.yaml"});
    QVERIFY2(result.status == 0, result.err.c_str());
  }
};

LOCKSTEP_TEST(TstConfigCommand)

#include "tst_config_command.moc"
