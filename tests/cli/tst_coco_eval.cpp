#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

json box(double x, double y, double side) { return {x, y, side, side}; }

/// 60 images of 100 x 100 px with a cell and a drop each; annotation 2 i - 1 and 2 i are in image
/// i.
void writeGroundTruth(const fs::path& file) {
  json images = json::array(), annotations = json::array();
  for (int i = 1; i <= 60; ++i) {
    const std::string name = "day 1/" + std::to_string(i) + ".png";
    images.push_back({{"id", i}, {"file_name", name}, {"width", 100}, {"height", 100}});
    for (const int kind : {1, 2}) {
      const double x = kind == 1 ? 10 : 60;
      annotations.push_back({{"id", 2 * i - 2 + kind},
                             {"image_id", i},
                             {"category_id", kind},
                             {"iscrowd", 0},
                             {"area", 400},
                             {"bbox", box(x, x, 20)},
                             {"segmentation", {{x, x, x + 20, x, x + 20, x + 20, x, x + 20}}}});
    }
  }
  const json categories{{{"id", 1}, {"name", "cell"}}, {{"id", 2}, {"name", "drop"}}};
  std::ofstream(file) << json{
      {"images", images}, {"annotations", annotations}, {"categories", categories}};
}

json detection(int image, int kind, double at, double score) {
  return {{"image_id", image}, {"category_id", kind}, {"bbox", box(at, at, 20)}, {"score", score}};
}

/// Image 1: the cell is found, and once more; the drop is taken for a cell; one detection scores
/// low. Others: the cell is found in all, the drop in those below `found`.
json results(int found) {
  json entries{detection(1, 1, 60, .8), detection(1, 1, 10, .9), detection(1, 1, 11, .7),
               detection(1, 2, 30, .05)};
  for (int i = 2; i <= 60; ++i) {
    entries.push_back(detection(i, 1, 10, .9));
    if (i < found) entries.push_back(detection(i, 2, 60, .8));
  }
  return entries;
}

}  // namespace

class TstCocoEval : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<EngineBench> bench_;

  /// coco-eval of a.json with more arguments.
  tests::EngineResult eval(const std::vector<std::string>& more, const std::string& type = "bbox") {
    std::vector<std::string> all{"coco-eval", "--gt", "gt.json", "--dt", "a.json", "--type", type};
    all.insert(all.end(), more.begin(), more.end());
    return bench_->run(all);
  }
  json evalJson(std::vector<std::string> more) {
    more.insert(more.end(), {"--out", "e.json"});
    const auto result = eval(more);
    if (result.status != 0) throw std::runtime_error(result.err);
    return json::parse(base::readFile(bench_->folder() / "e.json"));
  }

 private Q_SLOTS:
  void initTestCase() {
    bench_ = std::make_unique<EngineBench>();
    writeGroundTruth(bench_->folder() / "gt.json");
    std::ofstream(bench_->folder() / "a.json") << results(30);
    std::ofstream(bench_->folder() / "b.json") << results(61);
    std::ofstream(bench_->folder() / "none.json") << "[]";
    std::ofstream(bench_->folder() / "broken.json") << "[{\"image_id\": 1,";
    json strange = results(30);
    strange.push_back(detection(1, 9, 1, .5));
    std::ofstream(bench_->folder() / "strange.json") << strange;
  }
  void cleanupTestCase() { bench_.reset(); }

  void metricsAloneHaveNoOtherMembers() {
    const json all = evalJson({});
    QCOMPARE(all.size(), std::size_t{3});
    const auto lines = eval({}).out;
    QCOMPARE(std::count(lines.begin(), lines.end(), '\n'), std::ptrdiff_t{12});
  }

  void boundaryIsASeparateType() {
    // Without masks the boxes count. The duplicate of image 1 is off by 1 px: 0.82 of the masks,
    // 0.57 of the boundaries, which are 3 px deep, of 141 px in the diagonal.
    const auto figure = [&](const std::string& type) {
      const auto result = eval({"--out", "t.json"}, type);
      return json::parse(base::readFile(bench_->folder() / "t.json"))["type"].get<std::string>() +
             result.out;
    };
    QVERIFY(figure("segm").starts_with("segm"));
    QVERIFY(figure("boundary").starts_with("boundaryAP "));
  }

  void whatNeedsMasksIsRefusedIfNoObjectHasOne_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("figures");
    QTest::addColumn<QString>("error");
    const QString why = QStringLiteral(": needs masks, and no object of boxes.json has one; ");
    QTest::newRow("label maps") << "bbox"
                                << "counts,f1,pq"
                                << "--figures pq,f1" + why;
    QTest::newRow("masks") << "segm"
                           << "counts"
                           << "--type segm" + why + "use --type bbox";
    QTest::newRow("boxes") << "bbox"
                           << "counts,lvis"
                           << "";
  }
  void whatNeedsMasksIsRefusedIfNoObjectHasOne() {
    QFETCH(QString, type);
    QFETCH(QString, figures);
    QFETCH(QString, error);
    json truth = json::parse(base::readFile(bench_->folder() / "gt.json"));
    for (json& annotation : truth["annotations"]) annotation.erase("segmentation");
    std::ofstream(bench_->folder() / "boxes.json") << truth;
    const auto result = bench_->run({"coco-eval", "--gt", "boxes.json", "--dt", "a.json", "--type",
                                     type.toStdString(), "--figures", figures.toStdString()});
    QCOMPARE(result.status, error.isEmpty() ? 0 : 2);
    QVERIFY2(contains(result.err, error.toStdString()), result.err.c_str());
  }

  void comparisonIsOneLineAndAMember() {
    const auto better = eval({"--compare", "b.json"});
    QCOMPARE(better.status, 0);
    QVERIFY2(contains(better.out, "\n\nb.json is better than a.json by "), better.out.c_str());
    QVERIFY2(contains(better.out, " resamples of 60 images, not of trainings\n"),
             better.out.c_str());
    const json all = evalJson({"--compare", "b.json"});
    const json& comparison = all["comparison"];
    QCOMPARE(comparison["file"].get<std::string>(), std::string("b.json"));
    QCOMPARE(comparison["verdict"].get<std::string>(), std::string("better"));
    QCOMPARE(comparison["stats"].size(), std::size_t{12});
    const double difference = comparison["stats"][0].get<double>() - all["stats"][0].get<double>();
    QVERIFY(std::abs(comparison["difference"].get<double>() - difference) < 1e-12);
    QVERIFY(comparison["interval"][0].get<double>() > 0);
    QVERIFY(comparison["p"].get<double>() < .05);
  }

  void sameResultsShowNoDifference() {
    const auto same = eval({"--compare", "a.json"}, "segm");
    QVERIFY2(contains(same.out, "no significant difference of "), same.out.c_str());
    QVERIFY2(contains(same.out, ": 0.0 AP points (95 % CI 0.0 to 0.0, p = 1.000); "),
             same.out.c_str());
    const auto worse = bench_->run({"coco-eval", "--gt", "gt.json", "--dt", "b.json", "--type",
                                    "bbox", "--compare", "none.json"});
    QVERIFY2(contains(worse.out, "none.json is worse than b.json by "), worse.out.c_str());
  }

  void comparedFileIsValidatedToo() {
    const auto strange = eval({"--compare", "strange.json"});
    QCOMPARE(strange.status, 0);
    QVERIFY2(contains(strange.err, "strange.json: 1 of"), strange.err.c_str());
    const auto broken = eval({"--compare", "broken.json"});
    QCOMPARE(broken.status, 1);
    QVERIFY2(broken.err.starts_with("broken.json:1:17: "), broken.err.c_str());
    QVERIFY(broken.out.empty());
  }

  void analysisCountsAtAThreshold() {
    const json analysis = evalJson({"--analysis", "--score-threshold", "0.1"})["analysis"];
    QCOMPARE(analysis["iou_threshold"].get<double>(), .5);
    const json& point = analysis["operating_point"];
    QCOMPARE(point["score_threshold"].get<double>(), .1);
    QVERIFY(!point["is_best_f1"].get<bool>());
    // 60 cells, 28 drops are right; in image 1 a duplicate and a drop taken for a cell.
    const json& all = point["sizes"][0];
    QCOMPARE(all["name"].get<std::string>(), std::string("all"));
    QCOMPARE(all["tp"].get<int>(), 88);
    QCOMPARE(all["fp"].get<int>(), 2);
    QCOMPARE(all["fn"].get<int>(), 32);
    QCOMPARE(all["precision"].get<double>(), 88. / 90);
    QCOMPARE(all["recall"].get<double>(), 88. / 120);
    QCOMPARE(all["f1"].get<double>(), 176. / 210);
    QCOMPARE(point["sizes"][1]["tp"].get<int>(), 88);
    QCOMPARE(point["sizes"][2]["precision"].get<double>(), -1.);
    QCOMPARE(point["classes"][1]["name"].get<std::string>(), std::string("drop"));
    QCOMPARE(point["classes"][1]["fn"].get<int>(), 32);
    QVERIFY(analysis["confusion"]["names"] == (json{"cell", "drop", "background"}));
    QVERIFY(analysis["confusion"]["counts"] == (json{{60, 0, 0}, {1, 28, 31}, {1, 0, 0}}));
  }

  void analysisHasErrorsCurvesAndIntervals() {
    const json all = evalJson({"--analysis"});
    const json& analysis = all["analysis"];
    QVERIFY(analysis["operating_point"]["is_best_f1"].get<bool>());
    const json& errors = analysis["errors"];
    QCOMPARE(errors["duplicate"]["count"].get<int>(), 1);
    QCOMPARE(errors["classification"]["count"].get<int>(), 1);
    QCOMPARE(errors["background"]["count"].get<int>(), 1);
    QCOMPARE(errors["missed"]["count"].get<int>(), 31);
    QCOMPARE(errors["false_positives"]["count"].get<int>(), 3);
    QCOMPARE(errors["false_negatives"]["count"].get<int>(), 32);
    QCOMPARE(errors["AP"].get<double>(), all["stats"][1].get<double>());
    QCOMPARE(analysis["curves"]["mean"]["AP"].get<double>(), all["stats"][1].get<double>());
    QCOMPARE(analysis["curves"]["classes"][1]["AP"].get<double>(),
             all["classes"][1]["AP50"].get<double>());
    QCOMPARE(analysis["curves"]["classes"][0]["precision"].size(), std::size_t{101});
    QVERIFY(analysis["curves"]["pooled"]["best_f1_score"] ==
            analysis["operating_point"]["score_threshold"]);
    QCOMPARE(analysis["by_score"].size(), std::size_t{101});
    QCOMPARE(analysis["by_score"][10]["tp"].get<int>(), 88);
    const json& interval = analysis["bootstrap"]["AP"];
    QVERIFY(interval[0].get<double>() < interval[1].get<double>());
    QCOMPARE(analysis["bootstrap"]["resamples"].get<int>(), 1000);
  }

  void analysisIsPrintedToo() {
    const auto result = eval({"--analysis", "--score-threshold", "0.1", "--iou-threshold", "0.6"});
    QCOMPARE(result.status, 0);
    for (const char* part :
         {"95 % confidence interval over 1000 bootstrap resamples",
          "at score >= 0.1 and IoU >= 0.6\n",
          "all                     0.9778  0.7333  0.8381       88        2       32\n",
          "  drop                  1.0000  0.4667  0.6364       28        0       32\n",
          "       1  drop -> cell\n", "classification              1  +0."}) {
      QVERIFY2(contains(result.out, part), (part + ("\n" + result.out)).c_str());
    }
    QVERIFY(contains(eval({"--analysis"}).out, " (best F1) and IoU >= 0.5\n"));
  }

  void matchesListEveryInstance() {
    const json all = evalJson({"--matches", "--score-threshold", "0.1"});
    QVERIFY(all.contains("analysis"));
    const json& matches = all["matches"];
    QCOMPARE(matches.size(), std::size_t{60});
    const json wanted = json::parse(R"({"image_id": 1, "file_name": "day 1/1.png", "detections": [
      {"index": 1, "verdict": "tp", "annotation_id": 1, "iou": 1.0, "error": null},
      {"index": 0, "verdict": "fp", "annotation_id": null, "iou": 0.0, "error": "classification"},
      {"index": 2, "verdict": "fp", "annotation_id": null, "iou": 0.0, "error": "duplicate"}],
      "missed": [2]})");
    json found = matches[0];
    const double iou = found["detections"][2]["iou"].get<double>();
    QVERIFY2(std::abs(iou - 361. / 439) < 1e-9, "the best IoU of its class, although it is taken");
    found["detections"][2]["iou"] = 0.0;
    QVERIFY2(found == wanted, found.dump().c_str());
    QVERIFY(matches[59]["missed"] == json::array({120}));
  }

  void annotationIdZeroCountsUnlessPycocotoolsIsRepeated() {
    json truth = json::parse(base::readFile(bench_->folder() / "gt.json"));
    truth["annotations"][0]["id"] = 0;
    std::ofstream(bench_->folder() / "zero.json") << truth;
    const auto evalZero = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all{"coco-eval", "--gt",   "zero.json", "--dt",
                                   "b.json",    "--type", "bbox",      "--matches",
                                   "--figures", "lvis",   "--out",     "z.json"};
      all.insert(all.end(), more.begin(), more.end());
      return bench_->run(all);
    };
    const auto outcome = [&] {
      const json all = json::parse(base::readFile(bench_->folder() / "z.json"));
      return json{all["matches"][0]["detections"][0]["verdict"], all["matches"][0]["missed"],
                  all["analysis"]["errors"]["missed"]["count"],
                  std::lround(120 * all["stats"][8].get<double>())};
    };
    const auto found = evalZero({});
    QVERIFY2(contains(found.err, "zero.json: an annotation has id 0: "), found.err.c_str());
    // The drop of image 1, one of 120 objects, is taken for a cell.
    QCOMPARE(outcome().dump(), (json{"tp", json::array({2}), 0, 119}).dump());
    const auto lost = evalZero({"--pycocotools-exact"});
    QVERIFY2(!contains(lost.err, "id 0"), lost.err.c_str());
    QCOMPARE(outcome().dump(), (json{"fp", json::array({0, 2}), 1, 118}).dump());
  }

  void reportHasTheMetricsOfOut() {
    fs::create_directories(bench_->folder() / "pictures/day 1");
    std::ofstream(bench_->folder() / "pictures/day 1/1.png") << "\x89PNG\r\n\x1a\n";
    const auto result = eval({"--report", "r.html", "--images", "pictures", "--compare", "b.json",
                              "--out", "e.json", "--score-threshold", "0.1"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.err,
                      "r.html: 23 images are missing, the first of them day 1/30.png: no such "
                      "file\n"),
             result.err.c_str());
    QCOMPARE(std::count(result.err.begin(), result.err.end(), '\n'), std::ptrdiff_t{1});
    QVERIFY2(!contains(result.out, "at score"), "the analysis is in the page");
    const std::string html = base::readFile(bench_->folder() / "r.html");
    const json all = json::parse(base::readFile(bench_->folder() / "e.json"));
    for (const json& figure : {all["stats"][0], all["stats"][8], all["comparison"]["stats"][0]}) {
      char cell[40];
      std::snprintf(cell, sizeof cell, ">%.4f</td>", figure.get<double>());
      QVERIFY2(contains(html, cell), cell);
    }
    QVERIFY(contains(html, "24 of 32 images with errors, out of 60"));
    QVERIFY(contains(html, "src=\"data:image/png;base64,iVBORw0KGgo=\""));
    QVERIFY(contains(html, "b.json is better than a.json by "));
  }

  void objectsPastTheLimitAreReportedBesideEveryAp() {
    json images{{{"id", 1}, {"file_name", "a.png"}, {"width", 200}, {"height", 200}}},
        annotations = json::array(), entries = json::array();
    for (int i = 0; i < 130; ++i) {
      const double x = 1 + 15 * (i % 13), y = 1 + 15 * (i / 13);
      annotations.push_back({{"image_id", 1},
                             {"category_id", 1},
                             {"bbox", {x, y, 10, 10}},
                             {"segmentation", {{x, y, x + 10, y, x + 10, y + 10, x, y + 10}}}});
      if (i < 120) {
        entries.push_back(
            {{"image_id", 1}, {"category_id", 1}, {"bbox", {x, y, 10, 10}}, {"score", .5}});
      }
    }
    const json categories{{{"id", 1}, {"name", "cell"}}};
    std::ofstream(bench_->folder() / "dense.json")
        << json{{"images", images}, {"annotations", annotations}, {"categories", categories}};
    std::ofstream(bench_->folder() / "found.json") << entries;
    entries.erase(entries.begin(), entries.begin() + 30);
    std::ofstream(bench_->folder() / "fewer.json") << entries;
    const auto result =
        bench_->run({"coco-eval", "--gt", "dense.json", "--dt", "found.json", "--compare",
                     "fewer.json", "--type", "segm", "--report", "dense.html", "--out", "d.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const std::string start =
        "AP counts only the 100 highest-scoring detections per class and image (--max-dets), as "
        "COCO's does: 1 image has more objects of a class, 30 of which cannot be matched";
    const std::string ours = start + "; 20 detections of 1 image are ignored";
    QVERIFY2(contains(result.out, ("\n" + ours + "\n").c_str()), result.out.c_str());
    QVERIFY2(contains(result.out, ("\nfewer.json: " + start + "\n").c_str()), result.out.c_str());
    QVERIFY2(contains(result.err, "dense.json: 130 annotations without an id got new ids\n"),
             result.err.c_str());
    const std::string html = base::readFile(bench_->folder() / "dense.html");
    QVERIFY(contains(html, (ours + ".</p>").c_str()));
    QVERIFY(contains(html, ("fewer.json: " + start + ".</p>").c_str()));
    const json all = json::parse(base::readFile(bench_->folder() / "d.json"));
    const json wanted = json::parse(
        R"({"images_of_objects": 1, "objects": 30, "images_of_detections": 1, "detections": 20,
            "limit": 100})");
    QVERIFY2(all["past_limit"] == wanted, all["past_limit"].dump().c_str());
    QCOMPARE(all["comparison"]["past_limit"]["detections"].get<int>(), 0);
    QVERIFY(!evalJson({}).contains("past_limit"));

    const auto all200 =
        bench_->run({"coco-eval", "--gt", "dense.json", "--dt", "found.json", "--type", "bbox",
                     "--max-dets", "1,50,200", "--report", "dense.html", "--out", "d.json"});
    QVERIFY2(all200.status == 0, all200.err.c_str());
    QVERIFY2(contains(all200.out, "AR200  0.9231\n") && !contains(all200.out, "AP counts"),
             all200.out.c_str());
    const json other = json::parse(base::readFile(bench_->folder() / "d.json"));
    QCOMPARE(other["names"][8].get<std::string>(), std::string("AR200"));
    QVERIFY(std::abs(other["stats"][8].get<double>() - 120. / 130) < 1e-12);
    QVERIFY(!other.contains("past_limit"));
    QVERIFY(contains(base::readFile(bench_->folder() / "dense.html"), "AR200"));
  }

  void sizesThresholdsAndCategoriesCanBeOthers() {
    const json all = evalJson({"--areas", "tiny=0:100,cell=100:1000", "--iou-thresholds", "0.3",
                               "--categories", "drop,1", "--analysis"});
    QVERIFY(all["names"] == (json{"AP", "AP50", "AP75", "AP_tiny", "AP_cell", "AR1", "AR10",
                                  "AR100", "AR_tiny", "AR_cell"}));
    QCOMPARE(all["stats"].size(), std::size_t{10});
    QCOMPARE(all["stats"][1].get<double>(), -1.);  // there is no such threshold
    QCOMPARE(all["stats"][3].get<double>(), -1.);
    QCOMPARE(all["stats"][4].get<double>(), all["stats"][0].get<double>());
    const json& sizes = all["analysis"]["operating_point"]["sizes"];
    QCOMPARE(sizes.size(), std::size_t{3});
    QCOMPARE(sizes[2]["name"].get<std::string>(), std::string("cell"));
    const json drops = evalJson({"--categories", "2"});
    QCOMPARE(drops["classes"].size(), std::size_t{1});
    QCOMPARE(drops["classes"][0]["name"].get<std::string>(), std::string("drop"));
    const json one = evalJson({"--class-agnostic", "--analysis", "--score-threshold", "0.1"});
    QCOMPARE(one["classes"][0]["name"].get<std::string>(), std::string("all classes"));
    // The drop of image 1 that was taken for a cell is one of all classes.
    QCOMPARE(one["analysis"]["operating_point"]["sizes"][0]["tp"].get<int>(), 89);
  }

  void badParametersAreOneLine_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* option, const char* value, const char* message) {
      QTest::newRow(value) << QString::fromLatin1(option) << QString::fromLatin1(value)
                           << QString::fromLatin1(message);
    };
    row("--max-dets", "1,10", "expected three numbers of detections in ascending order");
    row("--max-dets", "10,10,100", "expected three numbers of detections in ascending order");
    row("--max-dets", "0,10,100", "expected three numbers of detections in ascending order");
    row("--max-dets", "1,x,100", "expected three numbers of detections in ascending order");
    row("--areas", "small", "expected NAME=LOW:HIGH");
    row("--areas", "small=9:3", "expected NAME=LOW:HIGH");
    row("--areas", "a=0:1,a=1:2", "--areas: 'a' is given twice");
    row("--areas", "all=0:1", "all objects have a row anyway");
    row("--areas", "a=0:1,b=0:1,c=0:1,d=0:1,e=0:1,f=0:1,g=0:1,h=0:1", "at most 7 are possible");
    row("--iou-thresholds", "0.5,0.4", "in ascending order");
    row("--iou-thresholds", "1.5", "at most 1");
    row("--categories", "cell,fox", "has no category 'fox'");
    row("--figures", "pq,f2", "--figures: 'f2' is not one of pq, f1, aji, counts, lvis");
  }
  void badParametersAreOneLine() {
    QFETCH(QString, option);
    QFETCH(QString, value);
    QFETCH(QString, message);
    const auto result = eval({option.toStdString(), value.toStdString()});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, message.toStdString().c_str()), result.err.c_str());
    QCOMPARE(std::count(result.err.begin(), result.err.end(), '\n'), std::ptrdiff_t{1});
  }

  void metricsOfOtherFieldsAreMembersAndTables() {
    const json all = evalJson(
        {"--figures", "pq,f1,aji,counts,lvis", "--score-threshold", "0.1", "--report", "r.html"});
    QCOMPARE(all["figures_at"]["score_threshold"].get<double>(), .1);
    QVERIFY(!all["figures_at"]["is_best_f1"].get<bool>());
    // The duplicate of image 1 is what is left of it around the better detection.
    QCOMPARE(all["pq"]["classes"][1]["tp"].get<int>(), 28);
    QCOMPARE(all["pq"]["classes"][1]["fn"].get<int>(), 32);
    QCOMPARE(all["f1"]["thresholds"].size(), std::size_t{10});
    QCOMPARE(all["f1"]["thresholds"][0]["tp"].get<int>(), 88);
    QCOMPARE(all["f1"]["classes"][0]["thresholds"][0]["tp"].get<int>(), 60);
    QVERIFY(all["aji"]["aji"].get<double>() > 0.7);
    QCOMPARE(all["aji"]["images"].get<int>(), 60);
    QCOMPARE(all["counts"]["mae"].get<double>(), 32. / 60);
    QCOMPARE(all["lvis"]["AR300"].get<double>(), all["stats"][8].get<double>());
    QVERIFY(all["lvis"]["has_counted_frequencies"].get<bool>());
    const std::string html = base::readFile(bench_->folder() / "r.html");
    for (const char* part : {"panoptic quality", "aggregated Jaccard index", "objects per image"})
      QVERIFY2(contains(html, part), part);
    const auto printed = eval({"--figures", "pq,counts"});
    QVERIFY2(contains(printed.out, "(best F1)\npanoptic quality") &&
                 contains(printed.out, "objects per image"),
             printed.out.c_str());
    QVERIFY2(!contains(printed.out, "AJI"), printed.out.c_str());
    QVERIFY(contains(eval({"--score-threshold", "0.1"}).err, "--figures"));
  }

  void reportThatCannotBeWrittenLeavesTheOldOne() {
    std::ofstream(bench_->folder() / "old.html") << "old";
    const auto result = eval({"--report", "old.html", "--compare", "broken.json"});
    QCOMPARE(result.status, 1);
    QCOMPARE(base::readFile(bench_->folder() / "old.html"), std::string("old"));
  }

  void withoutObjectsOrDetectionsMetricsAreUndefined() {
    std::ofstream(bench_->folder() / "empty.json")
        << R"({"images":[{"id":1,"file_name":"a","width":9,"height":9}],"annotations":[],"categories":[{"id":1,"name":"x"}]})";
    const auto result = bench_->run({"coco-eval", "--gt", "empty.json", "--dt", "none.json",
                                     "--type", "segm", "--matches", "--out", "e.json", "--compare",
                                     "none.json", "--report", "r.html"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.out, "no comparison of none.json"), result.out.c_str());
    const json all = json::parse(base::readFile(bench_->folder() / "e.json"));
    QCOMPARE(all["analysis"]["bootstrap"]["resamples"].get<int>(), 0);
    QCOMPARE(all["analysis"]["operating_point"]["sizes"][0]["f1"].get<double>(), -1.);
  }
};

LOCKSTEP_TEST(TstCocoEval)
#include "tst_coco_eval.moc"
