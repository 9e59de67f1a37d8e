#include <QTest>
#include <map>
#include <regex>
#include <set>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/yaml_tree.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Field;

namespace {

/// The contract: every key of the experiment file with its default, in order.
constexpr const char* kExperimentFile = R"(
name: mask_rcnn_r50_fpn
base: null
dataset:
  train: {images: DIR, annotations: FILE}
  val:   {images: DIR, annotations: FILE}
  skip_empty: true          # training images without a usable annotation
  group_by_aspect: true     # wide with wide, tall with tall, so that padding wastes little
  repeat_threshold: 0.0     # repeat-factor sampling of rare classes; 0: off
  loader_threads: 0         # 0: as many as help
  cache: none               # none | ram
  cache_limit: 4 GiB
  bad_images: fail          # fail (after a checkpoint) | skip (logged, counted, listed)
  tiles: {size: 0, overlap: 0.2}   # px and share; 0: whole images
  channels: auto            # auto: RGB | list of channels of 16-bit or N-channel files
  window: null              # [low, high]: percentiles "1 %" or values that become 0 … 1; null: the type's range
  mean: null                # per channel, of 0 … 1; null: ImageNet's for RGB, 0.5 otherwise
  std: null
augment:
  min_size: [800]           # px, shortest side; training draws one per image, evaluation uses the last
  max_size: 1333
  horizontal_flip: 0.5
  vertical_flip: 0.0
  brightness: 0.0
  contrast: 0.0
  saturation: 0.0
  blur: 0.0
  noise: 0.0
  quarter_turns: 0.0
  scale_jitter: [1.0, 1.0]
  crop: 0.0                 # smallest kept fraction of a side; 0: off
  copy_paste: 0.0           # probability that instances of another image are pasted in
  pad_to: batch             # batch | canonical: one padded size per orientation and scale
model:
  backbone: resnet50        # resnet18 | resnet34 | resnet50 | resnet101
  norm: auto                # of the backbone: frozen_batch | batch | sync_batch | group (32 groups); auto: frozen_batch with weights, else group
  norm_epsilon: 1e-5        # torchvision's COCO_V1 weights need 0
  freeze_stages: auto       # 0 none, 1 stem, 2 stem and first stage, … 5 all; auto: 2 with weights, else 0
  fpn_channels: 256
  masks: true               # false: a detector of boxes; box-only annotations are then enough
  weights: null             # safetensors: a whole model or a backbone
  anchors: {sizes: [32, 64, 128, 256, 512], aspect_ratios: [0.5, 1.0, 2.0]}
  rpn: {pre_nms_top_n_train: 2000, pre_nms_top_n_test: 1000, post_nms_top_n_train: 2000, post_nms_top_n_test: 1000,
        nms_threshold: 0.7, fg_iou: 0.7, bg_iou: 0.3, batch_size_per_image: 256, positive_fraction: 0.5}
  box_head: {roi_resolution: 7, sampling_ratio: 2, fc_dim: 1024, batch_size_per_image: 512, positive_fraction: 0.25,
        fg_iou: 0.5, bg_iou: 0.5, regression_weights: [10, 10, 5, 5], score_threshold: 0.05, nms_threshold: 0.5,
        detections_per_image: 100}
  mask_head: {roi_resolution: 14, sampling_ratio: 2, convs: 4, channels: 256}
solver:
  optimizer: sgd            # sgd | adamw
  base_lr: 0.02
  momentum: 0.9
  nesterov: false
  weight_decay: 0.0001
  norm_weight_decay: 0.0001
  backbone_lr_factor: 1.0
  bias_lr_factor: 1.0
  schedule: step            # step | cosine | linear | constant
  milestones: [60000, 80000]
  gamma: 0.1
  warmup_steps: 500
  warmup_factor: 0.001
  max_steps: 90000
  batch_size: 16            # images per step, over all ranks and accumulated parts
  accumulate: 1
  clip_grad_norm: 0.0       # 0: off
  loss_weights: {loss_classifier: 1, loss_box_reg: 1, loss_mask: 1, loss_objectness: 1, loss_rpn_box_reg: 1}
  ema_decay: 0.0            # 0: off
  class_weights: none       # none | inverse | one number per class, in the box head's class loss
evaluation: {loss_every: 1000, ap_every: 5000, max_images: 0, best_metric: segm/AP, max_dets: [1, 10, 100],
             early_stop: {metric: null, patience: 5, min_delta: 0.0, target: null}}
checkpoint: {every: 5000, keep: 3, keep_best: true}
monitor: {log_every: 20, tensor_stats_every: 0, tensor_stats_include: [], predictions_every: 1000, prediction_images: 8,
          summary_images: 0,   # watched predictions as image summaries for TensorBoard
          on_event: {best: null, alert: null, end: null}}   # commands of the supervisor, the event as JSON on standard input
runtime: {device: auto, workers: 0, devices: [], backend: auto, precision: fp32, deterministic: false, seed: 1,
          cpu_threads: 0, cuda_graphs: false, max_restarts: 0, stall_seconds: 600}
)";

/// Dotted keys with their values, in the order of the file.
void addValues(const config::YamlNode& map, const std::string& prefix,
               std::vector<std::pair<std::string, config::YamlNode>>& values) {
  for (std::size_t index = 0; index < map.items.size(); ++index) {
    const std::string key = prefix + map.keys[index].text;
    if (map.items[index].kind == config::YamlNode::Kind::Map) {
      addValues(map.items[index], key + ".", values);
    } else {
      values.emplace_back(key, map.items[index]);
    }
  }
}

}  // namespace

class TstFields : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTableHoldsEveryKeyOfTheFileWithItsDefault() {
    std::vector<std::pair<std::string, config::YamlNode>> values;
    addValues(config::parseYaml(kExperimentFile), "", values);
    for (std::size_t index = 0; index < values.size(); ++index) {
      const auto& [key, value] = values[index];
      QVERIFY2(index < config::fields().size(), key.c_str());
      const Field& field = config::fields()[index];
      QCOMPARE(field.key, key);
      if (value.text == "DIR" || value.text == "FILE") {
        QCOMPARE(field.defaultText(), std::string("null"));
        continue;
      }
      config::Experiment experiment;
      QCOMPARE(field.assignNode(experiment, value).text, std::string());
      QCOMPARE(field.text(experiment), field.defaultText());
    }
    QCOMPARE(config::fields().size(), values.size());
  }

  void theWholeFileIsAccepted() {
    const std::string text = std::regex_replace(kExperimentFile, std::regex("DIR|FILE"), "null");
    const auto loaded = config::loadExperimentText(text, "whole.yaml");
    QCOMPARE(tests::issueLines(loaded), std::string());
    QVERIFY(config::difference(loaded.experiment, {}).empty());
  }

  void everyFieldIsDescribed() {
    for (const Field& field : config::fields()) {
      QVERIFY2(field.help.size() > 8 && field.help.find('\n') == std::string::npos,
               field.key.c_str());
      QVERIFY2(field.help.back() == '.', field.key.c_str());
      QVERIFY2(!field.typeText().empty(), field.key.c_str());
      QCOMPARE(config::findField(field.key), &field);
      const std::size_t dot = field.key.rfind('.');
      const std::string section = dot == std::string::npos ? "" : field.key.substr(0, dot);
      QVERIFY2(!config::sectionHelp(section).empty(), section.c_str());
      QVERIFY(section.empty() || config::isSection(section));
    }
    QCOMPARE(config::findField("solver"), nullptr);
    QVERIFY(!config::isSection("solver.base_lr"));
    const std::vector<std::string> expected{"",           "dataset", "augment",
                                            "model",      "solver",  "evaluation",
                                            "checkpoint", "monitor", "runtime"};
    QVERIFY(config::sections() == expected);
  }

  void defaultsAreValidAndImplemented() {
    const config::Experiment defaults;
    for (const Field& field : config::fields()) {
      config::Experiment experiment;
      QCOMPARE(field.assign(experiment, field.defaultText()), std::string());
      QCOMPARE(field.text(experiment), field.defaultText());
      QCOMPARE(field.refusal(defaults), std::string());
    }
  }

  void assigningChangesThatKeyAlone() {
    std::uint64_t seed = 11;
    for (const Field& field : config::fields()) {
      for (int turn = 0; turn < 20; ++turn) {
        config::Experiment experiment;
        const std::string value = tests::randomValue(field, seed);
        QCOMPARE(field.assign(experiment, value), std::string());
        config::Experiment again;
        QCOMPARE(field.assign(again, field.text(experiment)), std::string());
        QCOMPARE(field.text(again), field.text(experiment));
        for (const config::ConfigDifference& differing : config::difference(experiment, {})) {
          QCOMPARE(differing.key, field.key);
        }
      }
    }
  }

  void valuesOutOfRangeAreErrors() {
    for (const Field& field : config::fields()) {
      const bool isScalar =
          field.type == config::FieldType::Integer || field.type == config::FieldType::Number ||
          field.type == config::FieldType::Duration || field.type == config::FieldType::Bytes;
      if (!isScalar) continue;
      const auto refuses = [&](double number) {
        config::Experiment experiment;
        const std::string value = std::to_string(static_cast<std::int64_t>(number));
        const std::string error = field.assign(experiment, value);
        return !error.empty() && config::difference(experiment, {}).empty();
      };
      QVERIFY2(std::isfinite(field.minimum), field.key.c_str());
      QVERIFY2(refuses(field.minimum - 1), field.key.c_str());
      QCOMPARE(refuses(field.minimum), field.minimumExcluded);
      if (!std::isfinite(field.maximum)) continue;
      QVERIFY2(refuses(field.maximum + 1) || field.maximum > 1e15, field.key.c_str());
      QCOMPARE(refuses(field.maximum), field.maximumExcluded);
    }
  }

  void errorsSayWhatIsExpected_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* key, const char* value, const char* error) {
      QTest::newRow(
          qPrintable(QStringLiteral("%1=%2").arg(QLatin1String(key), QLatin1String(value))))
          << QString::fromUtf8(key) << QString::fromUtf8(value) << QString::fromUtf8(error);
    };
    row("solver.base_lr", "-0.1", "-0.1: must be > 0");
    row("solver.base_lr", "fast", "fast is not a number");
    row("solver.base_lr", "0,02", "0,02 is not a number; did you mean 0.02?");
    row("solver.base_lr", "\"0.02\"",
        "\"0.02\" is a quoted string; expected a number; did you mean 0.02?");
    row("solver.base_lr", "[1]", "is a list; expected a number");
    row("solver.base_lr", "{a: 1}", "is a section of keys; expected a number");
    row("solver.base_lr", "null", "is null; expected a number");
    row("solver.base_lr", "", "has no value; expected a number");
    row("solver.base_lr", ".inf", ".inf is not a finite number");
    row("solver.momentum", "1", "1: must be ≥ 0 and < 1");
    row("solver.nesterov", "yes", "yes is not a boolean; did you mean true?");
    row("solver.nesterov", "maybe", "maybe is not a boolean (true or false)");
    row("solver.batch_size", "0", "0 is not in 1 … 65536");
    row("solver.batch_size", "1.5", "1.5 is not an integer");
    row("solver.batch_size", "010", "010 is not an integer; did you mean 10?");
    row("solver.batch_size", "1e300", "1e300 is too large");
    row("checkpoint.keep", "3000000000", "3000000000 is too large");
    row("solver.optimizer", "adam", "adam is not one of sgd, adamw; did you mean adamw?");
    row("model.freeze_stages", "6", "6 is not in 0 … 5 or auto");
    row("solver.max_steps", "12 hours",
        "12 hours is not a duration such as 200 (steps), 12 epochs or 20000 images");
    row("solver.max_steps", "0 epochs", "0 epochs: must be > 0");
    row("dataset.cache_limit", "4 GB",
        "4 GB is not a size such as 4 GiB or 512 MiB; did you mean 4 GiB?");
    row("augment.min_size", "800",
        "800 is not a list; expected a list, such as [800]; did you mean [800]?");
    row("augment.min_size", "[]", "is an empty list; give one value or more");
    row("augment.min_size", "[800, 0]", "value 2: 0 is not in 1 … 16384");
    QTest::newRow("a long list") << QStringLiteral("augment.min_size")
                                 << QStringLiteral("[800%1]").arg(
                                        QStringLiteral(",800").repeated(10000))
                                 << QStringLiteral("has 10001 values; at most 10000 are supported");
    row("model.anchors.sizes", "[32, 64]", "has 2 values; expected 5");
    row("dataset.channels", "rgb", "rgb is not a list; expected a list, such as [0, 1], or auto");
    row("dataset.channels", "0, 1",
        "0, 1 is not a list; expected a list, such as [0, 1], or auto; did you mean [0, 1]?");
    row("dataset.channels", "[]", "is an empty list; give one value or more");
    row("dataset.window", "[1 %, 101 %]", "value 2: 101 % is not in 0 … 100 %");
    row("dataset.window", "[low, high]",
        "value 1: low is not a value such as 4095 or a percentile such as 1 %");
    row("dataset.window", "[0]", "has 1 value; expected 2");
    row("dataset.std", "[0]", "value 1: 0: must be > 0 and ≤ 1");
    row("dataset.mean", "0.5",
        "0.5 is not a list; expected a list, such as [0.5, 1], or null; did you mean [0.5]?");
    row("solver.class_weights", "often",
        "often is not a list; expected a list, such as [0.5, 1], or none, or inverse");
    row("evaluation.early_stop.target", "high", "high is not a number");
    row("evaluation.max_dets", "[1, 10]", "has 2 values; expected 3");
    row("monitor.tensor_stats_include", "[\"\"]", "value 1: is empty; expected a string");
    row("name", "[a", "");
    row("name", "\"\"", "is empty; expected a string");
    row("name", "\"a\\nb\"",
        "contains a line break or another control character; expected a string on one line");
    row("evaluation.best_metric", "AP",
        "AP is not one of segm/AP, segm/AP50, segm/AP75, segm/APs, segm/APm, segm/APl, segm/AR1, "
        "segm/AR10, "
        "segm/AR100, segm/ARs, segm/ARm, segm/ARl, bbox/AP, bbox/AP50, bbox/AP75, bbox/APs, "
        "bbox/APm, bbox/APl, "
        "bbox/AR1, bbox/AR10, bbox/AR100, bbox/ARs, bbox/ARm, bbox/ARl, loss_total, "
        "loss_classifier, loss_box_reg, "
        "loss_mask, loss_objectness, loss_rpn_box_reg; did you mean segm/AP?");
  }
  void errorsSayWhatIsExpected() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, error);
    config::Experiment experiment;
    const Field* field = config::findField(key.toStdString());
    QVERIFY(field != nullptr);
    QCOMPARE(QString::fromStdString(field->assign(experiment, value.toStdString())), error);
  }

  void invalidYamlIsAnErrorNotACrash() {
    config::Experiment experiment;
    for (const Field& field : config::fields()) {
      for (const char* text : {"[", "]", "{", "a: b: c", "*x", "&x 1", "!!int 1", "- 1", "\"open",
                               "|", "\t", "%", "@", "\xff", "1\n2", "---", "? x"}) {
        field.assign(experiment, text);
      }
    }
  }

  void rangesAreText() {
    QCOMPARE(config::findField("solver.base_lr")->rangeText(), std::string("> 0"));
    QCOMPARE(config::findField("solver.momentum")->rangeText(), std::string("≥ 0 and < 1"));
    QCOMPARE(config::findField("solver.gamma")->rangeText(), std::string("> 0 and ≤ 1"));
    QCOMPARE(config::findField("model.rpn.fg_iou")->rangeText(), std::string("0 … 1"));
    QCOMPARE(config::findField("checkpoint.keep")->rangeText(), std::string("≥ 1"));
    QCOMPARE(config::findField("name")->rangeText(), std::string());
  }
};

LOCKSTEP_TEST(TstFields)

#include "tst_fields.moc"
