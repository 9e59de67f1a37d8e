#include <QTest>
#include <map>
#include <set>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Field;

namespace {

/// The contract: every key of the experiment file with its default, in order.
const std::vector<std::pair<std::string, std::string>> kContract{
    {"name", "mask_rcnn_r50_fpn"},
    {"base", "null"},
    {"dataset.train.images", "null"},
    {"dataset.train.annotations", "null"},
    {"dataset.val.images", "null"},
    {"dataset.val.annotations", "null"},
    {"dataset.skip_empty", "true"},
    {"dataset.group_by_aspect", "true"},
    {"dataset.repeat_threshold", "0"},
    {"dataset.loader_threads", "0"},
    {"dataset.cache", "none"},
    {"dataset.cache_limit", "4 GiB"},
    {"augment.min_size", "[800]"},
    {"augment.max_size", "1333"},
    {"augment.horizontal_flip", "0.5"},
    {"augment.vertical_flip", "0"},
    {"augment.brightness", "0"},
    {"augment.contrast", "0"},
    {"augment.saturation", "0"},
    {"augment.scale_jitter", "[1, 1]"},
    {"augment.crop", "0"},
    {"model.backbone", "resnet50"},
    {"model.norm", "auto"},
    {"model.norm_epsilon", "1.0e-5"},
    {"model.freeze_stages", "auto"},
    {"model.fpn_channels", "256"},
    {"model.weights", "null"},
    {"model.anchors.sizes", "[32, 64, 128, 256, 512]"},
    {"model.anchors.aspect_ratios", "[0.5, 1, 2]"},
    {"model.rpn.pre_nms_top_n_train", "2000"},
    {"model.rpn.pre_nms_top_n_test", "1000"},
    {"model.rpn.post_nms_top_n_train", "2000"},
    {"model.rpn.post_nms_top_n_test", "1000"},
    {"model.rpn.nms_threshold", "0.7"},
    {"model.rpn.fg_iou", "0.7"},
    {"model.rpn.bg_iou", "0.3"},
    {"model.rpn.batch_size_per_image", "256"},
    {"model.rpn.positive_fraction", "0.5"},
    {"model.box_head.roi_resolution", "7"},
    {"model.box_head.sampling_ratio", "2"},
    {"model.box_head.fc_dim", "1024"},
    {"model.box_head.batch_size_per_image", "512"},
    {"model.box_head.positive_fraction", "0.25"},
    {"model.box_head.fg_iou", "0.5"},
    {"model.box_head.bg_iou", "0.5"},
    {"model.box_head.regression_weights", "[10, 10, 5, 5]"},
    {"model.box_head.score_threshold", "0.05"},
    {"model.box_head.nms_threshold", "0.5"},
    {"model.box_head.detections_per_image", "100"},
    {"model.mask_head.roi_resolution", "14"},
    {"model.mask_head.sampling_ratio", "2"},
    {"model.mask_head.convs", "4"},
    {"model.mask_head.channels", "256"},
    {"solver.optimizer", "sgd"},
    {"solver.base_lr", "0.02"},
    {"solver.momentum", "0.9"},
    {"solver.nesterov", "false"},
    {"solver.weight_decay", "0.0001"},
    {"solver.norm_weight_decay", "0.0001"},
    {"solver.backbone_lr_factor", "1"},
    {"solver.bias_lr_factor", "1"},
    {"solver.schedule", "step"},
    {"solver.milestones", "[60000, 80000]"},
    {"solver.gamma", "0.1"},
    {"solver.warmup_steps", "500"},
    {"solver.warmup_factor", "0.001"},
    {"solver.max_steps", "90000"},
    {"solver.batch_size", "16"},
    {"solver.accumulate", "1"},
    {"solver.clip_grad_norm", "0"},
    {"solver.loss_weights.loss_classifier", "1"},
    {"solver.loss_weights.loss_box_reg", "1"},
    {"solver.loss_weights.loss_mask", "1"},
    {"solver.loss_weights.loss_objectness", "1"},
    {"solver.loss_weights.loss_rpn_box_reg", "1"},
    {"solver.ema_decay", "0"},
    {"evaluation.loss_every", "1000"},
    {"evaluation.ap_every", "5000"},
    {"evaluation.max_images", "0"},
    {"evaluation.best_metric", "segm/AP"},
    {"evaluation.early_stop.metric", "null"},
    {"evaluation.early_stop.patience", "5"},
    {"evaluation.early_stop.min_delta", "0"},
    {"checkpoint.every", "5000"},
    {"checkpoint.keep", "3"},
    {"checkpoint.keep_best", "true"},
    {"monitor.log_every", "20"},
    {"monitor.tensor_stats_every", "0"},
    {"monitor.predictions_every", "1000"},
    {"monitor.prediction_images", "8"},
    {"runtime.device", "auto"},
    {"runtime.workers", "0"},
    {"runtime.devices", "[]"},
    {"runtime.backend", "auto"},
    {"runtime.precision", "fp32"},
    {"runtime.deterministic", "false"},
    {"runtime.seed", "1"},
    {"runtime.cpu_threads", "0"},
    {"runtime.cuda_graphs", "false"},
    {"runtime.max_restarts", "0"},
    {"runtime.stall_seconds", "600"}};

}  // namespace

class TstFields : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTableHoldsTheContract() {
    QCOMPARE(config::fields().size(), kContract.size());
    for (std::size_t index = 0; index < kContract.size(); ++index) {
      QCOMPARE(config::fields()[index].key, kContract[index].first);
      QCOMPARE(config::fields()[index].defaultText(), kContract[index].second);
    }
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
    const std::vector<std::string> wanted{"",           "dataset",    "augment", "model",  "solver",
                                          "evaluation", "checkpoint", "monitor", "runtime"};
    QVERIFY(config::sections() == wanted);
  }

  void defaultsAreValidAndBuilt() {
    const config::Experiment defaults;
    for (const Field& field : config::fields()) {
      config::Experiment experiment;
      QCOMPARE(field.assign(experiment, field.defaultText()), std::string());
      QCOMPARE(field.text(experiment), field.defaultText());
      QVERIFY2(!field.isBuilt || field.isBuilt(defaults), field.key.c_str());
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

  void valuesOutsideTheirRangeAreRefused() {
    for (const Field& field : config::fields()) {
      const bool isScalar =
          field.type == config::FieldType::Integer || field.type == config::FieldType::Number ||
          field.type == config::FieldType::Duration || field.type == config::FieldType::Bytes;
      if (!isScalar) continue;
      const auto refuses = [&](double number) {
        config::Experiment experiment;
        const std::string value = std::to_string(static_cast<std::int64_t>(number));
        const std::string fault = field.assign(experiment, value);
        return !fault.empty() && config::difference(experiment, {}).empty();
      };
      QVERIFY2(std::isfinite(field.minimum), field.key.c_str());
      QVERIFY2(refuses(field.minimum - 1), field.key.c_str());
      QCOMPARE(refuses(field.minimum), field.minimumExcluded);
      if (!std::isfinite(field.maximum)) continue;
      QVERIFY2(refuses(field.maximum + 1) || field.maximum > 1e15, field.key.c_str());
      QCOMPARE(refuses(field.maximum), field.maximumExcluded);
    }
  }

  void faultsSayWhatIsWanted_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("fault");
    const auto row = [](const char* key, const char* value, const char* fault) {
      QTest::newRow(
          qPrintable(QStringLiteral("%1=%2").arg(QLatin1String(key), QLatin1String(value))))
          << QString::fromUtf8(key) << QString::fromUtf8(value) << QString::fromUtf8(fault);
    };
    row("solver.base_lr", "-0.1", "-0.1 is not > 0");
    row("solver.base_lr", "fast", "fast is not a finite number");
    row("solver.base_lr", "0,02", "0,02 is not a finite number; did you mean 0.02?");
    row("solver.base_lr", "\"0.02\"",
        "\"0.02\" is a text in quotes; a number is wanted; did you mean 0.02?");
    row("solver.base_lr", "[1]", "is a list; a number is wanted");
    row("solver.base_lr", "{a: 1}", "is a section of keys; a number is wanted");
    row("solver.base_lr", "null", "is null; a number is wanted");
    row("solver.base_lr", "", "has no value; a number is wanted");
    row("solver.base_lr", ".inf", ".inf is not a finite number");
    row("solver.momentum", "1", "1 is not ≥ 0 and < 1");
    row("solver.nesterov", "yes", "yes is not true or false; did you mean true?");
    row("solver.nesterov", "maybe", "maybe is not true or false");
    row("solver.batch_size", "0", "0 is not in 1 … 65536");
    row("solver.batch_size", "1.5", "1.5 is not a whole number");
    row("solver.batch_size", "010", "010 is not a whole number; did you mean 10?");
    row("solver.batch_size", "1e300", "1e300 is too large");
    row("checkpoint.keep", "3000000000", "3000000000 is too large");
    row("solver.optimizer", "adam", "adam is not one of sgd, adamw; did you mean adamw?");
    row("model.freeze_stages", "6", "6 is not in 0 … 5, nor the word auto");
    row("solver.max_steps", "12 hours",
        "12 hours is not a length such as 200 (steps), 12 epochs or 20000 images");
    row("solver.max_steps", "0 epochs", "0 epochs is not > 0");
    row("dataset.cache_limit", "4 GB",
        "4 GB is not a size such as 4 GiB or 512 MiB; did you mean 4 GiB?");
    row("augment.min_size", "800",
        "800 is no list; a list, such as [800] is wanted; did you mean [800]?");
    row("augment.min_size", "[]", "is an empty list; give one value or more");
    row("augment.min_size", "[800, 0]", "value 2: 0 is not in 1 … 16384");
    row("model.anchors.sizes", "[32, 64]", "has 2 values; 5 are wanted");
    row("name", "[a", "");
    row("name", "\"\"", "is empty; a text is wanted");
    row("name", "\"a\\nb\"",
        "holds a line break or another control character; a text of one line is wanted");
    row("evaluation.best_metric", "AP",
        "AP is not one of segm/AP, segm/AP50, segm/AP75, segm/APs, segm/APm, segm/APl, segm/AR1, "
        "segm/AR10, "
        "segm/AR100, segm/ARs, segm/ARm, segm/ARl, bbox/AP, bbox/AP50, bbox/AP75, bbox/APs, "
        "bbox/APm, bbox/APl, "
        "bbox/AR1, bbox/AR10, bbox/AR100, bbox/ARs, bbox/ARm, bbox/ARl, loss_total, "
        "loss_classifier, loss_box_reg, "
        "loss_mask, loss_objectness, loss_rpn_box_reg; did you mean segm/AP?");
  }
  void faultsSayWhatIsWanted() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, fault);
    config::Experiment experiment;
    const Field* field = config::findField(key.toStdString());
    QVERIFY(field != nullptr);
    QCOMPARE(QString::fromStdString(field->assign(experiment, value.toStdString())), fault);
  }

  void textsThatAreNoYamlAreFaultsNotCrashes() {
    config::Experiment experiment;
    for (const Field& field : config::fields()) {
      for (const char* text : {"[", "]", "{", "a: b: c", "*x", "&x 1", "!!int 1", "- 1", "\"open",
                               "|", "\t", "%", "@", "\xff", "1\n2", "---", "? x"}) {
        field.assign(experiment, text);
      }
    }
  }

  void rangesAreWords() {
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
