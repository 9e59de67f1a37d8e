#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// `train 3 /a.png: is cut off`
std::vector<std::string> listed(const run_folder::Layout& run) {
  std::vector<std::string> lines;
  std::istringstream text(base::readFile(run.badImages()));
  for (std::string line; std::getline(text, line);) {
    const auto json = nlohmann::ordered_json::parse(line);
    if (json.size() != 4) throw Error("other members: " + line);
    lines.push_back(
        json.at("part").get<std::string>() + " " + std::to_string(json.at("step").get<int>()) +
        " " + json.at("file").get<std::string>() + ": " + json.at("reason").get<std::string>());
  }
  return lines;
}

}  // namespace

class TstBadImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachBadImageIsOneLineOfTheFileAndOfTheLog() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 1\nbad-image 1 train /d/a.png is cut off\nscalars 2 2\n"
        "checkpoint 2\nbad-image 3 val /d/b.png is an empty file\nscalars 3 3\nkill 9\n");
    const std::vector<std::string> line{"train", "experiment.yaml", "--output", "run", "--resume"};
    const auto first = bench.run(line);
    QVERIFY2(contains(first.err, "warning: /d/a.png: is cut off: the training image is skipped") &&
                 contains(first.err, "warning: /d/b.png: is an empty file: the validation image"),
             first.err.c_str());
    const run_folder::Layout run(bench.folder() / "run");
    QCOMPARE(listed(run), (std::vector<std::string>{"train 1 /d/a.png: is cut off",
                                                    "val 3 /d/b.png: is an empty file"}));

    // What lies behind the checkpoint is met again; what does not is there already.
    bench.script(
        "state running 2\nbad-image 4 train /d/a.png is cut off\n"
        "bad-image 4 val /d/b.png is an empty file\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n");
    const auto second = bench.run(line);
    QVERIFY2(second.status == 0, second.err.c_str());
    QCOMPARE(listed(run), (std::vector<std::string>{"train 1 /d/a.png: is cut off",
                                                    "val 4 /d/b.png: is an empty file"}));
    int count = 0;
    for (const auto& record : tests::recordsOf(run))
      count += contains(record.json, "image is skipped");
    QCOMPARE(count, 2);
  }

  void failureByABadImageExplainsHowToResume() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 4\ncheckpoint 4 last\n"
        "failed bad-image 1 /d/a.png: is cut off; copy the file again\nexit 1\n");
    const auto result = bench.run(
        {"train", "experiment.yaml", "--output", "run", "--set", "runtime.max_restarts=3"});
    QCOMPARE(result.status, 1);
    const std::string line = "lockstep-engine train " + (bench.folder() / "run").string();
    QVERIFY2(contains(result.err,
                      "/d/a.png: is cut off; copy the file again; resume from step 4 with `" +
                          line + " --resume` (add --accept-data if you changed the " +
                          "annotations), or skip unreadable images with `" + line +
                          " --resume --set dataset.bad_images=skip`"),
             result.err.c_str());
    QVERIFY2(!contains(result.err, "restart 1"), "it would meet the same image again");
    const run_folder::Layout run(bench.folder() / "run");
    QCOMPARE(run_folder::readRunInfo(run).error->cause.text(), std::string("bad image"));
    bench.script("scalars 5 6\ncheckpoint 6 last\nfinish 6\n");
    const auto resumed =
        bench.run({"train", "run", "--resume", "--set", "dataset.bad_images=skip"});
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    QVERIFY(contains(bench.lastJob().configYaml, "bad_images: skip"));
  }

  /// Nothing is wrong with the image: what was there before is there after a while.
  void machineErrorResumesFromTheSameStep() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 4\ncheckpoint 4 last\n"
        "failed system 1 /nfs/a.png: cannot read: Input/output error\nexit 1\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "run"});
    QCOMPARE(result.status, 1);
    QVERIFY2(
        contains(result.err, "/nfs/a.png: cannot read: Input/output error") &&
            contains(result.err, "; `lockstep-engine train " + (bench.folder() / "run").string() +
                                     " --resume` resumes from step 4"),
        result.err.c_str());
    QVERIFY2(!contains(result.err, "bad_images=skip"), result.err.c_str());
  }

  void missingImagesAreSkippedIfConfigured() {
    EngineBench bench;
    fs::remove(bench.folder() / "train/train2.png");
    bench.script("scalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml"}).status, 2);
    const auto skips = bench.run({"train", "experiment.yaml", "--set", "dataset.bad_images=skip"});
    QVERIFY2(skips.status == 0, skips.err.c_str());
    QVERIFY2(contains(skips.err, "1 of the 4 images in the annotations is missing"),
             skips.err.c_str());
  }
};

LOCKSTEP_TEST(TstBadImages)
#include "tst_bad_images.moc"
