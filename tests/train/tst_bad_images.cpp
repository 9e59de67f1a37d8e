// Images that cannot be read, in training and held out, on one and several ranks.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/run_folder/training_state.h"
#include "engine/scenes/made_scenes.h"
#include "tests/dist/ranks.h"
#include "tests/support/contains.h"
#include "tests/support/long_tests.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::contains;
using tests::onRanks;
using tests::Session;
namespace fs = std::filesystem;

namespace {

constexpr int kRunSteps = 5;
constexpr int kImages = 12;  ///< an epoch is fewer than kRunSteps batches of 4 or 3

/// Half of a PNG.
void cutOff(const fs::path& file) {
  const std::string bytes = base::readFile(file);
  base::writeFileAtomically(file, bytes.substr(0, bytes.size() / 2));
}

struct World {
  int ranks = 1;
  int parts = 1;
};

}  // namespace

class TstBadImages : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  int folders_ = 0;

  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  std::string newName() { return "run" + std::to_string(++folders_) + "-"; }

  /// A copy of the data to do harm to.
  fs::path copyOfData() {
    const fs::path copy = path("data" + std::to_string(++folders_));
    fs::copy(path("shapes"), copy, fs::copy_options::recursive);
    return copy;
  }

  config::Experiment experiment(const fs::path& data, const World& world) const {
    config::Experiment made = tests::smallExperiment(data, kRunSteps);
    made.runtime.cpuThreads = 1;
    made.monitor.logEvery = {1};
    made.monitor.predictionsEvery = {0};
    made.evaluation.lossEvery = {0};
    made.evaluation.apEvery = {0};
    made.evaluation.maxImages = 1;
    made.solver.batchSize = world.ranks == 3 ? 3 : 4;
    made.solver.accumulate = world.parts;
    made.checkpoint.every = {0};  // nothing but the last step, or what a fault asks for
    return made;
  }

  coco::Dataset trainSet() const {
    return coco::Dataset::load(path("shapes/annotations/instances_train.json"));
  }

  /// The image that training meets last for the first time, and in which step.
  struct Last {
    std::string file;
    ImageId id;
    std::int64_t step = 0;
    int rank = 0;
  };
  Last lastMet(const config::Experiment& made, const World& world) const {
    const coco::Dataset dataset = trainSet();
    std::map<std::size_t, Last> first;
    for (std::int64_t step = kRunSteps; step >= 1; --step) {
      for (int rank = 0; rank < world.ranks; ++rank) {
        const data::Sampler sampler(dataset, data::samplerOptions(made, rank, world.ranks));
        for (int part = world.parts - 1; part >= 0; --part) {
          for (const auto& draw : sampler.imagesOf(step, part)) {
            const coco::Image& image = dataset.images()[draw.imageIndex];
            first[draw.imageIndex] = {image.fileName, image.id, step, rank};
          }
        }
      }
    }
    Last last;
    for (const auto& [index, met] : first)
      if (met.step > last.step) last = met;
    return last;
  }

  /// Trains on all ranks; returns what each of them threw.
  std::vector<std::string> train(const std::string& name, const World& world,
                                 const std::function<config::Experiment(int rank)>& experimentOf,
                                 std::int64_t resumeFrom = 0,
                                 const std::function<void(Session&, int rank)>& look = {},
                                 const std::string& from = "") {
    std::vector<std::string> said(static_cast<std::size_t>(world.ranks));
    std::mutex mutex;
    onRanks(world.ranks, [&](dist::World& ranks) {
      const int rank = ranks.rank();
      Session session(experimentOf(rank), path(name + std::to_string(rank)), ranks);
      try {
        if (resumeFrom > 0) {
          const run_folder::Layout source(path((from.empty() ? name : from) + "0"));
          session.trainer.resume(rank == 0 ? source.checkpoint(resumeFrom) : fs::path("/nowhere"));
        }
        session.trainer.run();
      } catch (const Error& error) {
        said[static_cast<std::size_t>(rank)] = error.what();
      }
      const std::lock_guard lock(mutex);
      if (look) look(session, rank);
    });
    return said;
  }

  /// Trains until an image that no rank reads; returns the error, which all ranks throw.
  std::vector<std::string> failsAt(const Last& last, const std::string& run, const World& world,
                                   const config::Experiment& broken) {
    std::vector<protocol::CheckpointReady> kept;
    std::size_t skipped = 0;
    auto said = train(
        run, world, [&](int) { return broken; }, 0,
        [&](Session& session, int rank) {
          skipped += session.observer.badImages.size();
          if (rank == 0) kept = session.observer.checkpoints;
        });
    for (const std::string& text : said)
      if (text != said[0]) throw Error(text + " is not " + said[0]);
    if (skipped > 0) throw Error("an image was skipped");
    if (kept.size() != 1 || kept[0].step != last.step - 1 || !kept[0].last)
      throw Error("the last complete step is not saved");
    return said;
  }
  /// Goes on from the saved step to the bits of `whole`, which it has there already.
  void goesOnAs(const std::string& whole, const std::string& run, const Last& last,
                const World& world, const config::Experiment& mended) {
    QVERIFY(bitsOf(run, last.step - 1) == bitsOf(whole, last.step - 1));
    const auto again = train(
        run, world, [&](int) { return mended; }, last.step - 1);
    QVERIFY2(again[0].empty(), again[0].c_str());
    QVERIFY(bitsOf(run, kRunSteps) == bitsOf(whole, kRunSteps));
  }

  /// Model and optimizer of a checkpoint.
  std::string bitsOf(const std::string& name, std::int64_t step) const {
    const fs::path checkpoint = run_folder::Layout(path(name + "0")).checkpoint(step);
    return base::readFile(checkpoint / "model.safetensors") +
           base::readFile(checkpoint / "optimizer.safetensors");
  }
  run_folder::TrainingState stateOf(const std::string& name, std::int64_t step) const {
    return run_folder::readTrainingState(run_folder::Layout(path(name + "0")).checkpoint(step));
  }

  static void addTwoWorlds() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("parts");
    QTest::newRow("1 rank") << 1 << 1;
    QTest::newRow("2 ranks of 2 parts") << 2 << 2;
  }
  static void addWorlds() {
    addTwoWorlds();
    QTest::newRow("3 ranks") << 3 << 1;
    if (!tests::runsLongTests()) return;  // the rows above combine these
    QTest::newRow("1 rank of 2 parts") << 1 << 2;
    QTest::newRow("2 ranks") << 2 << 1;
  }

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    scenes::writeMadeScenes({path("shapes"), kImages, 3, 5});
  }
  void cleanup() { tests::removeRuns(path("")); }

  void lastCompleteStepIsSavedOnAllRanks_data() { addWorlds(); }
  /// As if the run had been stopped there: mended, it goes on with the bits of one that never met
  /// the image, or the error of the machine. Norms with statistics show that no part of a broken
  /// step is in the checkpoint.
  void lastCompleteStepIsSavedOnAllRanks() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    const World world{ranks, parts};
    config::Experiment made = experiment(path("shapes"), world);
    made.model.norm = parts > 1 ? config::Norm::Batch : config::Norm::Group;
    const Last last = lastMet(made, world);
    QVERIFY2(last.step > 1, "there is a step to lose");
    config::Experiment kept = made;
    kept.checkpoint.every = {double(last.step - 1)};
    const std::string whole = newName();
    train(whole, world, [&](int) { return kept; });

    const fs::path data = copyOfData();
    const fs::path file = data / "train" / last.file;
    config::Experiment broken = made;
    broken.dataset.train.images = (data / "train").string();
    cutOff(file);
    std::string run = newName();
    for (const std::string& text : failsAt(last, run, world, broken)) {
      QVERIFY2(contains(text, file.string() + ": is truncated"), text.c_str());
      QVERIFY(contains(text, "copy the file again"));
    }
    fs::copy_file(path("shapes/train/" + last.file), file, fs::copy_options::overwrite_existing);
    goesOnAs(whole, run, last, world, broken);

    if (ranks != parts) return;  // two worlds show that an error of the machine skips no image
    broken.dataset.badImages = config::BadImages::Skip;
    fs::rename(file, data / "aside");
    fs::create_symlink("/proc/self/mem", file);  // reading its beginning is an I/O error
    run = newName();
    for (const std::string& text : failsAt(last, run, world, broken))
      QCOMPARE(text, file.string() + ": cannot read: Input/output error");
    fs::rename(data / "aside", file);
    goesOnAs(whole, run, last, world, broken);
    QCOMPARE(stateOf(run, kRunSteps).badImages, std::vector<std::int64_t>{});
  }

  void skippingDependsOnTheListOnly_data() { addWorlds(); }
  /// Killed and resumed before and after the step that meets an image, with other loader
  /// threads, and switched on by a resume: the bits of the run that went on.
  void skippingDependsOnTheListOnly() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    const World world{ranks, parts};
    const fs::path data = copyOfData();
    config::Experiment skips = experiment(data, world);
    const Last last = lastMet(skips, world);
    cutOff(data / "train" / last.file);
    // And one that the first epoch meets in its middle.
    const coco::Dataset dataset = trainSet();
    const data::Sampler sampler(dataset, data::samplerOptions(skips, ranks - 1, ranks));
    const coco::Image& other = dataset.images()[sampler.imagesOf(2, 0)[0].imageIndex];
    QVERIFY(other.id != last.id);
    base::writeFileAtomically(data / "train" / other.fileName, "no image");
    skips.dataset.badImages = config::BadImages::Skip;
    skips.dataset.loaderThreads = 1;
    skips.checkpoint.every = {1};

    const std::string whole = newName();
    std::vector<protocol::BadImage> told;
    const auto said = train(
        whole, world, [&](int) { return skips; }, 0,
        [&](Session& session, int rank) {
          if (rank == 0) told = session.observer.badImages;
        });
    QVERIFY2(said[0].empty(), said[0].c_str());
    QCOMPARE(told.size(), std::size_t{2});
    QCOMPARE(told[0].file, (data / "train" / other.fileName).string());
    QCOMPARE(told[0].split, protocol::Split::Train);
    QCOMPARE(told[0].step, std::int64_t{2});
    QVERIFY2(contains(told[0].reason, "is not a supported image"), told[0].reason.c_str());
    QCOMPARE(told[1].step, last.step);
    std::vector<std::int64_t> ids{other.id.value, last.id.value};
    std::ranges::sort(ids);
    QCOMPARE(stateOf(whole, kRunSteps).badImages, ids);
    QCOMPARE(stateOf(whole, 1).badImages, std::vector<std::int64_t>{});

    skips.dataset.loaderThreads = 3;
    skips.checkpoint.every = {0};
    for (const std::int64_t step : {last.step - 1, last.step}) {
      const std::string resumed = newName();
      train(
          resumed, world, [&](int) { return skips; }, step, {}, whole);
      QVERIFY2(bitsOf(resumed, kRunSteps) == bitsOf(whole, kRunSteps),
               std::to_string(step).c_str());
      QCOMPARE(stateOf(resumed, kRunSteps).badImages, ids);
    }

    config::Experiment fails = skips;
    fails.dataset.badImages = config::BadImages::Fail;
    const std::string switched = newName();
    QVERIFY(!train(switched, world, [&](int) { return fails; })[0].empty());
    train(
        switched, world, [&](int) { return skips; }, 1);
    QVERIFY(bitsOf(switched, kRunSteps) == bitsOf(whole, kRunSteps));
  }

  /// What one rank's machine cannot read all leave out, also a rank that has it.
  void anImageThatIsBadOnOneMachineIsBadForAll_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("2 ranks") << 2;
    QTest::newRow("3 ranks") << 3;
  }
  void anImageThatIsBadOnOneMachineIsBadForAll() {
    QFETCH(int, ranks);
    const World world{ranks, 1};
    const fs::path others = copyOfData();
    config::Experiment made = experiment(path("shapes"), world);
    const data::Sampler sampler(trainSet(), data::samplerOptions(made, ranks - 1, ranks));
    const coco::Dataset dataset = trainSet();
    const coco::Image& bad = dataset.images()[sampler.imagesOf(1, 0)[0].imageIndex];
    cutOff(others / "train" / bad.fileName);
    const auto experimentOf = [&](config::BadImages badImages) {
      return [&, badImages](int rank) {
        config::Experiment own = made;
        own.dataset.badImages = badImages;
        if (rank == ranks - 1) own.dataset.train.images = (others / "train").string();
        return own;
      };
    };
    const auto failed = train(newName(), world, experimentOf(config::BadImages::Fail));
    for (const std::string& text : failed)
      QVERIFY2(contains(text, (others / "train" / bad.fileName).string()), text.c_str());

    const std::string run = newName();
    std::vector<std::string> weights(static_cast<std::size_t>(ranks));
    const auto said = train(
        run, world, experimentOf(config::BadImages::Skip), 0, [&](Session& session, int rank) {
          for (const auto& [name, tensor] : session.trainer.model().namedState()) {
            const at::Tensor flat = tensor.detach().contiguous();
            weights[static_cast<std::size_t>(rank)].append(
                static_cast<const char*>(flat.const_data_ptr()), flat.nbytes());
          }
        });
    QVERIFY2(said[0].empty(), said[0].c_str());
    for (const std::string& own : weights) QVERIFY(own == weights[0]);
    QCOMPARE(stateOf(run, kRunSteps).badImages, std::vector<std::int64_t>{bad.id.value});

    // As where it is bad for everybody.
    const std::string everywhere = newName();
    train(everywhere, world, [&](int) {
      config::Experiment own = made;
      own.dataset.badImages = config::BadImages::Skip;
      own.dataset.train.images = (others / "train").string();
      return own;
    });
    QVERIFY(bitsOf(everywhere, kRunSteps) == bitsOf(run, kRunSteps));
  }

  void noReadableImageIsOneErrorLine_data() { addTwoWorlds(); }
  void noReadableImageIsOneErrorLine() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    const World world{ranks, parts};
    const fs::path data = copyOfData();
    for (const auto& entry : fs::directory_iterator(data / "train")) cutOff(entry.path());
    config::Experiment made = experiment(data, world);
    made.dataset.badImages = config::BadImages::Skip;
    std::size_t told = 0;
    const auto said = train(
        newName(), world, [&](int) { return made; }, 0,
        [&](Session& session, int) { told += session.observer.badImages.size(); });
    for (const std::string& text : said) {
      QVERIFY2(contains(text, "dataset.train: none of the 12 images can be read"), text.c_str());
      QVERIFY(!contains(text, "\n"));
    }
    QCOMPARE(told, std::size_t{0});
  }

  void badHeldOutImageDoesNotRepeatAStep_data() { addTwoWorlds(); }
  void badHeldOutImageDoesNotRepeatAStep() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    const World world{ranks, parts};
    const fs::path data = copyOfData();
    config::Experiment made = experiment(data, world);
    made.evaluation.maxImages = 0;
    made.evaluation.lossEvery = {3};
    const coco::Dataset heldOut = coco::Dataset::load(made.dataset.val.annotations);
    const std::string file = (data / "val" / heldOut.images()[1].fileName).string();
    cutOff(file);
    const std::string run = newName();
    for (const std::string& text : train(run, world, [&](int) { return made; }))
      QVERIFY2(contains(text, file + ": is truncated"), text.c_str());
    const run_folder::Layout layout(path(run + "0"));
    QCOMPARE(run_folder::checkpointSteps(layout), std::vector<std::int64_t>{3});
    QVERIFY(stateOf(run, 3).lacksEvaluation);

    // Mended, the evaluation that was due there is made up for.
    fs::copy_file(path("shapes/val/" + fs::path(file).filename().string()), file,
                  fs::copy_options::overwrite_existing);
    const std::string whole = newName();
    train(whole, world, [&](int) { return made; });
    train(
        run, world, [&](int) { return made; }, 3);
    for (const std::int64_t step : {std::int64_t{3}, std::int64_t{kRunSteps}}) {
      QVERIFY2(base::readFile(layout.evaluation(step)) ==
                   base::readFile(run_folder::Layout(path(whole + "0")).evaluation(step)),
               std::to_string(step).c_str());
    }
    QVERIFY(bitsOf(run, kRunSteps) == bitsOf(whole, kRunSteps));
    QVERIFY2(!stateOf(run, 3).lacksEvaluation, "killed after it, a run would owe it still");
  }

  void heldOutMetricsExcludeBadImages_data() { addWorlds(); }
  /// Left out, it is as if the annotations did not have it.
  void heldOutMetricsExcludeBadImages() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    const World world{ranks, parts};
    const fs::path data = copyOfData();
    config::Experiment made = experiment(data, world);
    made.evaluation.maxImages = 0;
    made.evaluation.lossEvery = {kRunSteps};
    made.evaluation.apEvery = {kRunSteps};
    made.monitor.predictionsEvery = {3};
    made.dataset.badImages = config::BadImages::Skip;
    const coco::Dataset heldOut = coco::Dataset::load(made.dataset.val.annotations);
    const coco::Image& bad = heldOut.images()[1];

    const fs::path fewer = path("fewer" + std::to_string(++folders_) + ".json");
    std::vector<coco::Image> images;
    std::vector<coco::Annotation> annotations;
    for (std::size_t i = 0; i < heldOut.images().size(); ++i) {
      if (i == 1) continue;
      images.push_back(heldOut.images()[i]);
      for (const coco::Annotation& annotation : heldOut.annotationsOf(i))
        annotations.push_back(annotation);
    }
    coco::saveDataset(coco::Dataset::fromParts(images, heldOut.categories(), annotations, "fewer"),
                      fewer);
    config::Experiment without = made;
    without.dataset.val.annotations = fewer.string();
    const std::string expected = newName(), run = newName();
    train(expected, world, [&](int) { return without; });

    cutOff(data / "val" / bad.fileName);
    std::vector<protocol::BadImage> told;
    const auto said = train(
        run, world, [&](int) { return made; }, 0,
        [&](Session& session, int rank) {
          if (rank == 0) told = session.observer.badImages;
        });
    QVERIFY2(said[0].empty(), said[0].c_str());
    const auto jsonOf = [&](const std::string& name, bool ofPredictions) {
      const run_folder::Layout layout(path(name + "0"));
      return nlohmann::ordered_json::parse(
          base::readFile(ofPredictions ? layout.predictions(3) : layout.evaluation(kRunSteps)));
    };
    nlohmann::ordered_json found = jsonOf(run, false);
    QCOMPARE(found.at("bad_images").get<int>(), 1);
    QCOMPARE(found.at("images").get<int>(), 2);
    found.erase("bad_images");
    QCOMPARE(found.dump(), jsonOf(expected, false).dump());
    QCOMPARE(jsonOf(run, true).dump(), jsonOf(expected, true).dump());
    QCOMPARE(told.size(), std::size_t{1});  // once, though it was met twice
    QCOMPARE(told[0].split, protocol::Split::Val);
    QCOMPARE(told[0].imageId, bad.id.value);
    QCOMPARE(told[0].step, std::int64_t{3});
  }
};

LOCKSTEP_TEST(TstBadImages)
#include "tst_bad_images.moc"
