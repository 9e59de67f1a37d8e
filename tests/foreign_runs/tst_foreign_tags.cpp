#include <QTest>

#include "engine/events/tags.h"
#include "engine/foreign_runs/foreign_tags.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using foreign_runs::ownTagOf;

class TstForeignTags : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theirTagsBecomeOurs_data() {
    QTest::addColumn<std::string>("theirs");
    QTest::addColumn<std::string>("ours");
    QTest::addColumn<double>("factor");
    const auto row = [](const char* theirs, const char* ours, double factor = 1) {
      QTest::newRow(theirs) << std::string(theirs) << std::string(ours) << factor;
    };
    row("total_loss", "train/loss_total");
    row("loss_cls", "train/loss_classifier");
    row("loss_rpn_loc", "train/loss_rpn_box_reg");
    row("validation_loss", "eval/loss_total");
    row("segm/AP", "eval/segm/AP", 0.01);
    row("bbox/AP50", "eval/bbox/AP50", 0.01);
    row("bbox/APl", "eval/bbox/APl", 0.01);
    row("bbox/AP-traffic light", "eval/bbox/AP/class/traffic light", 0.01);
    row("bbox/AP-", "bbox/AP-");
    row("bbox/APx", "bbox/APx");
    row("loss_bbox", "train/loss_box_reg");
    row("loss_rpn_bbox", "train/loss_rpn_box_reg");
    row("coco/segm_mAP", "eval/segm/AP");
    row("coco/bbox_mAP_50", "eval/bbox/AP50");
    row("coco/bbox_mAP_s", "eval/bbox/APs");
    row("val/coco/segm_mAP_75", "eval/segm/AP75");
    row("train/loss", "train/loss_total");
    row("train/loss_bbox", "train/loss_box_reg");
    row("train/data_time", "time/data_seconds");
    row("val/loss_cls", "eval/loss_classifier");
    row("val/loss", "eval/loss_total");
    row("val/time", "val/time");
    row("lr", "solver/lr");
    // As Ultralytics 8 logs the segmentation of a coco128-seg, to TensorBoard and to MLflow.
    row("train/box_loss", "train/loss_box_reg");
    row("train/seg_loss", "train/loss_mask");
    row("train/cls_loss", "train/loss_classifier");
    row("train/dfl_loss", "train/dfl_loss");
    row("val/seg_loss", "eval/loss_mask");
    row("val/dfl_loss", "val/dfl_loss");
    row("metrics/mAP50-95(M)", "eval/segm/AP");
    row("metrics/mAP50-95(B)", "eval/bbox/AP");
    row("metrics/mAP50(M)", "eval/segm/AP50");
    row("metrics/mAP50B", "eval/bbox/AP50");
    row("metrics/mAP50-95M", "eval/segm/AP");
    row("metrics/mAP_0.5:0.95", "eval/bbox/AP");
    row("metrics/mAP_0.5(M)", "eval/segm/AP50");
    row("metrics/precision(B)", "metrics/precision(B)");
    row("metrics/mAP50-95(P)", "metrics/mAP50-95(P)");  // of key points
    row("lr/pg0", "solver/lr");
    row("lr/pg1", "lr/pg1");
    row("x/lr0", "solver/lr");
    row("DetectionMasks_Precision/mAP@.75IOU", "eval/segm/AP75");
    row("DetectionBoxes_Precision/mAP", "eval/bbox/AP");
    row("Loss/total_loss", "Loss/total_loss");  // also of its evaluations
    row("val/COCOAP50_95", "eval/bbox/AP");
    row("train/total_loss", "train/loss_total");
    row("Loss/Train", "train/loss_total");
    row("Loss/Test", "eval/loss_total");
    row("Metrics/Base/AP50", "eval/bbox/AP50");
    row("Metrics/EMA/AP50", "Metrics/EMA/AP50");
    row("train/learning_rate", "solver/lr");
    row("val_loss", "eval/loss_total");
    row("val_mrcnn_mask_loss", "eval/loss_mask");
    row("rpn_class_loss", "train/loss_objectness");
    row("acc", "acc");
    row("", "");
  }
  void theirTagsBecomeOurs() {
    QFETCH(std::string, theirs);
    QFETCH(std::string, ours);
    QFETCH(double, factor);
    const foreign_runs::OwnTag own = ownTagOf(theirs);
    QCOMPARE(own.tag, ours);
    QCOMPARE(own.factor, factor);
  }

  /// Our own logs are read by the same code.
  void oursAreUnchanged() {
    namespace tags = events::tags;
    for (const std::string& tag :
         {tags::train("loss_mask"), tags::train("loss_box_reg"), tags::eval("loss_classifier"),
          std::string(tags::kTrainTotalLoss), std::string(tags::kEvalTotalLoss),
          std::string(tags::kMaskAp), std::string(tags::kBoxAp), tags::apOfClass(tags::kMaskAp, 3),
          std::string(tags::kLearningRate), std::string(tags::kGradientNorm),
          std::string(tags::kStepSeconds), std::string(tags::kRpnRecall)}) {
      QCOMPARE(ownTagOf(tag).tag, tag);
      QCOMPARE(ownTagOf(tag).factor, 1.0);
    }
  }
};

LOCKSTEP_TEST(TstForeignTags)
#include "tst_foreign_tags.moc"
