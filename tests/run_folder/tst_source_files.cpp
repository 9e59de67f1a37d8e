#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/source_files.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::contains;

namespace {

constexpr const char* kOwn =
    "# mine\nbase: ../configs/small.yaml  # the preset\n\nname: drops\n"
    "dataset:\n  train: {images: data/train}\n";
constexpr const char* kSmall = "# for a CPU\r\nbase: big.yaml\nsolver: {base_lr: 0.01}\n";
constexpr const char* kBig = "solver: {momentum: 0.8}  # no line break at the end";

}  // namespace

/// The experiment file and its bases as a run keeps them, and the way back to an editable file.
class TstSourceFiles : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;

  fs::path at(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  void write(const char* name, const std::string& text) const {
    fs::create_directories(at(name).parent_path());
    base::writeFileAtomically(at(name), text);
  }
  Layout run() const { return Layout(at("run")); }
  /// As `train` does.
  void start(const fs::path& file, const std::vector<std::string>& overrides = {}) const {
    const auto loaded = config::loadExperiment(file, overrides);
    write("run/config.yaml", config::writeExperiment(loaded.experiment));
    writeSource(run(), sourceOf(loaded));
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    write("mine/drops.yaml", kOwn);
    write("configs/small.yaml", kSmall);
    write("configs/big.yaml", kBig);
    fs::create_directories(at("mine/data/train"));
  }

  void theFilesAreKeptByteForByteWithTheirPlaces() {
    start(at("mine/drops.yaml"));
    QCOMPARE(base::readFile(at("run/source/mine/drops.yaml")), std::string(kOwn));
    QCOMPARE(base::readFile(at("run/source/configs/small.yaml")), std::string(kSmall));
    QCOMPARE(base::readFile(at("run/source/configs/big.yaml")), std::string(kBig));
    const auto copy = config::loadExperiment(at("run/source/mine/drops.yaml"));
    QVERIFY(copy.isComplete);
    QCOMPARE(copy.experiment.solver.momentum, 0.8);
    const auto source = readSource(run());
    QVERIFY(source);
    QCOMPARE(source->files.front().string(), std::string("mine/drops.yaml"));
    QVERIFY(source->overrides.empty());
  }

  void aFileBesideItsBasesIsAtTheTop() {
    write("one.yaml", "base: configs/big.yaml\n");
    start(at("one.yaml"));
    QVERIFY(fs::exists(at("run/source/one.yaml")));
    QVERIFY(fs::exists(at("run/source/configs/big.yaml")));
  }

  void aFileWithTheNameOfTheListIsKeptBesideIt() {
    write("mine/source.json", "base: ../configs/big.yaml\n");
    write("mine/only/source.json", "{name: x}\n");
    start(at("mine/only/source.json"));
    QVERIFY(readSource(run()));
    QCOMPARE(base::readFile(at("run/source/only/source.json")), std::string("{name: x}\n"));
  }

  void theCopyToEditIsTheShortFileWithTheOverrides() {
    start(at("mine/drops.yaml"),
          {"solver.max_steps=12 epochs", "name=two: words", "augment.min_size=[256, 320]"});
    const auto text = editableCopy(run(), at("elsewhere"));
    QVERIFY(text);
    QVERIFY2(contains(*text, "# mine\nbase: ../configs/small.yaml  # the preset\n"), text->c_str());
    QVERIFY2(contains(*text, "images: ../mine/data/train"), text->c_str());
    const auto copy = config::loadExperimentText(*text, at("elsewhere/copy.yaml"));
    const auto whole = config::loadExperiment(run().config());
    QVERIFY2(config::difference(copy.experiment, whole.experiment).empty(), text->c_str());
  }

  void aBaseThatChangedIsTheRunsCopy() {
    start(at("mine/drops.yaml"));
    write("configs/big.yaml", "solver: {momentum: 0.1}\n");
    const auto text = editableCopy(run(), at("elsewhere"));
    QVERIFY(text);
    QVERIFY2(contains(*text, "run/source/configs/small.yaml  # the preset"), text->c_str());
    const auto copy = config::loadExperimentText(*text, at("elsewhere/copy.yaml"));
    QCOMPARE(copy.experiment.solver.momentum, 0.8);
  }

  void aChangedBaseOfAnAbsolutePathIsNotToBeHad() {
    write("configs/small.yaml", "base: " + at("configs/big.yaml").string() + "\n");
    start(at("mine/drops.yaml"));
    QVERIFY(editableCopy(run(), at("elsewhere")));
    write("configs/big.yaml", "solver: {momentum: 0.1}\n");
    QVERIFY(!editableCopy(run(), at("elsewhere")));
  }

  void anEditedConfigHasNoSource() {
    start(at("mine/drops.yaml"));
    write("run/config.yaml", base::readFile(run().config()) + "# by hand\n");
    QVERIFY(!readSource(run()));
    QVERIFY(!editableCopy(run(), at("elsewhere")));
  }

  void whatWasThereIsReplaced() {
    start(at("mine/drops.yaml"));
    write("one.yaml", "name: one\n");
    start(at("one.yaml"));
    QVERIFY(!fs::exists(at("run/source/mine")));
    QCOMPARE(readSource(run())->texts.front(), std::string("name: one\n"));
  }

  void laterOverridesReplaceEarlierOnes() {
    SourceFiles source;
    source.overrides = {"solver.max_steps=10", "name=a"};
    addOverrides(source, {"solver.max_steps=20"});
    QCOMPARE(source.overrides, (std::vector<std::string>{"name=a", "solver.max_steps=20"}));
  }

  void aRunOfAnEarlierVersionHasNone() {
    write("run/config.yaml", "name: x\n");
    QVERIFY(!readSource(run()));
    QVERIFY(!editableCopy(run(), at("elsewhere")));
  }
};

LOCKSTEP_TEST(TstSourceFiles)
#include "tst_source_files.moc"
