#include <QFile>
#include <QImage>
#include <QPainter>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <tuple>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

namespace {

constexpr int kWidth = 160, kHeight = 120;

/// Kind, part, image.
using Found = std::tuple<std::string, std::string, std::int64_t>;

/// A picture of random colours with a white square at 20, 30 of 40 x 40 px.
QImage picture(unsigned seed, int width = kWidth, int height = kHeight) {
  std::mt19937 random(seed);
  QImage cells(8, 6, QImage::Format_RGB32);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 8; ++x) cells.setPixel(x, y, random() % 0xc0c0c0);
  QImage image = cells.scaled(width, height, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  QPainter(&image).fillRect(20, 30, 40, 40, Qt::white);
  return image;
}

/// A JPEG's bytes with an EXIF orientation.
QByteArray withOrientation(const QByteArray& jpeg, char orientation) {
  const QByteArray tiff = QByteArray("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) +
                          orientation + QByteArray("\0\0\0\0\0\0\0", 7);
  const QByteArray payload = QByteArray("Exif\0\0", 6) + tiff;
  return QByteArray("\xff\xd8\xff\xe1\0", 5) + static_cast<char>(payload.size() + 2) + payload +
         jpeg.mid(2);
}

std::vector<Found> faultsOf(const json& report) {
  std::vector<Found> found;
  for (const json& fault : report["faults"])
    found.emplace_back(fault["kind"], fault["part"],
                       fault["image_id"].is_null() ? 0 : fault["image_id"].get<std::int64_t>());
  std::ranges::sort(found);
  return found;
}

}  // namespace

/// `dataset check` with its worker, on generated images and on real ones.
class TstDatasetCheck : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { place_ = std::make_unique<TestWorkspace>(); }

  void generatedScenesHaveNoFault() {
    place_->copyShapes();
    const ProcessResult checked = engine("dataset check shapes/experiment.yaml --out shapes.json");
    QVERIFY2(checked.status == 0, checked.err.constData());
    QVERIFY2(checked.out.startsWith("training:   4 images, ") &&
                 checked.out.contains("\nvalidation: 2 images, ") &&
                 checked.out.contains("\nerrors:     none\n") &&
                 checked.out.contains("\nusable:     yes\nwritten:    "),
             checked.out.constData());
    const json report = reportIn("shapes.json");
    QCOMPARE(report["parts"].size(), 2u);
    QCOMPARE(report["parts"][0]["images"].get<int>(), 4);
    QVERIFY(report["faults"].empty());
  }

  void faultsOfImagesAreFoundAndCleaned() {
    plantImages();
    const ProcessResult checked =
        engine("dataset check planted/experiment.yaml --out planted.json --fix clean");
    QVERIFY2(checked.status == 0, checked.err.constData());  // training would stop at some of them
    QVERIFY2(checked.out.contains("\nsource:     unusable: ") &&
                 checked.out.contains("4 of the 9 images cannot be used") &&
                 checked.out.contains("\nusable:     yes, as cleaned\n"),
             checked.out.constData());
    QVERIFY(reportIn("planted.json")["usable"].get<bool>());
    QCOMPARE(reportIn("planted.json")["source_refusals"].size(), 2u);
    const ProcessResult unfixed = engine("dataset check planted/experiment.yaml");
    QVERIFY2(unfixed.status == 1 && unfixed.err.contains("planted/experiment.yaml: unusable: "),
             unfixed.err.constData());
    const std::vector<Found> expected{
        {"image_missing", "train", 2},         {"image_rotated", "train", 6},
        {"image_rotated", "val", 3},           {"image_size", "train", 5},
        {"image_truncated", "train", 4},       {"image_unreadable", "train", 3},
        {"image_unreadable", "train", 9},      {"picture_in_both_parts", "train", 6},
        {"picture_in_both_parts", "train", 8}, {"picture_twice", "train", 7}};
    QVERIFY2(faultsOf(reportIn("planted.json")) == expected,
             json(faultsOf(reportIn("planted.json"))).dump().c_str());

    const ProcessResult again = engine("dataset check clean/experiment.yaml --out clean.json");
    QVERIFY2(again.status == 0, again.err.constData());
    QVERIFY2(faultsOf(reportIn("clean.json")).empty(), again.out.constData());
    QCOMPARE(reportIn("clean.json")["parts"][0]["images"].get<int>(), 1);
    QCOMPARE(reportIn("clean.json")["parts"][1]["images"].get<int>(), 3);
  }

  void framesWithSmallObjectsInOtherPlacesAreSimilarAndNotTheSame() {
    const auto writeFrame = [this](const QString& name, unsigned seed, int quality) {
      QImage image = picture(3, 1920, 1080);
      std::mt19937 random(seed);
      QPainter painter(&image);
      for (int object = 0; object < 12; ++object) {
        const int x = static_cast<int>(random() % 1910), y = static_cast<int>(random() % 1072);
        painter.fillRect(x, y, 10, 8, Qt::white);
      }
      painter.end();
      writeJpeg(QStringLiteral("frames/images/") + name, image, quality);
    };
    writeFrame(QStringLiteral("1.jpg"), 1, 92);
    writeFrame(QStringLiteral("2.jpg"), 2, 92);
    writeFrame(QStringLiteral("3.jpg"), 1, 30);  // the first again
    writeDataset(QStringLiteral("frames"), {{"train", {annotationOf(1), annotationOf(2)}, 3}},
                 QSize(1920, 1080));
    const ProcessResult checked =
        engine("dataset check frames/experiment.yaml --out frames.json --fix frames/clean");
    QVERIFY2(checked.status == 0, checked.err.constData());
    const json report = reportIn("frames.json");
    const std::vector<Found> expected{{"picture_twice", "train", 3}};
    QVERIFY2(faultsOf(report) == expected, checked.out.constData());
    QVERIFY(std::ranges::any_of(report["notes"], [](const json& note) {
      return note["kind"] == "similar_picture" && note["image_id"] == 2;
    }));
    QCOMPARE(engine("dataset check frames/clean/experiment.yaml").status, 0);
  }

  void aPartThatCleaningEmptiesIsNotCalledUsable() {
    for (const char* part : {"train", "val"}) {
      const QString folder = QStringLiteral("same/") + QString::fromUtf8(part);
      writeJpeg(folder + QStringLiteral("/1.jpg"), picture(1));
      writeJpeg(folder + QStringLiteral("/2.jpg"), picture(2));
    }
    const std::vector<json> annotations{annotationOf(1), annotationOf(2)};
    writeDataset(QStringLiteral("same"), {{"train", annotations, 2}, {"val", annotations, 2}});
    const ProcessResult checked = engine("dataset check same/experiment.yaml --fix same/clean");
    QCOMPARE(checked.status, 1);
    const QByteArray reason =
        "no training image is left: all of them are also validation images; split the dataset "
        "again\n";
    QVERIFY2(
        checked.out.contains(QByteArray("\nleft:       ").append(reason)) &&
            checked.out.contains(QByteArray("\nusable:     no, as cleaned: ").append(reason)) &&
            !checked.out.contains("next:"),
        checked.out.constData());
  }

  void skippedImagesAreFaultsThatTrainingAccepts() {
    write("skip.yaml", "base: planted/experiment.yaml\ndataset: {bad_images: skip}\n");
    const ProcessResult checked = engine("dataset check skip.yaml --out skip.json");
    QCOMPARE(checked.status, 0);
    QCOMPARE(reportIn("skip.json")["faults"].size(), 10u);
  }

  void annotationsOfTurnedImagesComeToLieOnTheStoredPixels_data() {
    QTest::addColumn<int>("orientation");
    for (const int orientation : {5, 6, 7, 8}) QTest::addRow("%d", orientation) << orientation;
  }
  void annotationsOfTurnedImagesComeToLieOnTheStoredPixels() {
    QFETCH(int, orientation);
    const QString name = QStringLiteral("turned%1").arg(orientation);
    QImage displayed(kWidth, kHeight, QImage::Format_RGB32);
    displayed.fill(Qt::black);
    QPainter(&displayed).fillRect(20, 30, 40, 25, Qt::white);
    // As stored: the opposite of what the orientation says.
    const QTransform turn = orientation == 5   ? QTransform(0, 1, 1, 0, 0, 0)
                            : orientation == 6 ? QTransform().rotate(-90)
                            : orientation == 7 ? QTransform(0, -1, -1, 0, 0, 0)
                                               : QTransform().rotate(90);
    writeJpeg(name + QStringLiteral("/images/1.jpg"), displayed.transformed(turn), 95,
              static_cast<char>(orientation));
    json annotation = annotationOf(1);
    annotation["bbox"] = {20, 30, 40, 25};
    annotation["segmentation"] = {{20, 30, 60, 30, 60, 55, 20, 55}};
    annotation["keypoints"] = {20, 30, 2, 59, 54, 1};  // opposite corners
    writeDataset(name, {{"train", {annotation}, 1}});
    const QByteArray folder = name.toUtf8();
    const ProcessResult checked =
        engine(("dataset check " + folder + "/experiment.yaml --fix " + folder + "/clean"));
    QVERIFY2(checked.status == 0, checked.err.constData());
    const json cleaned =
        reportIn(folder + "/clean/annotations/instances_train.json")["annotations"][0];
    const json &clean = cleaned["bbox"], &keypoints = cleaned["keypoints"];
    const QImage stored(place_->path(name + QStringLiteral("/images/1.jpg")));
    QCOMPARE(stored.size(), QSize(kHeight, kWidth));
    QRect white;
    for (int y = 0; y < stored.height(); ++y)
      for (int x = 0; x < stored.width(); ++x)
        if (qGray(stored.pixel(x, y)) > 128) white |= QRect(x, y, 1, 1);
    QCOMPARE(
        QRect(clean[0].get<int>(), clean[1].get<int>(), clean[2].get<int>(), clean[3].get<int>()),
        white);
    const QPoint first(keypoints[0].get<int>(), keypoints[1].get<int>()),
        last(keypoints[3].get<int>(), keypoints[4].get<int>());
    QCOMPARE(QRect(first, first) | QRect(last, last), white);
  }

  void onePartAloneIsEnough() {
    write("alone.yaml",
          "dataset: {val: {images: planted/val, annotations: planted/val.json}}\n"
          "model: {norm: group}\n");
    const ProcessResult checked = engine("dataset check alone.yaml");
    QVERIFY2(checked.status == 0, checked.err.constData());
    QVERIFY2(checked.out.startsWith("validation: 3 images, "), checked.out.constData());
  }

  void whatTrainingRefusesIsUnusable() {
    write("broken.json", "{\"images\": [}");
    write("broken.yaml",
          "base: planted/experiment.yaml\n"
          "dataset: {train: {annotations: broken.json}, val: {}}\n");
    const ProcessResult checked =
        engine("dataset check broken.yaml --out broken.out.json --fix none");
    QCOMPARE(checked.status, 1);
    const json fault = reportIn("broken.out.json")["faults"][0];
    QCOMPARE(fault["kind"].get<std::string>(), std::string("invalid_file"));
    QCOMPARE(fault["byte"].get<int>(), 13);
    QCOMPARE(engine("dataset check alone.yaml --out -").out.left(14), "{\"usable\":true");
  }

  void realDataHaveTheFaultsThatAPlainScriptFinds_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<int>("faultsOfTrain");
    QTest::addColumn<int>("faultsOfVal");
    QTest::newRow("droplets") << QStringLiteral("droplets") << QString() << 27 << 0;
    QTest::newRow("COCO") << QStringLiteral("coco-tiny") << QStringLiteral("2017") << 5 << 11;
  }
  void realDataHaveTheFaultsThatAPlainScriptFinds() {
    QFETCH(QString, folder);
    QFETCH(QString, suffix);
    QFETCH(int, faultsOfTrain);
    QFETCH(int, faultsOfVal);
    const std::string data = tests::realData(folder.toStdString());
    if (data.empty()) QSKIP("LOCKSTEP_TEST_DATA has no such data");
    const QString root = QString::fromStdString(data);
    QByteArray experiment = "model: {norm: group}\ndataset:\n";
    for (const QString& part : {QStringLiteral("train"), QStringLiteral("val")})
      experiment += QStringLiteral(
                        "  %1: {images: \"%2/%1%3\", annotations: "
                        "\"%2/annotations/instances_%1%3.json\"}\n")
                        .arg(part, root, suffix)
                        .toUtf8();
    write("real.yaml", experiment);
    const QByteArray clean = folder.toUtf8() + "-clean";
    const ProcessResult checked = engine("dataset check real.yaml --out real.json --fix " + clean);
    QVERIFY2(checked.status == 0, checked.err.constData());
    const json report = reportIn("real.json");
    const auto count = [&](const char* part) {
      return std::ranges::count_if(report["faults"],
                                   [&](const json& fault) { return fault["part"] == part; });
    };
    QCOMPARE(count("train"), faultsOfTrain);
    QCOMPARE(count("val"), faultsOfVal);
    const ProcessResult again =
        engine("dataset check " + clean + "/experiment.yaml --out clean.json");
    QVERIFY2(again.status == 0 && reportIn("clean.json")["faults"].empty(), again.out.constData());
    compareWithScript(report, root, suffix);
  }

 private:
  ProcessResult engine(const QByteArray& line) const {
    return place_->engine(words(line.constData()));
  }
  void write(const QByteArray& name, const QByteArray& text) const {
    place_->write(QString::fromUtf8(name), text);
  }
  json reportIn(const QByteArray& name) const {
    return json::parse(place_->read(QString::fromUtf8(name)).toStdString());
  }

  void writeJpeg(const QString& name, const QImage& image, int quality = 92,
                 char orientation = 0) const {
    place_->write(name, {});
    QVERIFY(image.save(place_->path(name), "JPEG", quality));
    if (orientation > 0) place_->write(name, withOrientation(place_->read(name), orientation));
  }

  static json annotationOf(int image) {
    return {{"id", image},
            {"image_id", image},
            {"category_id", 1},
            {"iscrowd", 0},
            {"area", 1600},
            {"bbox", {20, 30, 40, 40}},
            {"segmentation", {{20, 30, 60, 30, 60, 70, 20, 70}}}};
  }

  struct MadePart {
    const char* name;
    std::vector<json> annotations;
    int images;
  };
  /// NAME/experiment.yaml and annotations of images 1.jpg … of one size in NAME/images, or of
  /// two parts in NAME/train and NAME/val.
  void writeDataset(const QString& name, const std::vector<MadePart>& parts,
                    QSize size = {kWidth, kHeight}) const {
    QByteArray experiment = "model: {norm: group}\ndataset:\n";
    for (const MadePart& part : parts) {
      json made = {{"images", json::array()},
                   {"annotations", part.annotations},
                   {"categories", {{{"id", 1}, {"name", "square"}}}}};
      for (int id = 1; id <= part.images; ++id)
        made["images"].push_back({{"id", id},
                                  {"file_name", std::to_string(id) + ".jpg"},
                                  {"width", size.width()},
                                  {"height", size.height()}});
      const QByteArray partName = part.name;
      place_->write(name + QStringLiteral("/") + QString::fromUtf8(partName + ".json"),
                    QByteArray::fromStdString(made.dump()));
      experiment += "  " + partName + ": {images: " + (parts.size() > 1 ? partName : "images") +
                    ", annotations: " + partName + ".json}\n";
    }
    place_->write(name + QStringLiteral("/experiment.yaml"), experiment);
  }

  /// Nine training images of which one is as it should be, and three validation ones.
  void plantImages() const {
    const auto train = [](int id) { return QStringLiteral("planted/train/%1.jpg").arg(id); };
    const auto val = [](int id) { return QStringLiteral("planted/val/%1.jpg").arg(id); };
    std::vector<json> annotations;
    for (int id = 1; id <= 9; ++id) annotations.push_back(annotationOf(id));
    for (const int id : {1, 4, 8}) writeJpeg(train(id), picture(id));
    place_->write(train(3), "no image");
    const QByteArray whole = place_->read(train(4));
    place_->write(train(4), whole.left(whole.size() * 2 / 3));
    writeJpeg(train(5), picture(5, kWidth, kHeight - 8));
    writeJpeg(train(6), picture(6).transformed(QTransform().rotate(-90)), 92, 6);
    writeJpeg(train(7), picture(1), 60);  // the first again
    place_->write(train(9), {});
    writeJpeg(val(1), picture(101));
    writeJpeg(val(2), picture(8), 80);
    place_->write(val(3), place_->read(train(6)));  // as displayed
    writeDataset(QStringLiteral("planted"),
                 {{"train", annotations, 9},
                  {"val", {annotationOf(1), annotationOf(2), annotationOf(3)}, 3}});
  }

  void compareWithScript(const json& report, const QString& root, const QString& suffix) const {
    if (tests::python().isEmpty()) return;
    for (const char* part : {"train", "val"}) {
      const QString name = QString::fromUtf8(part) + suffix;
      QProcess script;
      script.start(
          tests::python(),
          {QString::fromStdString(
               (tests::sourceFolder() / "tests/reference/dataset_check_reference.py").string()),
           QStringLiteral("%1/annotations/instances_%2.json").arg(root, name),
           QStringLiteral("%1/%2").arg(root, name), place_->path(QStringLiteral("expected.json"))});
      QVERIFY(script.waitForFinished(120'000));
      QVERIFY2(script.exitCode() == 0, script.readAllStandardError().constData());
      const json expected = reportIn("expected.json");
      for (const char* list : {"faults", "notes"}) {
        std::multiset<std::string> ours, theirs;
        for (const json& found : report[list]) {
          const std::string kind = found["kind"];
          if (found["part"] == part && (list[0] == 'f' || kind.starts_with("unusual")))
            ours.insert(kind + found["image_id"].dump() + " " + found["annotation_id"].dump());
        }
        for (const json& row : expected[list])
          theirs.insert(row[0].get<std::string>() + row[1].dump() + " " + row[2].dump());
        QCOMPARE(ours, theirs);
      }
    }
  }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstDatasetCheck)
#include "tst_dataset_check.moc"
