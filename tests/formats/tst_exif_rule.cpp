#include <QRegularExpression>
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/data/image_file.h"
#include "engine/formats/export.h"
#include "engine/formats/report_text.h"
#include "tests/formats/made_sources.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;
using formats::ExifDecision;
using formats::ExifUse;
using formats::Format;
using formats::ImportReport;
using nlohmann::json;
using tests::Expected;
using tests::SourceFolder;
using Box = std::array<double, 4>;  // x, y, width, height

namespace {

constexpr base::ImageSize kOblong{.height = 24, .width = 40}, kSquare{.height = 32, .width = 32};
constexpr Box kStoredObject{4, 3, 9, 6};

/// The box of the white pixels.
Box whiteIn(const data::RgbImage& image) {
  int left = image.width, top = image.height, right = 0, bottom = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (*image.pixelAt(x, y) < 128) continue;
      left = std::min(left, x);
      top = std::min(top, y);
      right = std::max(right, x + 1);
      bottom = std::max(bottom, y + 1);
    }
  }
  return {double(left), double(top), double(right - left), double(bottom - top)};
}

/// A black picture with a white object at kStoredObject.
void writePicture(const SourceFolder& folder, const std::string& name, base::ImageSize stored,
                  int orientation) {
  formats::LabelImage pixels{static_cast<int>(stored.width), static_cast<int>(stored.height), {}};
  const auto [x0, y0, width, height] = kStoredObject;
  for (int y = 0; y < pixels.height; ++y)
    for (int x = 0; x < pixels.width; ++x)
      pixels.ids.push_back(x >= x0 && x < x0 + width && y >= y0 && y < y0 + height ? 255 : 0);
  folder.writeOriented(name, pixels, orientation);
}

std::vector<double> cornersOf(const Box& box) {
  const auto [x, y, width, height] = box;
  return {x, y, x + width, y, x + width, y + height, x, y + height};
}

json pairsOf(const std::vector<double>& xy, double scaleX = 1, double scaleY = 1) {
  json pairs = json::array();
  for (std::size_t i = 0; i < xy.size(); i += 2)
    pairs.push_back({xy[i] * scaleX, xy[i + 1] * scaleY});
  return pairs;
}

json cocoOf(const std::vector<std::pair<std::string, base::ImageSize>>& images, const Box& box) {
  json root = {{"images", json::array()},
               {"annotations", json::array()},
               {"categories", {{{"id", 1}, {"name", "x"}}}}};
  for (const auto& [name, size] : images) {
    const std::size_t id = root["images"].size() + 1;
    root["images"].push_back(
        {{"id", id}, {"file_name", name}, {"width", size.width}, {"height", size.height}});
    root["annotations"].push_back({{"id", id},
                                   {"image_id", id},
                                   {"category_id", 1},
                                   {"iscrowd", 0},
                                   {"area", box[2] * box[3]},
                                   {"bbox", box},
                                   {"segmentation", {cornersOf(box)}}});
  }
  return root;
}

/// Annotates picture NAME.png of this size with the object.
void annotate(const SourceFolder& folder, Format format, const std::string& name,
              base::ImageSize size, const Box& box) {
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  const std::vector<double> xy = cornersOf(box);
  const json points = pairsOf(xy);
  if (format == Format::LabelMe) {
    folder.write(name + ".json", json{{"shapes", {{{"label", "x"}, {"points", points}}}},
                                      {"imagePath", name + ".png"},
                                      {"imageHeight", size.height},
                                      {"imageWidth", size.width}}
                                     .dump());
  } else if (format == Format::Cvat) {
    std::string text;
    for (const json& point : points)
      text += (text.empty() ? "" : ";") + point[0].dump() + "," + point[1].dump();
    folder.write(name + ".xml",
                 "<annotations><image name=\"" + name + ".png\" width=\"" +
                     std::to_string(size.width) + "\" height=\"" + std::to_string(size.height) +
                     "\"><polygon label=\"x\" points=\"" + text + "\"/></image></annotations>");
  } else if (format == Format::LabelStudio) {
    const json result = {
        {"type", "polygonlabels"},
        {"original_width", size.width},
        {"original_height", size.height},
        {"value", {{"points", pairsOf(xy, 100 / width, 100 / height)}, {"polygonlabels", {"x"}}}}};
    folder.write(name + ".json", json{{{"data", {{"image", name + ".png"}}},
                                       {"annotations", {{{"result", {result}}}}}}}
                                     .dump());
  } else if (format == Format::Via) {
    json xs = json::array(), ys = json::array();
    for (const json& point : points) {
      xs.push_back(point[0]);
      ys.push_back(point[1]);
    }
    const json shape = {{"name", "polygon"}, {"all_points_x", xs}, {"all_points_y", ys}};
    folder.write(
        name + ".json",
        json{{name, {{"filename", name + ".png"}, {"regions", {{{"shape_attributes", shape}}}}}}}
            .dump());
  } else if (format == Format::Yolo) {
    std::string text = "0";
    for (const json& point : pairsOf(xy, 1 / width, 1 / height))
      text += " " + point[0].dump() + " " + point[1].dump();
    folder.write(name + ".txt", text);
  } else if (format == Format::Voc) {
    const auto tag = [](const std::string& key, double value) {
      return "<" + key + ">" + std::to_string(static_cast<int>(value)) + "</" + key + ">";
    };
    folder.write(name + ".xml", "<annotation><size>" + tag("width", width) + tag("height", height) +
                                    "</size><object><name>x</name><bndbox>" +
                                    tag("xmin", box[0] + 1) + tag("ymin", box[1] + 1) +
                                    tag("xmax", box[0] + box[2]) + tag("ymax", box[1] + box[3]) +
                                    "</bndbox></object></annotation>");
  } else if (format == Format::GeoJson) {
    folder.write(
        name + ".geojson",
        json{{"features", {{{"geometry", {{"type", "Polygon"}, {"coordinates", {points}}}}}}}}
            .dump());
  } else if (format == Format::Coco) {
    folder.write("instances.json", cocoOf({{name + ".png", size}}, box).dump());
  }
}

/// The number of objects; -1 if one is not on the white pixels that training reads.
int comparedWithPixels(const SourceFolder& folder) {
  int compared = 0;
  for (const char* part : {"train", "val"}) {
    const fs::path file = folder.annotationsOf(part);
    if (!fs::exists(file)) continue;
    const coco::Dataset dataset = coco::Dataset::load(file);
    for (std::size_t i = 0; i < dataset.images().size(); ++i) {
      const coco::Image& image = dataset.images()[i];
      const Box white = whiteIn(data::readAnnotatedImage(
          folder.path() / fs::path(image.fileName).filename(), {image.height, image.width}));
      for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
        for (std::size_t side = 0; side < 4; ++side)
          if (std::abs(annotation.boxXywh[side] - white[side]) > 1e-6) return -1;
        ++compared;
      }
    }
  }
  return compared;
}

}  // namespace

/// Pictures with an EXIF orientation. The reference is where the decoder, which is compared with
/// Pillow, displays their object.
class TstExifRule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void objectsStayOnThePixelsThatTheAnnotatorSaw_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<bool>("isDisplayed");
    for (const char* name : {"labelme", "cvat", "labelstudio", "via", "yolo", "voc"})
      QTest::newRow(name) << name << true;
    for (const char* name : {"coco", "geojson"}) QTest::newRow(name) << name << false;
  }
  void objectsStayOnThePixelsThatTheAnnotatorSaw() {
    QFETCH(QString, format);
    QFETCH(bool, isDisplayed);
    const Format source = *base::parseEnum<Format>(format.toStdString());
    for (const base::ImageSize stored : {kOblong, kSquare}) {
      for (int orientation = 1; orientation <= 8; ++orientation) {
        const SourceFolder folder;
        writePicture(folder, "a.png", stored, orientation);
        const data::RgbImage displayed = data::readImage(folder.path() / "a.png");
        if (isDisplayed) {
          annotate(folder, source, "a", displayed.size(), whiteIn(displayed));
        } else {
          annotate(folder, source, "a", stored, kStoredObject);
        }
        const ImportReport report = folder.import({.format = source});
        const std::string where = "orientation " + std::to_string(orientation);
        QVERIFY2(report.faults.empty(), (where + ": " + tests::faultsOf(report)).c_str());
        QVERIFY2(comparedWithPixels(folder) == 1, where.c_str());
      }
    }
  }

  /// A picture turned upside down keeps its size, so only --exif or another picture decides.
  void theOptionSaysWhereTheSizesDoNot() {
    constexpr int kUpsideDown = 3;
    for (const ExifUse use : {ExifUse::Apply, ExifUse::Ignore}) {
      for (const Format format : {Format::Coco, Format::LabelMe, Format::Yolo}) {
        const SourceFolder folder;
        writePicture(folder, "a.png", kOblong, kUpsideDown);
        const Box white = use == ExifUse::Apply ? whiteIn(data::readImage(folder.path() / "a.png"))
                                                : kStoredObject;
        annotate(folder, format, "a", kOblong, white);
        const ImportReport report = folder.import({.format = format, .exif = use});
        QCOMPARE(comparedWithPixels(folder), 1);
        QVERIFY(report.exif.reason == ExifDecision::Reason::Option);
        QVERIFY(formats::warningsOf(report.exif, format, {}).empty());
      }
    }
  }

  void shareOfStoredSidesAreReadWithTheOption() {
    const SourceFolder folder;
    writePicture(folder, "a.png", kOblong, 6);
    annotate(folder, Format::Yolo, "a", kOblong, kStoredObject);
    folder.import({.format = Format::Yolo, .exif = ExifUse::Ignore});
    QCOMPARE(comparedWithPixels(folder), 1);
  }

  void sizesOfOtherPicturesSayIt() {
    for (const bool isDisplayed : {true, false}) {
      const SourceFolder folder;
      writePicture(folder, "half.png", kOblong, 3);
      writePicture(folder, "quarter.png", kOblong, 6);
      const base::ImageSize quarter =
          isDisplayed ? base::ImageSize{kOblong.width, kOblong.height} : kOblong;
      json root = cocoOf({{"half.png", kOblong}, {"quarter.png", quarter}}, kStoredObject);
      for (json& annotation : root["annotations"]) {
        const char* name = annotation["image_id"] == 1 ? "half.png" : "quarter.png";
        if (!isDisplayed) continue;
        const Box white = whiteIn(data::readImage(folder.path() / name));
        annotation["bbox"] = white;
        annotation["segmentation"] = {cornersOf(white)};
      }
      folder.write("instances.json", root.dump());
      const ImportReport report = folder.import();
      QCOMPARE(comparedWithPixels(folder), 2);
      QCOMPARE(report.exif.images, 1);
      QVERIFY(report.exif.reason == ExifDecision::Reason::OtherSizes);
      QVERIFY(formats::warningsOf(report.exif, Format::Coco, {}).empty());
    }
  }

  /// Only one of two pictures has an annotated size, that of its stored pixels.
  void sizesOfOtherPicturesDecideForSwappedSides_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("size");
    QTest::newRow("labelme") << "labelme"
                             << R"~("image(Height|Width)":\d+,)~";
    QTest::newRow("labelstudio") << "labelstudio"
                                 << R"~("original_(height|width)":\d+,)~";
    QTest::newRow("voc") << "voc"
                         << "<size>.*</size>";
  }
  void sizesOfOtherPicturesDecideForSwappedSides() {
    QFETCH(QString, format);
    QFETCH(QString, size);
    const Format source = *base::parseEnum<Format>(format.toStdString());
    const SourceFolder folder;
    for (const char* name : {"a", "b"}) {
      writePicture(folder, std::string(name) + ".png", kOblong, 6);
      annotate(folder, source, name, kOblong, kStoredObject);
    }
    const std::string labels = format == QStringLiteral("voc") ? "b.xml" : "b.json";
    folder.write(labels, QString::fromStdString(base::readFile(folder.path() / labels))
                             .remove(QRegularExpression(size))
                             .toStdString());
    const ImportReport report = folder.import();
    QCOMPARE(comparedWithPixels(folder), 2);
    QCOMPARE(report.exif.images, 1);
    QVERIFY(report.exif.reason == ExifDecision::Reason::OtherSizes);
  }

  void whatTheFormatDecidesIsAWarning() {
    const SourceFolder folder;
    writePicture(folder, "a.png", kOblong, 3);
    annotate(folder, Format::Coco, "a", kOblong, kStoredObject);
    const ImportReport report = folder.import();
    const std::vector<std::string> warnings =
        formats::warningsOf(report.exif, report.format, report.otherFormats);
    QCOMPARE(warnings.size(), 1U);
    QVERIFY2(warnings[0].find("stored pixels, the convention of coco; --exif apply") !=
                 std::string::npos,
             warnings[0].c_str());
    QVERIFY(warnings[0].find("a.png") != std::string::npos);
  }

  /// Label Studio's COCO files have the stored size, and coordinates of the displayed image.
  void coordinatesThatOnlyFitTheDisplayedPictureSayIt() {
    const SourceFolder folder;
    writePicture(folder, "a.png", kOblong, 6);
    const Box white = whiteIn(data::readImage(folder.path() / "a.png"));
    json root = cocoOf({{"a.png", kOblong}}, white);
    const Box below{1, 30, 5, 8};  // of 24 x 40 px as displayed
    root["annotations"].push_back(root["annotations"][0]);
    root["annotations"][1]["id"] = 2;
    root["annotations"][1]["bbox"] = below;
    root["annotations"][1]["segmentation"] = {cornersOf(below)};
    folder.write("instances.json", root.dump());
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].mask.height, 40);
    QCOMPARE(found[0].boxXywh, below);
    QCOMPARE(found[1].boxXywh, white);
  }

  /// Label images have the size of the pixels that they are of.
  void labelImagesAreOfThePictureOfTheirSize() {
    for (const bool isDisplayed : {true, false}) {
      const SourceFolder folder;
      writePicture(folder, "images/a.png", kOblong, 6);
      const data::RgbImage displayed = data::readImage(folder.path() / "images/a.png");
      const base::ImageSize size = isDisplayed ? displayed.size() : kOblong;
      const Box box = isDisplayed ? whiteIn(displayed) : kStoredObject;
      formats::LabelImage labels{static_cast<int>(size.width), static_cast<int>(size.height), {}};
      for (int y = 0; y < labels.height; ++y)
        for (int x = 0; x < labels.width; ++x)
          labels.ids.push_back(x >= box[0] && x < box[0] + box[2] && y >= box[1] &&
                               y < box[1] + box[3]);
      folder.writeLabels("masks/a.png", labels);
      const ImportReport report = folder.import();
      QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
      QCOMPARE(folder.imported().at(0).boxXywh, box);
      QCOMPARE(folder.imported().at(0).mask.height, labels.height);
    }
  }

  /// The other way round: programs display the picture, and the dataset has its stored pixels.
  void exportsAreOfThePictureThatTheProgramShows() {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const SourceFolder folder;
      writePicture(folder, "a.png", kOblong, orientation);
      annotate(folder, Format::Coco, "a", kOblong, kStoredObject);
      const fs::path out = folder.out();
      fs::remove_all(out);
      formats::exportDataset({folder.path(), out, formats::ExportFormat::LabelMe},
                             worker::DatasetImages());
      const data::RgbImage displayed = data::readImage(folder.path() / "a.png");
      std::ifstream stream(out / "train/a.json");
      const json written = json::parse(stream);
      QCOMPARE(written["imageHeight"].get<int>(), displayed.height);
      Box box{1e9, 1e9, 0, 0};
      for (const json& point : written["shapes"][0]["points"]) {
        box[0] = std::min(box[0], point[0].get<double>());
        box[1] = std::min(box[1], point[1].get<double>());
        box[2] = std::max(box[2], point[0].get<double>());
        box[3] = std::max(box[3], point[1].get<double>());
      }
      QCOMPARE((Box{box[0], box[1], box[2] - box[0], box[3] - box[1]}), whiteIn(displayed));
    }
  }
};

LOCKSTEP_TEST(TstExifRule)
#include "tst_exif_rule.moc"
