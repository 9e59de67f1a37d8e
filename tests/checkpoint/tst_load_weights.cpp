#include <QTest>

#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using checkpoint::NamedTensors;
using checkpoint::WeightsUse;

namespace {

/// Names and shapes as in a small Mask R-CNN, filled with one value.
NamedTensors model(int classes, float value) {
  const auto of = [value](at::IntArrayRef shape) { return torch::full(shape, value); };
  return {{"backbone.body.conv1.weight", of({4, 3, 7, 7})},
          {"backbone.body.bn1.weight", of({4})},
          {"backbone.body.bn1.running_mean", of({4})},
          {"backbone.body.layer1.0.conv1.weight", of({4, 4, 3, 3})},
          {"backbone.fpn.inner_blocks.0.0.weight", of({8, 4, 1, 1})},
          {"rpn.head.conv.0.0.bias", of({8})},
          {"roi_heads.box_predictor.cls_score.weight", of({classes, 16})},
          {"roi_heads.mask_head.1.0.weight", of({8, 8, 3, 3})}};
}

checkpoint::SafetensorsFile file(NamedTensors tensors) { return {std::move(tensors), {}}; }

NamedTensors renamed(NamedTensors tensors, const std::map<std::string, std::string>& names) {
  for (auto& [name, tensor] : tensors) {
    if (names.contains(name)) name = names.at(name);
  }
  return tensors;
}

NamedTensors without(NamedTensors tensors, const std::string& part) {
  std::erase_if(tensors,
                [&](const auto& entry) { return entry.first.find(part) != std::string::npos; });
  return tensors;
}

float valueOf(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return tensor.mean().item<float>();
  }
  return -1;
}

std::string refusal(const NamedTensors& target, const NamedTensors& source, WeightsUse use) {
  try {
    checkpoint::loadWeights(target, file(source), use, "a.safetensors");
  } catch (const Error& error) {
    return error.status() == ExitStatus::Mendable ? error.what() : "not mendable";
  }
  return {};
}

}  // namespace

class TstLoadWeights : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aWholeModelIsLoaded() {
    const NamedTensors target = model(3, 0);
    const auto result =
        checkpoint::loadWeights(target, file(model(3, 2)), WeightsUse::Exactly, "a");
    QCOMPARE(result.loaded.size(), target.size());
    QCOMPARE(result.summary(), std::string("8 tensors loaded"));
    for (const auto& [name, tensor] : target) QCOMPARE(valueOf(target, name), 2.0f);
  }

  void trainingLeavesOutHeadsOfAnotherSizeAndNamesThem() {
    const NamedTensors target = model(3, 0);
    const auto result = checkpoint::loadWeights(target, file(model(91, 2)), WeightsUse::Start, "a");
    QCOMPARE(result.summary(),
             std::string("7 tensors loaded, 1 left out (roi_heads.box_predictor.cls_score.weight "
                         "[91, 16] is not [3, 16])"));
    QCOMPARE(valueOf(target, "roi_heads.box_predictor.cls_score.weight"), 0.0f);
    QCOMPARE(valueOf(target, "rpn.head.conv.0.0.bias"), 2.0f);
  }

  void anotherNumberOfClassesIsRefusedWhereItMatters() {
    const NamedTensors target = model(2, 0);
    const std::string text = refusal(target, model(91, 2), WeightsUse::Exactly);
    QVERIFY2(text.find(
                 "weights of another model: a.safetensors has 91 classes, the data set has 2") == 0,
             text.c_str());
    QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 0.0f);  // nothing is half loaded
  }

  void aBackboneAloneWillDoForTraining() {
    NamedTensors source;
    for (const auto& entry : model(3, 2)) {
      if (entry.first.starts_with("backbone.body.")) source.push_back(entry);
    }
    const NamedTensors target = model(3, 0);
    const auto result = checkpoint::loadWeights(target, file(source), WeightsUse::Start, "a");
    QCOMPARE(result.loaded.size(), std::size_t{4});
    QCOMPARE(result.missing.size(), std::size_t{4});
    QVERIFY(refusal(target, source, WeightsUse::Exactly).find("it lacks backbone.fpn") !=
            std::string::npos);
  }

  void torchvisionsResNetIsABackbone() {
    NamedTensors source;
    for (auto [name, tensor] : model(3, 2)) {
      if (name.starts_with("backbone.body.")) source.emplace_back(name.substr(14), tensor);
    }
    source.emplace_back("fc.weight", torch::ones({1000, 4}));
    source.emplace_back("bn1.num_batches_tracked", torch::zeros({}, torch::kLong));
    const NamedTensors target = model(3, 0);
    const auto result = checkpoint::loadWeights(target, file(source), WeightsUse::Start, "a");
    QCOMPARE(result.loaded.size(), std::size_t{4});
    QVERIFY(result.unused == std::vector<std::string>{"fc.weight"});
    QCOMPARE(valueOf(target, "backbone.body.layer1.0.conv1.weight"), 2.0f);
  }

  void namesOfOldTorchvisionFilesAreKnown() {
    const NamedTensors source =
        renamed(model(3, 2),
                {{"backbone.fpn.inner_blocks.0.0.weight", "backbone.fpn.inner_blocks.0.weight"},
                 {"rpn.head.conv.0.0.bias", "rpn.head.conv.bias"},
                 {"roi_heads.mask_head.1.0.weight", "roi_heads.mask_head.mask_fcn2.weight"}});
    const NamedTensors target = model(3, 0);
    QCOMPARE(checkpoint::loadWeights(target, file(source), WeightsUse::Exactly, "a").loaded.size(),
             target.size());
  }

  void otherElementTypesAreConverted() {
    NamedTensors source = model(3, 2);
    for (auto& [name, tensor] : source) tensor = tensor.to(at::kHalf);
    const NamedTensors target = model(3, 0);
    checkpoint::loadWeights(target, file(source), WeightsUse::Exactly, "a");
    QCOMPARE(target[0].second.scalar_type(), at::kFloat);
    QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 2.0f);
  }

  void aBackboneThatDoesNotFitIsRefused_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("words");
    QTest::newRow("another size") << QStringLiteral("size")
                                  << QStringLiteral("conv1.weight [8, 3, 7, 7] is not");
    QTest::newRow("less deep") << QStringLiteral("less")
                               << QStringLiteral("it lacks backbone.body.layer1.0.conv1.weight");
    QTest::newRow("deeper") << QStringLiteral("more")
                            << QStringLiteral("the model lacks backbone.body.layer1.1");
    QTest::newRow("nothing of it")
        << QStringLiteral("none") << QStringLiteral("nothing in a.safetensors fits");
  }
  void aBackboneThatDoesNotFitIsRefused() {
    QFETCH(QString, change);
    QFETCH(QString, words);
    NamedTensors source = model(3, 2);
    if (change == QStringLiteral("size")) source[0].second = torch::ones({8, 3, 7, 7});
    if (change == QStringLiteral("less")) source = without(source, "layer1");
    if (change == QStringLiteral("more"))
      source.emplace_back("backbone.body.layer1.1.conv1.weight", torch::ones({1}));
    if (change == QStringLiteral("none")) source = without(source, "backbone.body");
    const std::string text = refusal(model(3, 0), source, WeightsUse::Start);
    QVERIFY2(QString::fromStdString(text).contains(words), text.c_str());
  }

  void anotherNormIsRefusedNamingTheKey() {
    const NamedTensors batch = model(3, 2), group = without(batch, "running_mean");
    const auto says = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    for (const WeightsUse use : {WeightsUse::Start, WeightsUse::Exactly}) {
      QVERIFY(says(refusal(group, batch, use), "set model.norm to frozen_batch"));
      QVERIFY(says(refusal(batch, group, use), "set model.norm to group"));
    }
  }

  void anythingElseThanTheModelIsRefusedWhereItMatters() {
    NamedTensors more = model(3, 2);
    more.emplace_back("extra", torch::ones({1}));
    QVERIFY(refusal(model(3, 0), more, WeightsUse::Exactly).find("the model lacks extra") !=
            std::string::npos);
    NamedTensors other = model(3, 2);
    other[5].second = torch::ones({9});
    QVERIFY(refusal(model(3, 0), other, WeightsUse::Exactly)
                .find("rpn.head.conv.0.0.bias [9] is not [8]") != std::string::npos);
  }
};

LOCKSTEP_TEST(TstLoadWeights)
#include "tst_load_weights.moc"
