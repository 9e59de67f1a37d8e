#include <QTest>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/other_tools.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

/// The keys of the configuration that detectron2 writes beside its checkpoints.
constexpr const char* kDetectron2Keys =
    "CUDNN_BENCHMARK DATALOADER.ASPECT_RATIO_GROUPING DATALOADER.FILTER_EMPTY_ANNOTATIONS "
    "DATALOADER.NUM_WORKERS DATALOADER.REPEAT_THRESHOLD DATALOADER.SAMPLER_TRAIN "
    "DATASETS.PRECOMPUTED_PROPOSAL_TOPK_TRAIN DATASETS.PROPOSAL_FILES_TEST DATASETS.TEST "
    "DATASETS.TRAIN GLOBAL.HACK INPUT.CROP.ENABLED INPUT.CROP.SIZE INPUT.CROP.TYPE INPUT.FORMAT "
    "INPUT.MASK_FORMAT INPUT.MAX_SIZE_TEST INPUT.MAX_SIZE_TRAIN INPUT.MIN_SIZE_TEST "
    "INPUT.MIN_SIZE_TRAIN INPUT.MIN_SIZE_TRAIN_SAMPLING INPUT.RANDOM_FLIP "
    "MODEL.ANCHOR_GENERATOR.ANGLES MODEL.ANCHOR_GENERATOR.ASPECT_RATIOS "
    "MODEL.ANCHOR_GENERATOR.SIZES MODEL.BACKBONE.FREEZE_AT MODEL.BACKBONE.NAME MODEL.DEVICE "
    "MODEL.FPN.NORM MODEL.FPN.OUT_CHANNELS MODEL.KEYPOINT_ON MODEL.LOAD_PROPOSALS MODEL.MASK_ON "
    "MODEL.META_ARCHITECTURE MODEL.PANOPTIC_FPN.COMBINE.ENABLED MODEL.PIXEL_MEAN MODEL.PIXEL_STD "
    "MODEL.PROPOSAL_GENERATOR.NAME MODEL.RESNETS.DEPTH MODEL.RESNETS.NORM "
    "MODEL.RESNETS.STRIDE_IN_1X1 MODEL.RETINANET.NUM_CLASSES MODEL.ROI_BOX_HEAD.BBOX_REG_WEIGHTS "
    "MODEL.ROI_BOX_HEAD.FC_DIM MODEL.ROI_BOX_HEAD.POOLER_RESOLUTION "
    "MODEL.ROI_BOX_HEAD.POOLER_SAMPLING_RATIO MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE "
    "MODEL.ROI_HEADS.IOU_THRESHOLDS MODEL.ROI_HEADS.NMS_THRESH_TEST MODEL.ROI_HEADS.NUM_CLASSES "
    "MODEL.ROI_HEADS.POSITIVE_FRACTION MODEL.ROI_HEADS.SCORE_THRESH_TEST "
    "MODEL.ROI_MASK_HEAD.CONV_DIM MODEL.ROI_MASK_HEAD.NUM_CONV "
    "MODEL.ROI_MASK_HEAD.POOLER_RESOLUTION MODEL.RPN.BATCH_SIZE_PER_IMAGE "
    "MODEL.RPN.IOU_THRESHOLDS MODEL.RPN.NMS_THRESH MODEL.RPN.POST_NMS_TOPK_TEST "
    "MODEL.RPN.POST_NMS_TOPK_TRAIN MODEL.RPN.PRE_NMS_TOPK_TEST MODEL.RPN.PRE_NMS_TOPK_TRAIN "
    "MODEL.RPN.POSITIVE_FRACTION MODEL.RPN.SMOOTH_L1_BETA MODEL.SEM_SEG_HEAD.NAME MODEL.WEIGHTS "
    "OUTPUT_DIR SEED SOLVER.AMP.ENABLED SOLVER.BASE_LR SOLVER.BIAS_LR_FACTOR "
    "SOLVER.CHECKPOINT_PERIOD SOLVER.CLIP_GRADIENTS.CLIP_TYPE SOLVER.CLIP_GRADIENTS.CLIP_VALUE "
    "SOLVER.CLIP_GRADIENTS.ENABLED SOLVER.CLIP_GRADIENTS.NORM_TYPE SOLVER.GAMMA "
    "SOLVER.IMS_PER_BATCH SOLVER.LR_SCHEDULER_NAME SOLVER.MAX_ITER SOLVER.MOMENTUM SOLVER.NESTEROV "
    "SOLVER.REFERENCE_WORLD_SIZE SOLVER.STEPS SOLVER.WARMUP_FACTOR SOLVER.WARMUP_ITERS "
    "SOLVER.WARMUP_METHOD SOLVER.WEIGHT_DECAY SOLVER.WEIGHT_DECAY_BIAS SOLVER.WEIGHT_DECAY_NORM "
    "TEST.AUG.ENABLED TEST.DETECTIONS_PER_IMAGE TEST.EVAL_PERIOD TEST.EXPECTED_RESULTS "
    "TEST.PRECISE_BN.ENABLED VERSION VIS_PERIOD";

QString issuesOf(const QByteArray& text, const std::vector<std::string>& overrides = {}) {
  return QString::fromStdString(
      tests::issueLines(config::loadExperimentText(text.toStdString(), "a.yaml", overrides)));
}

}  // namespace

class TstOtherTools : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKeyOfDetectron2HasAnAnswer() {
    for (const QByteArray& key : QByteArray(kDetectron2Keys).split(' ')) {
      const QString line = issuesOf("", {(key + "=x").toStdString()});
      QVERIFY2(line.startsWith("--set: " + QString::fromLatin1(key) + ": unknown key; "),
               qPrintable(line));
      QVERIFY2(!line.contains(QStringLiteral("the top level has")), qPrintable(line));
      const auto here = config::keyHere(key.toStdString());
      const bool isKey = here && here->advice.empty();
      QVERIFY2(!isKey || config::findField(here->key) != nullptr, key.constData());
    }
  }

  void keysAndValuesAreAnswered_data() {
    QTest::addColumn<QString>("override");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* override, const char* answer) {
      QTest::newRow(override) << QString::fromUtf8(override) << QString::fromUtf8(answer);
    };
    row("SOLVER.BASE_LR=0.0025", "did you mean solver.base_lr=0.0025?");
    row("solver.ims_per_batch=16", "did you mean solver.batch_size=16?");
    row("SOLVER.STEPS=(210000, 250000)", "did you mean solver.milestones=[210000, 250000]?");
    row("SOLVER.STEPS=(30000,)", "did you mean solver.milestones=[30000]?");
    row("SOLVER.AMP.ENABLED=True", "did you mean runtime.precision=auto?");
    row("SOLVER.AMP.ENABLED=False", "did you mean runtime.precision=fp32?");
    row("SOLVER.LR_SCHEDULER_NAME=WarmupCosineLR", "did you mean solver.schedule=cosine?");
    row("MODEL.ROI_BOX_HEAD.BBOX_REG_WEIGHTS=(10.0, 10.0, 5.0, 5.0)",
        "did you mean model.box_head.regression_weights=[10, 10, 5, 5]?");
    row("MODEL.ANCHOR_GENERATOR.SIZES=[[32], [64], [128], [256], [512]]",
        "did you mean model.anchors.sizes=[32, 64, 128, 256, 512]?");
    row("MODEL.RESNETS.DEPTH=101", "did you mean model.backbone=resnet101?");
    row("MODEL.RESNETS.NORM=FrozenBN", "did you mean model.norm=frozen_batch?");
    row("MODEL.MASK_ON=False", "did you mean model.masks=false?");
    row("MODEL.WEIGHTS=detectron2://a/R-50.pkl", "did you mean model.weights?");
    row("MODEL.ROI_HEADS.NUM_CLASSES=3", "the classes are those of the annotations");
    row("INPUT.RANDOM_FLIP=vertical", "did you mean augment.vertical_flip=0.5?");
    row("DATALOADER.FILTER_EMPTY_ANNOTATIONS=False", "did you mean dataset.skip_empty=false?");
    row("TEST.EVAL_PERIOD=5000", "did you mean evaluation.ap_every=5000?");
    row("test.eval_period=5000", "did you mean evaluation.ap_every=5000?");
    row("CUDNN_BENCHMARK=True", "remove it: ");
    row("OUTPUT_DIR=./output", "--output RUN_DIR");
    row("MODEL.RPN.HEAD_NAME=StandardRPNHead", "has no counterpart here");
    row("epochs=12", "did you mean solver.max_steps=12 epochs?");
    row("precision=amp", "did you mean runtime.precision=auto?");
    row("train.max_iter=7", "did you mean solver.max_steps?");
    row("solver.steps=400", "did you mean solver.max_steps?");
    row("runtime.precision=amp",
        "amp is not one of fp32, tf32, bf16, fp16, auto; did you mean auto?");
    row("runtime.precision=bf16-mixed", "did you mean bf16?");
    row("solver.milestones=(210000, 250000)",
        "(210000, 250000) is a tuple of Python's; did you mean [210000, 250000]?");
    row("model.weights=None", "None is Python's word; did you mean null?");
    row("evaluation.early_stop.metric=None", "None is Python's word; did you mean null?");
    row("evaluation.early_stop.target=None", "None is Python's word; did you mean null?");
    row("solver.nesterov=True", "did you mean true?");
  }
  void keysAndValuesAreAnswered() {
    QFETCH(QString, override);
    QFETCH(QString, answer);
    const QString line = issuesOf("", {override.toStdString()});
    QVERIFY2(line.contains(answer), qPrintable(line));
    QCOMPARE(line.count(u'\n'), 0);
  }

  /// Each key at its line, and a section without a counterpart as one.
  void aFileOfDetectron2IsAnsweredKeyByKey() {
    QCOMPARE(issuesOf("_BASE_: ../Base.yaml\n"
                      "MODEL:\n"
                      "  MASK_ON: True\n"
                      "  RETINANET:\n"
                      "    NUM_CLASSES: 3\n"
                      "    NORM: GN\n"
                      "SOLVER:\n"
                      "  STEPS: (210000, 250000)\n"
                      "  AMP: {ENABLED: True}\n"
                      "TEST:\n"
                      "  EVAL_PERIOD: 5000\n"),
             QStringLiteral(
                 "a.yaml:1:1: _BASE_: unknown key; did you mean base: ../Base.yaml?\n"
                 "a.yaml:3:3: MODEL.MASK_ON: unknown key; did you mean model.masks: true?\n"
                 "a.yaml:4:3: MODEL.RETINANET: unknown key; remove it: detectron2's key has no "
                 "counterpart here\n"
                 "a.yaml:8:3: SOLVER.STEPS: unknown key; did you mean solver.milestones: [210000, "
                 "250000]?\n"
                 "a.yaml:9:9: SOLVER.AMP.ENABLED: unknown key; did you mean runtime.precision: "
                 "auto?\n"
                 "a.yaml:11:3: TEST.EVAL_PERIOD: unknown key; did you mean evaluation.ap_every: "
                 "5000?"));
  }

  void aFileWithValuesOfPythonIsAnswered() {
    QCOMPARE(
        issuesOf("name: None\nmodel:\n  weights: None\nsolver:\n  milestones: (10, 20)\n"),
        QStringLiteral("a.yaml:3:12: model.weights: None is Python's word; did you mean null?\n"
                       "a.yaml:5:15: solver.milestones: (10, 20) is a tuple of Python's; did "
                       "you mean [10, 20]?"));
  }

  void ourKeysInTheirSectionsAreAnsweredToo() {
    QCOMPARE(issuesOf("SOLVER:\n  base_lr: 0.1\n  accumulate: 2\n"),
             QStringLiteral(
                 "a.yaml:2:3: SOLVER.base_lr: unknown key; did you mean solver.base_lr: 0.1?\n"
                 "a.yaml:3:3: SOLVER.accumulate: unknown key; did you mean solver.accumulate?"));
  }
};

LOCKSTEP_TEST(TstOtherTools)
#include "tst_other_tools.moc"
