#include <QTest>
#include <cmath>

#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/model/mask_rcnn.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using checkpoint::NamedTensors;
using checkpoint::WeightsUse;

namespace {

/// Names and shapes as in a small Mask R-CNN, filled with one value.
NamedTensors smallModel(int classes, float value) {
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
    return error.status() == ExitStatus::UserError ? error.what() : "not a UserError";
  }
  return {};
}

}  // namespace

class TstLoadWeights : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aWholeModelIsLoaded() {
    const NamedTensors target = smallModel(3, 0);
    const auto result =
        checkpoint::loadWeights(target, file(smallModel(3, 2)), WeightsUse::Exactly, "a");
    QCOMPARE(result.loaded.size(), target.size());
    QCOMPARE(result.summary(), std::string("8 tensors loaded"));
    for (const auto& [name, tensor] : target) QCOMPARE(valueOf(target, name), 2.0f);
  }

  void trainingSkipsAndNamesHeadsOfAnotherSize() {
    const NamedTensors target = smallModel(3, 0);
    const auto result =
        checkpoint::loadWeights(target, file(smallModel(91, 2)), WeightsUse::Initial, "a");
    QCOMPARE(result.summary(),
             std::string(
                 "7 tensors loaded, 1 skipped because of a shape mismatch "
                 "(roi_heads.box_predictor.cls_score.weight [91, 16] in the file, [3, 16] in the "
                 "model)"));
    QCOMPARE(valueOf(target, "roi_heads.box_predictor.cls_score.weight"), 0.0f);
    QCOMPARE(valueOf(target, "rpn.head.conv.0.0.bias"), 2.0f);
  }

  void anotherNumberOfClassesIsAnErrorForExactly() {
    const NamedTensors target = smallModel(2, 0);
    const std::string text = refusal(target, smallModel(91, 2), WeightsUse::Exactly);
    QVERIFY2(
        text.find(
            "weights do not match the model: a.safetensors has 91 classes, the dataset has 2") == 0,
        text.c_str());
    QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 0.0f);  // nothing is partly loaded
  }

  void aBackboneAloneIsEnoughForTraining() {
    NamedTensors source;
    for (const auto& entry : smallModel(3, 2)) {
      if (entry.first.starts_with("backbone.body.")) source.push_back(entry);
    }
    const NamedTensors target = smallModel(3, 0);
    const auto result = checkpoint::loadWeights(target, file(source), WeightsUse::Initial, "a");
    QCOMPARE(result.loaded.size(), std::size_t{4});
    QCOMPARE(result.missing.size(), std::size_t{4});
    QVERIFY(refusal(target, source, WeightsUse::Exactly).find("missing keys: backbone.fpn") !=
            std::string::npos);
  }

  void torchvisionsResNetIsABackbone() {
    NamedTensors source;
    for (auto [name, tensor] : smallModel(3, 2)) {
      if (name.starts_with("backbone.body.")) source.emplace_back(name.substr(14), tensor);
    }
    source.emplace_back("fc.weight", torch::ones({1000, 4}));
    source.emplace_back("bn1.num_batches_tracked", torch::zeros({}, torch::kLong));
    const NamedTensors target = smallModel(3, 0);
    const auto result = checkpoint::loadWeights(target, file(source), WeightsUse::Initial, "a");
    QCOMPARE(result.loaded.size(), std::size_t{4});
    QVERIFY(result.unexpected == std::vector<std::string>{"fc.weight"});
    QCOMPARE(valueOf(target, "backbone.body.layer1.0.conv1.weight"), 2.0f);
  }

  void namesOfOldTorchvisionFilesAreConverted() {
    const NamedTensors source =
        renamed(smallModel(3, 2),
                {{"backbone.fpn.inner_blocks.0.0.weight", "backbone.fpn.inner_blocks.0.weight"},
                 {"rpn.head.conv.0.0.bias", "rpn.head.conv.bias"},
                 {"roi_heads.mask_head.1.0.weight", "roi_heads.mask_head.mask_fcn2.weight"}});
    const NamedTensors target = smallModel(3, 0);
    QCOMPARE(checkpoint::loadWeights(target, file(source), WeightsUse::Exactly, "a").loaded.size(),
             target.size());
  }

  void otherDtypesAreConverted() {
    NamedTensors source = smallModel(3, 2);
    for (auto& [name, tensor] : source) tensor = tensor.to(at::kHalf);
    const NamedTensors target = smallModel(3, 0);
    checkpoint::loadWeights(target, file(source), WeightsUse::Exactly, "a");
    QCOMPARE(target[0].second.scalar_type(), at::kFloat);
    QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 2.0f);
  }

  void aBackboneThatDoesNotMatchIsAnError_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("words");
    QTest::newRow("another size") << QStringLiteral("size")
                                  << QStringLiteral("conv1.weight [8, 3, 7, 7] in the file, ");
    QTest::newRow("less deep") << QStringLiteral("less")
                               << QStringLiteral("missing key backbone.body.layer1.0.conv1.weight");
    QTest::newRow("deeper") << QStringLiteral("more")
                            << QStringLiteral("unexpected key backbone.body.layer1.1");
    QTest::newRow("nothing of it")
        << QStringLiteral("none") << QStringLiteral("a.safetensors has no backbone weights");
  }
  void aBackboneThatDoesNotMatchIsAnError() {
    QFETCH(QString, change);
    QFETCH(QString, words);
    NamedTensors source = smallModel(3, 2);
    if (change == QStringLiteral("size")) source[0].second = torch::ones({8, 3, 7, 7});
    if (change == QStringLiteral("less")) source = without(source, "layer1");
    if (change == QStringLiteral("more"))
      source.emplace_back("backbone.body.layer1.1.conv1.weight", torch::ones({1}));
    if (change == QStringLiteral("none")) source = without(source, "backbone.body");
    const std::string text = refusal(smallModel(3, 0), source, WeightsUse::Initial);
    QVERIFY2(QString::fromStdString(text).contains(words), text.c_str());
  }

  void anotherNormIsAnErrorThatNamesTheKey() {
    const NamedTensors batch = smallModel(3, 2), group = without(batch, "running_mean");
    const auto contains = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    for (const WeightsUse use : {WeightsUse::Initial, WeightsUse::Exactly}) {
      QVERIFY(contains(refusal(group, batch, use), "set model.norm to frozen_batch"));
      QVERIFY(contains(refusal(batch, group, use), "set model.norm to group"));
    }
  }

  void weightsOfAnotherArchitectureAreNeverPartlyLoaded_data() {
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QString>("words");
    QTest::newRow("torchvision's v2")
        << QStringList{QStringLiteral("backbone.fpn.inner_blocks.0.1.weight"),
                       QStringLiteral("backbone.fpn.inner_blocks.0.1.running_mean"),
                       QStringLiteral("rpn.head.conv.1.0.weight"),
                       QStringLiteral("roi_heads.box_head.0.0.weight"),
                       QStringLiteral("roi_heads.box_head.5.weight"),
                       QStringLiteral("roi_heads.mask_head.0.1.bias")}
        << QStringLiteral("they are of torchvision's maskrcnn_resnet50_fpn_v2");
    QTest::newRow("a wrapper") << QStringList{QStringLiteral("module.rpn.head.conv.0.0.bias")}
                               << QStringLiteral("they are of a wrapped model");
    QTest::newRow("anything") << QStringList{QStringLiteral("head.attention.weight")}
                              << QStringLiteral("unexpected keys: head.attention.weight");
  }
  void weightsOfAnotherArchitectureAreNeverPartlyLoaded() {
    QFETCH(QStringList, more);
    QFETCH(QString, words);
    NamedTensors source = smallModel(3, 2);
    for (const QString& name : more) source.emplace_back(name.toStdString(), torch::ones({4}));
    const NamedTensors target = smallModel(3, 0);
    const std::string text = refusal(target, source, WeightsUse::Initial);
    QVERIFY2(QString::fromStdString(text).contains(words), text.c_str());
    QVERIFY2(text.find("unexpected keys: ") != std::string::npos, text.c_str());
    QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 0.0f);
  }

  void layersOfAnotherConfigurationAreSkippedAndNamed() {
    NamedTensors source = smallModel(3, 2);
    source.emplace_back("roi_heads.mask_head.3.0.weight", torch::ones({8, 8, 3, 3}));
    const auto result =
        checkpoint::loadWeights(smallModel(3, 0), file(source), WeightsUse::Initial, "a");
    QCOMPARE(result.summary(),
             std::string("8 tensors loaded, 1 unexpected (roi_heads.mask_head.3.0.weight)"));
  }

  void anotherBackboneIsNamed_data() {
    QTest::addColumn<QString>("inFile");
    QTest::addColumn<QString>("inModel");
    const char* known[] = {"resnet18", "resnet34", "resnet50", "resnet101"};
    for (const char* left : known) {
      for (const char* right : known) {
        if (left != right)
          QTest::addRow("%s, %s", left, right)
              << QString::fromUtf8(left) << QString::fromUtf8(right);
      }
    }
  }
  void anotherBackboneIsNamed() {
    QFETCH(QString, inFile);
    QFETCH(QString, inModel);
    const auto bodyOf = [](const QString& backbone) {
      config::ModelConfig config;
      config.backbone = backbone.toStdString();
      config.norm = config::Norm::FrozenBatch;
      config.fpnChannels = 8;
      config.boxHead.fcDim = 8;
      config.maskHead.channels = 8;
      NamedTensors body;
      for (const auto& [name, tensor] : model::MaskRcnn(config, 3, 1).namedState()) {
        if (name.starts_with("backbone.body.")) body.emplace_back(name, tensor);
      }
      return body;
    };
    const std::string text = refusal(bodyOf(inModel), bodyOf(inFile), WeightsUse::Initial);
    const QString words =
        QStringLiteral("its backbone is %1, model.backbone is %2").arg(inFile, inModel);
    QVERIFY2(QString::fromStdString(text).contains(words), text.c_str());
    QVERIFY2(text.find("norm") == std::string::npos, text.c_str());
  }

  void nonFiniteValuesAreErrors_data() {
    QTest::addColumn<bool>("isStart");
    QTest::newRow("to train from") << true;
    QTest::newRow("to use") << false;
  }
  void nonFiniteValuesAreErrors() {
    QFETCH(bool, isStart);
    const WeightsUse use = isStart ? WeightsUse::Initial : WeightsUse::Inference;
    for (const float value : {NAN, INFINITY}) {
      NamedTensors source = smallModel(3, 2);
      source[4].second.view(-1)[3] = value;
      const NamedTensors target = smallModel(3, 0);
      try {
        checkpoint::loadWeights(target, file(source), use, "a.safetensors");
        QFAIL("it was accepted");
      } catch (const Error& error) {
        QCOMPARE(error.status(), ExitStatus::Failed);
        const std::string counts =
            std::isnan(value) ? "1 NaN and 0 infinite" : "0 NaN and 1 infinite";
        QCOMPARE(
            std::string(error.what()),
            "a.safetensors: tensor backbone.fpn.inner_blocks.0.0.weight has " + counts +
                " of 32 values: the file is corrupt or its training diverged; use other weights");
      }
      QCOMPARE(valueOf(target, "backbone.body.conv1.weight"), 0.0f);
    }
    NamedTensors large = smallModel(3, 2);
    large[0].second = torch::full({4, 3, 7, 7}, 1e300, torch::kDouble);  // not in float32
    try {
      checkpoint::loadWeights(smallModel(3, 0), file(large), use, "a");
      QFAIL("it was accepted");
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).find("0 NaN and 588 infinite") != std::string::npos,
               error.what());
    }
  }

  /// Files store the first layer of the box head as the matrix for flattened RoIs; the model uses
  /// it as a convolution weight in channels_last memory, with the same values.
  void aMatrixIsLoadedAsAConvolutionWeight() {
    const std::string name = "roi_heads.box_head.fc6.weight";
    const auto asConvolution = [] {
      return torch::zeros({5, 4, 2, 3}).contiguous(at::MemoryFormat::ChannelsLast);
    };
    NamedTensors target = smallModel(3, 0), source = smallModel(3, 2);
    target.emplace_back(name, asConvolution());
    source.emplace_back(name, torch::arange(120, torch::kFloat).view({5, 24}));
    checkpoint::loadWeights(target, file(source), WeightsUse::Exactly, "a");
    const auto numbers = target.back().second.accessor<float, 4>();
    for (int out = 0; out < 5; ++out)
      for (int channel = 0; channel < 4; ++channel)
        for (int y = 0; y < 2; ++y)
          for (int x = 0; x < 3; ++x)
            QCOMPARE(numbers[out][channel][y][x],
                     static_cast<float>(out * 24 + channel * 6 + y * 3 + x));

    const NamedTensors state{{"exp_avg." + name, source.back().second},
                             {"step." + name, torch::ones({})}};
    const NamedTensors inModel = checkpoint::inModelShapes(state, target);
    QVERIFY(at::equal(inModel[0].second, target.back().second));
    QCOMPARE(inModel[1].second.dim(), std::int64_t(0));
    const NamedTensors inFile = checkpoint::inFileShapes(inModel);
    for (std::size_t i = 0; i < state.size(); ++i)
      QVERIFY(at::equal(inFile[i].second, state[i].second));

    source.back().second = torch::ones({5, 25});
    QVERIFY(refusal(target, source, WeightsUse::Exactly)
                .find(name + " [5, 25] in the file, [5, 24] in the model") != std::string::npos);
    source.back().second = torch::ones({6, 20});
    QVERIFY(!refusal(target, source, WeightsUse::Exactly).empty());
  }

  void aMissingMaskHeadNamesItsKey() {
    const NamedTensors masks = smallModel(3, 0), boxes = without(masks, "mask_head");
    const std::string has = refusal(boxes, masks, WeightsUse::Exactly),
                      hasNot = refusal(masks, boxes, WeightsUse::Exactly);
    QVERIFY2(has.find("it has a mask head: set model.masks to true") != std::string::npos,
             has.c_str());
    QVERIFY2(hasNot.find("it has no mask head: set model.masks to false") != std::string::npos,
             hasNot.c_str());
  }

  void anyMismatchIsAnErrorForExactly() {
    NamedTensors more = smallModel(3, 2);
    more.emplace_back("extra", torch::ones({1}));
    QVERIFY(refusal(smallModel(3, 0), more, WeightsUse::Exactly).find("unexpected keys: extra") !=
            std::string::npos);
    NamedTensors other = smallModel(3, 2);
    other[5].second = torch::ones({9});
    QVERIFY(refusal(smallModel(3, 0), other, WeightsUse::Exactly)
                .find("rpn.head.conv.0.0.bias [9] in the file, [8] in the model") !=
            std::string::npos);
  }
};

LOCKSTEP_TEST(TstLoadWeights)
#include "tst_load_weights.moc"
