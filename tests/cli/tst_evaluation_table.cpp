#include <QTest>
#include <fstream>

#include "engine/cli/evaluation_table.h"
#include "engine/cli/training_summary.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;

namespace {

constexpr const char* kDense =
    R"({"step": 4, "images": 3, "losses": {"loss_total": 0.5}, "bbox": {"AP": 0.25},
        "segm": {"AP": 0.069}, "classes": [], "past_limit": {"images_of_objects": 2,
        "objects": 2800, "images_of_detections": 0, "detections": 0}})";
constexpr const char* kPastLimitText =
    "\nAP counts only the 100 highest-scoring detections per class and image "
    "(evaluation.max_dets), as COCO's does: 2 images have more objects of a class, 2800 of which "
    "cannot be matched\n";

}  // namespace

class TstEvaluationTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pastLimitIsPrintedBelowTheTable() {
    protocol::EvaluateResult evaluation{.step = 4,
                                        .images = 3,
                                        .losses = {{"loss_mask", 0.25}, {"loss_total", 0.5}},
                                        .bbox = {{"AP", 0.25}, {"AP50", -1}},
                                        .segm = {{"AP", 0.069}},
                                        .pastLimit = "AP counts only the best"};
    const std::string table = cli::evaluationTable(evaluation);
    QVERIFY2(table.starts_with("step                        4\n"
                               "images                      3\n"
                               "loss_mask                0.25\n"
                               "loss_total                0.5\n"
                               "\n                         bbox       segm\n"
                               "AP                     0.2500     0.0690\n"
                               "AP50                        -          -\n"),
             table.c_str());
    QVERIFY2(table.ends_with("\n\nAP counts only the best\n"), table.c_str());
    evaluation.pastLimit.clear();
    evaluation.badImages = 2;
    const std::string plain = cli::evaluationTable(evaluation);
    QVERIFY2(!contains(plain, "AP counts"), plain.c_str());
    QVERIFY2(contains(plain, "bad_images                  2\n"), plain.c_str());
  }

  void lossesAloneHaveNoApTable() {
    const std::string table = cli::evaluationTable({.losses = {{"loss_total", 0.5}}});
    QVERIFY2(!contains(table, "bbox"), table.c_str());
  }

  void trainingSummaryReportsThePastLimit() {
    tests::EngineBench bench;
    bench.script("scalars 1 4\neval 4 0.5 0.5 best\ncheckpoint 4 best last\nfinish 4\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "run"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout layout(bench.folder() / "run");
    std::ofstream(layout.evaluation(4)) << kDense;
    const std::string summary = cli::summariseTraining(layout);
    QVERIFY2(contains(summary, "segm/AP: 0.069\n") && summary.ends_with(kPastLimitText),
             summary.c_str());
    for (const char* past : {"3", "{}", "{\"objects\": -5}", "{\"objects\": \"many\"}"}) {
      std::ofstream(layout.evaluation(4))
          << R"({"bbox": {"AP": 0.25}, "past_limit": )" << past << "}";
      const std::string broken = cli::summariseTraining(layout);
      QVERIFY2(broken.ends_with("bbox/AP: 0.25\n"), broken.c_str());
    }
  }
};

LOCKSTEP_TEST(TstEvaluationTable)

#include "tst_evaluation_table.moc"
