#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/run_folder/weights_metadata.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::messageOf;

namespace {

run_folder::TrainingState someState() {
  run_folder::TrainingState state;
  state.step = 500;
  state.best = run_folder::Best{"segm/AP", 0.1 + 0.2, 400};
  state.seed = 7;
  state.batchSize = 16;
  state.accumulate = 2;
  state.workers = 1;
  state.cpuThreads = 2;
  state.device = "cpu";
  state.optimizer = "sgd";
  state.version = "0.1.0";
  return state;
}

checkpoint::ModelFacts someFacts() {
  return {{3, 18}, {"car", "dög \"1\""}, "resnet18", "group", 1e-5, {}};
}

run_folder::TrainingState withoutChecksums(run_folder::TrainingState state) {
  state.files.clear();
  return state;
}

}  // namespace

class TstCheckpoint : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  void save(const std::filesystem::path& folder) const {
    checkpoint::saveCheckpoint(folder, {{"w", torch::arange(6, torch::kFloat)}}, someFacts(),
                               {{"momentum_buffer.w", torch::ones({6})}}, someState());
  }

 private Q_SLOTS:
  void checkpointsRoundTrip() {
    save(path("step-00000500"));
    const checkpoint::Checkpoint loaded = checkpoint::loadCheckpoint(path("step-00000500"));
    QVERIFY(torch::equal(*loaded.model.find("w"), torch::arange(6, torch::kFloat)));
    QCOMPARE(loaded.optimizer.size(), std::size_t{1});
    QCOMPARE(loaded.optimizer[0].first, std::string("momentum_buffer.w"));
    QCOMPARE(loaded.state.files.size(), std::size_t{2});
    QVERIFY(withoutChecksums(loaded.state) == someState());
    QVERIFY(!run_folder::checkpointError(path("step-00000500")));
    checkpoint::ModelFacts facts = someFacts();
    facts.step = someState().step;
    QVERIFY(facts.step > 0 && checkpoint::modelFacts(loaded.model) == facts);
    QCOMPARE(run_folder::trainedStepOfWeights(path("step-00000500") / "model.safetensors"),
             std::optional(facts.step));
  }

  void onlyTheThreeFilesAreLeft() {
    save(path("a"));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path("a"))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    QVERIFY((names ==
             std::vector<std::string>{"model.safetensors", "optimizer.safetensors", "state.json"}));
  }

  void aNonFiniteBestRoundTrips() {
    run_folder::TrainingState state = someState();
    state.best->value = std::numeric_limits<double>::infinity();
    checkpoint::saveCheckpoint(path("b"), {}, someFacts(), {}, state);
    QVERIFY(withoutChecksums(run_folder::readTrainingState(path("b"))) == state);
    QVERIFY(base::readFile(path("b/state.json")).find("\"Infinity\"") != std::string::npos);
    state.best.reset();
    checkpoint::saveCheckpoint(path("b"), {}, someFacts(), {}, state);
    QVERIFY(withoutChecksums(run_folder::readTrainingState(path("b"))) == state);
  }

  void errorsOfCorruptCheckpointsNameTheFile() {
    save(path("c"));
    std::filesystem::remove(path("c/optimizer.safetensors"));
    QVERIFY(messageOf([&] {
              checkpoint::loadCheckpoint(path("c"));
            }).find("c/optimizer.safetensors") != std::string::npos);
    for (const char* text :
         {"", "{", "[]", "{}", R"({"format": 1, "version": 3})", R"({"format": 99})"}) {
      base::writeFileAtomically(path("c/state.json"), text);
      QVERIFY2(messageOf([&] {
                 run_folder::readTrainingState(path("c"));
               }).find("c/state.json: ") != std::string::npos,
               text);
    }
  }

  void weightsOfOtherProgramsHaveNoMetadata() {
    checkpoint::SafetensorsFile file;
    QVERIFY(!checkpoint::modelFacts(file));
    file.metadata = checkpoint::toMetadata(someFacts());
    file.metadata["category_ids"] = "[1,";
    QVERIFY(!messageOf([&] { checkpoint::modelFacts(file); }).empty());
    file.metadata["category_ids"] = "[1]";
    QVERIFY(!messageOf([&] { checkpoint::modelFacts(file); }).empty());
  }

  void aFolderThatCannotBeCreatedIsAnError() {
    base::writeFileAtomically(path("file"), "");
    QVERIFY(messageOf([&] { save(path("file/x")); }).find("file/x") != std::string::npos);
  }
};

LOCKSTEP_TEST(TstCheckpoint)
#include "tst_checkpoint.moc"
