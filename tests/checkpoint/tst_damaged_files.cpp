#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/load_weights.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using checkpoint::NamedTensors;
using tests::Choices;
namespace fs = std::filesystem;

namespace {

/// A small model under a Mask R-CNN's names.
NamedTensors undamagedModel() {
  return {{"backbone.body.conv1.weight", torch::ones({4, 3, 7, 7})},
          {"backbone.body.bn1.weight", torch::ones({4})},
          {"backbone.body.bn1.num_batches_tracked", torch::zeros({}, torch::kLong)},
          {"backbone.fpn.inner_blocks.0.0.weight", torch::ones({8, 4, 1, 1})},
          {"rpn.head.conv.0.0.bias", torch::ones({8})},
          {"roi_heads.box_predictor.cls_score.weight", torch::ones({3, 16})}};
}

NamedTensors momentumBuffers() {
  NamedTensors buffers;
  for (const auto& [name, tensor] : undamagedModel())
    if (tensor.is_floating_point()) buffers.emplace_back("momentum_buffer." + name, tensor);
  return buffers;
}

/// Every use of a weights file either succeeds or throws Error naming the file.
void useWeights(const fs::path& path) {
  const checkpoint::SafetensorsFile file = checkpoint::readSafetensors(path);
  std::optional<Error> first;
  const auto attempt = [&](const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      if (tests::messageProblem(error.what(), path).empty()) {
        if (!first) first = error;
      } else {
        throw;
      }
    }
  };
  attempt([&] { checkpoint::modelFacts(file); });
  for (const auto use : {checkpoint::WeightsUse::Initial, checkpoint::WeightsUse::Exactly})
    attempt([&] { checkpoint::loadWeights(undamagedModel(), file, use, path.string()).summary(); });
  if (first) throw *first;
}

}  // namespace

class TstDamagedFiles : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  fs::path path(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  void initTestCase() {
    run_folder::TrainingState state;
    state.step = 5;
    checkpoint::saveCheckpoint(path("checkpoint"), undamagedModel(),
                               {{3, 18}, {"car", "dög \"1\""}, "resnet18", "group", 1e-5, {}},
                               momentumBuffers(), state);
  }

  void damagedWeightsAreReadOrAreErrors() {
    const std::string whole = base::readFile(path("checkpoint/model.safetensors"));
    const fs::path file = path("weights.safetensors");
    const std::string failures = tests::failuresOf(
        {"model.safetensors",
         file,
         {},
         [&](Choices& choices) { return tests::damagedSafetensors(whole, choices); },
         [&] { useWeights(file); }},
        tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }

  void damagedOptimizerStatesAreReadOrAreErrors() {
    const fs::path file = path("checkpoint/optimizer.safetensors");
    const std::string whole = base::readFile(file);
    const std::string failures = tests::failuresOf(
        {"optimizer.safetensors",
         file,
         {},
         [&](Choices& choices) { return tests::damagedSafetensors(whole, choices); },
         [&] { checkpoint::loadCheckpoint(path("checkpoint")); }},
        tests::chosenVariants(500));
    QVERIFY2(failures.empty(), failures.c_str());
  }
};

LOCKSTEP_TEST(TstDamagedFiles)
#include "tst_damaged_files.moc"
