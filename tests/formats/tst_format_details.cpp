#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/formats/made_sources.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;
using formats::ImportReport;
using nlohmann::json;
using tests::Expected;
using tests::SourceFolder;

/// What only some formats have.
class TstFormatDetails : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRectangleIsABox() {
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write(
        "a.json",
        R"({"shapes": [{"label": "x", "shape_type": "rectangle", "points": [[9, 8], [3, 2]]}],
                               "imagePath": "a.png", "imageHeight": 30, "imageWidth": 40})");
    const ImportReport report = folder.import();
    QCOMPARE(report.boxOnlyObjects, 1);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].mask.height, 0);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{3, 2, 6, 6}));
  }

  void labelMesGroupsAreOneObjectAndPointsAreCounted() {
    const SourceFolder folder;
    folder.writeImage("a.jpg.png");
    folder.write("a.json", R"({"shapes": [
      {"label": "x", "group_id": 4, "points": [[1, 1], [5, 1], [5, 5]]},
      {"label": "x", "group_id": 4, "points": [[11, 11], [15, 11], [15, 15]]},
      {"label": "z", "group_id": "b2f7", "points": [[1, 1], [5, 1], [5, 5]]},
      {"label": "z", "group_id": "b2f7", "points": [[11, 11], [15, 11], [15, 15]]},
      {"label": "x", "shape_type": "point", "points": [[1, 1]]},
      {"label": "y", "shape_type": "circle", "points": [[20, 20], [20, 25]]}],
      "imagePath": "..\\pictures\\a.jpg.png", "imageHeight": null})");
    const ImportReport report = folder.import();
    QCOMPARE(report.faults.size(), 0U);
    QCOMPARE(report.losses.at("points and lines, which have no area"), 1);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 3U);
    QVERIFY(std::abs(static_cast<double>(coco::areaPx(found[1].mask)) - 78.5) < 6);
    QVERIFY(found[0].mask == found[2].mask);
  }

  void holesOfGeoJsonAreKept() {
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write("a.png.geojson", R"({"type": "FeatureCollection", "features": [{"type": "Feature",
      "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [
        [[[2, 2], [12, 2], [12, 12], [2, 12], [2, 2]], [[4, 4], [8, 4], [8, 8], [4, 8], [4, 4]]],
        [[[20, 20], [30, 20], [30, 22], [20, 22], [20, 20]]]]}}]})");
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].category, std::string("object"));
    QCOMPARE(coco::areaPx(found[0].mask), 100U - 16U + 20U);
  }

  void cvatsMasksTracksAndGroupsAreRead() {
    const SourceFolder folder;
    folder.writeImage("images/f0.png");
    folder.writeImage("images/f1.png");
    folder.write("annotations.xml", R"(<annotations>
      <image name="f0.png" width="40" height="30">
        <mask label="m" rle="1, 2, 1, 2" left="3" top="4" width="3" height="2"/>
        <polygon label="g" group_id="2" points="1,1;5,1;5,5"/><polygon label="g" group_id="2" points="11,1;15,1;15,5"/>
        <polyline label="g" points="1,1;5,1"/>
      </image>
      <track label="t"><box frame="1" outside="0" xtl="1" ytl="2" xbr="4" ybr="6"/><box frame="0" outside="1" xtl="1" ytl="2" xbr="4" ybr="6"/></track>
    </annotations>)");
    const ImportReport report = folder.import();
    QCOMPARE(report.faults.size(), 0U);
    QCOMPARE(report.losses.size(), 1U);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 3U);
    QCOMPARE(found[1].category, std::string("m"));
    // Columns 3 to 5 of rows 4 and 5: .## / .##
    QCOMPARE(found[1].boxXywh, (std::array<double, 4>{4, 4, 2, 2}));
    QCOMPARE(coco::areaPx(found[1].mask), 4U);
    QCOMPARE(found[2].image, std::string("f1"));
    QCOMPARE(found[2].boxXywh, (std::array<double, 4>{1, 2, 3, 4}));
  }

  /// CVAT's turn about their centre, Label Studio's rectangles about their first corner. Expected
  /// by hand, for a quarter turn clockwise.
  void turnedShapesAreTurnedClockwise() {
    const SourceFolder cvat;
    cvat.writeImage("a.png");
    cvat.write("annotations.xml", R"(<annotations><image name="a.png" width="40" height="30">
      <box label="b" rotation="90" xtl="10" ytl="12" xbr="22" ybr="16"/>
      <ellipse label="e" rotation="90" cx="20" cy="15" rx="8" ry="2"/>
    </image></annotations>)");
    QCOMPARE(cvat.import().faults.size(), 0U);
    const std::vector<Expected> found = cvat.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{14, 8, 4, 12}));
    QCOMPARE(found[1].boxXywh, (std::array<double, 4>{18, 7, 4, 16}));

    const SourceFolder labelStudio;
    labelStudio.writeImage("a.png");
    labelStudio.write("tasks.json",
                      R"([{"id": 1, "data": {"image": "a.png"}, "annotations": [{"result": [
      {"type": "rectanglelabels", "value": {"x": 50, "y": 50, "width": 25, "height": 10, "rotation": 90,
                                            "rectanglelabels": ["r"]}}]}]}])");
    QCOMPARE(labelStudio.import().faults.size(), 0U);
    QCOMPARE(labelStudio.imported().at(0).boxXywh, (std::array<double, 4>{17, 15, 3, 10}));
  }

  void labelStudiosBrushesAreRead() {
    const SourceFolder folder;
    folder.writeImage("a.png", 2, 2);
    // 16 values in words of 8 bits, lengths of 4, 4, 4 and 4 bits: twelve 0, then 0 0 0 255.
    std::string bits =
        "00000000000000000000000000010000"
        "00111"
        "0011001100110011";
    bits +=
        "1"
        "00"
        "1011"
        "00000000";
    bits +=
        "0"
        "00"
        "0011"
        "00000000"
        "00000000"
        "00000000"
        "11111111";
    json rle = json::array();
    for (std::size_t i = 0; i < bits.size(); i += 8) {
      std::string byte = bits.substr(i, 8);
      byte.append(8 - byte.size(), '0');
      rle.push_back(std::stoi(byte, nullptr, 2));
    }
    json result = {{"type", "brushlabels"},
                   {"original_width", 2},
                   {"original_height", 2},
                   {"value", {{"format", "rle"}, {"rle", rle}, {"brushlabels", {"b"}}}}};
    json task = {{"id", 1},
                 {"data", {{"image", "/data/local-files/?d=pictures%2Fa.png"}}},
                 {"annotations", {{{"result", {result}}}}}};
    folder.write("tasks.json", json::array({task}).dump());
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{1, 1, 1, 1}));
  }

  void cityscapesHiddenPixelsAndGroups() {
    const SourceFolder folder;
    folder.writeImage("leftImg8bit/val/x/n_leftImg8bit.png");
    folder.write("gtFine/val/x/n_gtFine_polygons.json",
                 R"({"imgHeight": 30, "imgWidth": 40, "objects": [
      {"label": "car", "polygon": [[0, 0], [10, 0], [10, 10], [0, 10]]},
      {"label": "pole", "polygon": [[4, 0], [6, 0], [6, 10], [4, 10]]},
      {"label": "bus", "deleted": 1, "polygon": [[20, 20], [30, 20], [30, 25], [20, 25]]},
      {"label": "bus", "polygon": [[21, 21], [29, 21], [29, 24], [21, 24]]},
      {"label": "cargroup", "polygon": [[20, 20], [30, 20], [30, 25], [20, 25]]}]})");
    const ImportReport report = folder.import();
    QVERIFY(report.losses == (std::map<std::string, std::int64_t>{
                                 {"objects that others hide", 1},
                                 {"regions of classes without instances, such as road", 1}}));
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(coco::areaPx(found[0].mask), 80U);
    QVERIFY(found[1].isCrowd && found[1].category == "car");
  }

  void labelImagesOfAllDepthsAreRead_data() {
    QTest::addColumn<unsigned>("id");
    QTest::newRow("8 bit") << 255U;
    QTest::newRow("16 bit") << 60000U;
    QTest::newRow("32 bit") << 4000000000U;
  }

  void labelImagesOfAllDepthsAreRead() {
    QFETCH(unsigned, id);
    const SourceFolder folder;
    folder.writeImage("images/a.png", 5, 4);
    formats::LabelImage labels{5, 4, std::vector<std::uint32_t>(20)};
    labels.ids[7] = id;
    labels.ids[8] = 3;
    if (id > 65535) {
      folder.write("masks/a_mask.tif", tests::tiff32(labels));
    } else {
      folder.writeLabels("masks/a_mask.png", labels);
    }
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{2, 1, 1, 1}));
    QCOMPARE(found[0].category, std::string("object"));
  }

  void indexedLabelImagesAreReadByIndex() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    formats::LabelImage labels = tests::madeLabels("a");
    std::string palette;
    for (int i = 0; i < 256 * 3; ++i) palette += static_cast<char>(i * 37 + 11);  // 0 is no black
    folder.write("masks/a.png", tests::palettePng(labels, palette));
    folder.import();
    QCOMPARE(folder.imported().size(), 2U);
  }

  void classMapsOfVocAreNoImages() {
    const SourceFolder folder;
    tests::madeSources()[5].write(folder);
    folder.writeImage("SegmentationClass/a.png");
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QVERIFY(folder.imported() == tests::expectedObjects());
  }

  void classFoldersOfMasksMayBeCalledAsParts() {
    const SourceFolder folder;
    folder.writeImage("train/images/a.png");
    folder.writeImage("train/images/sub/b.png");
    for (const char* mask : {"train/a", "cell/a", "test tube/a", "sub/b", "train/sub/b"})
      folder.writeLabels("train/masks/" + std::string(mask) + ".png", tests::madeLabels("b"));
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    std::vector<std::string> found;
    for (const Expected& object : folder.imported())
      found.push_back(object.image + " " + object.category);
    QCOMPARE(found,
             (std::vector<std::string>{"a cell", "a test tube", "a train", "b object", "b train"}));
  }

  /// A folder of both images and masks does not name a class.
  void aMaskIsOfTheImageInItsOwnPlace() {
    const SourceFolder folder;
    for (const char* image : {"a", "deep/a", "deep/er/a"}) {
      folder.writeImage("images/" + std::string(image) + ".png");
      folder.writeLabels("masks/" + std::string(image) + ".png", tests::madeLabels("b"));
    }
    folder.writeLabels("masks/cell/a.png", tests::madeLabels("b"));
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QCOMPARE(report.classes, (std::vector<std::string>{"cell", "object"}));
    QCOMPARE(folder.imported().size(), 4U);
  }

  /// An annotation file is of the image beside it, or in a folder of the same names.
  void imagesInFoldersBelowAreOthers_data() {
    QTest::addColumn<QString>("images");
    QTest::addColumn<QString>("files");
    QTest::addColumn<QString>("text");
    const QString voc = QStringLiteral(
        "<annotation><object><name>%1</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax>"
        "<ymax>9</ymax></bndbox></object></annotation>");
    QTest::newRow("voc: beside") << "images/%1a.png"
                                 << "images/%1a.xml" << voc;
    QTest::newRow("voc: mirrored") << "JPEGImages/%1a.png"
                                   << "Annotations/%1a.xml" << voc;
    QTest::newRow("geojson: beside") << "images/%1a.png"
                                     << "images/%1a.geojson"
                                     << R"({"features": [{"properties": {"name": "%1"},
        "geometry": {"type": "Polygon", "coordinates": [[[1, 1], [9, 1], [9, 9], [1, 9]]]}}]})";
    QTest::newRow("cityscapes: mirrored") << "leftImg8bit/%1a_leftImg8bit.png"
                                          << "gtFine/%1a_gtFine_polygons.json"
                                          << R"({"imgHeight": 30, "imgWidth": 40, "objects": [
        {"label": "%1", "polygon": [[1, 1], [9, 1], [9, 9], [1, 9]]}]})";
  }
  void imagesInFoldersBelowAreOthers() {
    QFETCH(QString, images);
    QFETCH(QString, files);
    QFETCH(QString, text);
    const SourceFolder folder;
    for (const char* place : {"car/", "car/person/", "car/person/bus/"}) {
      folder.writeImage(images.arg(QLatin1String(place)).toStdString());
      const fs::path name = fs::path(place).parent_path().filename();
      folder.write(files.arg(QLatin1String(place)).toStdString(),
                   text.arg(QString::fromStdString(name.string())).toStdString());
    }
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    const auto rowOf = [](const json& table, const json& id) {
      return *std::ranges::find_if(table, [&](const json& row) { return row["id"] == id; });
    };
    int compared = 0;
    for (const char* part : {"train", "val"}) {
      const json root = json::parse(base::readFile(folder.annotationsOf(part)));
      for (const json& annotation : root["annotations"]) {
        const fs::path image =
            "car" /
            fs::path(
                rowOf(root["images"], annotation["image_id"]).at("file_name").get<std::string>());
        QCOMPARE(rowOf(root["categories"], annotation["category_id"]).at("name").get<std::string>(),
                 image.parent_path().filename().string());
        ++compared;
      }
    }
    QCOMPARE(compared, 3);
  }

  void framesOfTwoVideosAreNotMixed() {
    const SourceFolder folder;
    for (const char* video : {"one", "two"}) {
      for (const char* frame : {"f1", "f2", "f10"})
        folder.writeImage(std::string(video) + "/" + frame + ".png");
      folder.write(std::string(video) + "/annotations.xml",
                   "<annotations><track label=\"" + std::string(video) +
                       "\"><box frame=\"10\" outside=\"0\" xtl=\"1\" ytl=\"2\" xbr=\"4\" "
                       "ybr=\"6\"/></track></annotations>");
    }
    folder.import({.copiesImages = true});
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    for (const Expected& object : found) QCOMPARE(object.image, std::string("f10"));
    QVERIFY(found[0].category != found[1].category);
  }

  /// A CVAT project of two videos with the same frame names.
  void cvatsFramesAreToldApartByTheirSubset() {
    const SourceFolder folder;
    std::string images;
    int left = 1;
    for (const std::string subset : {"Train", "Validation"}) {
      folder.writeImage("images/" + subset + "/frame_000000.png");
      images += "<image name=\"frame_000000.png\" subset=\"" + subset +
                "\" width=\"40\" height=\"30\"><box label=\"x\" xtl=\"" + std::to_string(left++) +
                "\" ytl=\"1\" xbr=\"20\" ybr=\"9\"/></image>";
    }
    folder.write("annotations.xml", "<annotations>" + images + "</annotations>");
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QVERIFY(!report.isSplitAnew);
    const auto boxIn = [&](const char* part) {
      const json root = json::parse(base::readFile(folder.annotationsOf(part)));
      return root["annotations"][0]["bbox"][0].get<double>();
    };
    QCOMPARE(boxIn("train"), 1.0);
    QCOMPARE(boxIn("val"), 2.0);
  }

  /// Images of one name in two folders belong to the annotation file next to them, to that of their
  /// part, or to the path that names them.
  void imagesOfOneNameAreToldApart_data() {
    QTest::addColumn<QString>("train");
    QTest::addColumn<QString>("val");
    QTest::addColumn<QString>("text");
    const QString object = QStringLiteral(
        "<object><name>%1</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax>"
        "<ymax>9</ymax></bndbox></object></annotation>");
    const QString voc = QStringLiteral("<annotation>") + object;
    QTest::newRow("voc: beside") << "train/a.xml"
                                 << "val/a.xml" << voc;
    QTest::newRow("voc: part") << "Annotations/train/a.xml"
                               << "Annotations/val/a.xml" << voc;
    QTest::newRow("voc: folder") << "Annotations/1/a.xml"
                                 << "Annotations/2/a.xml"
                                 << QString(QStringLiteral("<annotation><folder>%1</folder>") +
                                            object);
    QTest::newRow("via: beside") << "train/via.json"
                                 << "val/via.json"
                                 << R"({"a": {"filename": "a.png", "regions": [
        {"shape_attributes": {"name": "rect", "x": 1, "y": 1, "width": 9, "height": 9},
         "region_attributes": {"class": "%1"}}]}})";
    QTest::newRow("labelstudio: path") << "1.json"
                                       << "2.json"
                                       << R"([{"data": {"image": "/data/local-files/?d=%1%2Fa.png"},
        "annotations": [{"result": [{"type": "rectanglelabels", "value": {"x": 1, "y": 1,
          "width": 9, "height": 9, "rectanglelabels": ["%1"]}}]}]}])";
    QTest::newRow("geojson: beside") << "train/a.geojson"
                                     << "val/a.geojson"
                                     << R"({"features": [{"properties": {"name": "%1"},
        "geometry": {"type": "Polygon", "coordinates": [[[1, 1], [9, 1], [9, 9], [1, 9]]]}}]})";
  }
  void imagesOfOneNameAreToldApart() {
    QFETCH(QString, train);
    QFETCH(QString, val);
    QFETCH(QString, text);
    const SourceFolder folder;
    folder.writeImage("train/a.png");
    folder.writeImage("val/a.png");
    folder.write(train.toStdString(), text.arg(QStringLiteral("train")).toStdString());
    folder.write(val.toStdString(), text.arg(QStringLiteral("val")).toStdString());
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    for (const char* part : {"train", "val"}) {
      const json root = json::parse(base::readFile(folder.annotationsOf(part)));
      QCOMPARE(root["annotations"].size(), 1U);
      const json id = root["annotations"][0]["category_id"];
      for (const json& category : root["categories"])
        if (category["id"] == id) QVERIFY(category["name"] == part);
    }
  }

  /// Paths as programs on Windows write them.
  void listsWithBackslashesAreRead_data() {
    QTest::addColumn<QString>("data");
    QTest::addColumn<QString>("lines");  // of each part
    QTest::newRow("list") << "train: train.txt\nval: val.txt\n"
                          << "images\\%1\\%2.png\r\n";
    QTest::newRow("dots") << "train: .\\train.txt\nval: .\\val.txt\n"
                          << ".\\images\\%1\\%2.png\r\n";
    QTest::newRow("drive") << "train: D:\\set\\train.txt\nval: D:\\set\\val.txt\n"
                           << "D:\\set\\images\\%1\\%2.png\r\n";
    QTest::newRow("another machine") << "train: train.txt\nval: val.txt\n"
                                     << "/home/other/set/images/%1/%2.png\n";
    QTest::newRow("folders") << "train: images\\train\nval: images\\val\n"
                             << "";
    QTest::newRow("folders of a drive")
        << "train: C:\\set\\images\\train\nval: C:\\set\\images\\val\n"
        << "";
    QTest::newRow("path") << "path: .\\images\ntrain: train\nval: val\n"
                          << "";
  }
  void listsWithBackslashesAreRead() {
    QFETCH(QString, data);
    QFETCH(QString, lines);
    const SourceFolder folder;
    for (const std::string part : {"train", "val"}) {
      std::string list;
      for (const std::string name : {"a", "b", "c"}) {
        const std::string image = part + "/" + name;  // one name in both parts
        folder.writeImage("images/" + image + ".png");
        folder.write("labels/" + image + ".txt", "0 0.5 0.5 0.2 0.2\n");
        if (!lines.isEmpty())
          list +=
              lines.arg(QString::fromStdString(part), QString::fromStdString(name)).toStdString();
      }
      if (!list.empty()) folder.write(part + ".txt", list);
    }
    folder.write("data.yaml", "names: [x]\n" + data.toStdString());
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QVERIFY(!report.isSplitAnew);
    QCOMPARE(report.train.images, 3);
    QCOMPARE(report.val.images, 3);
  }

  void aListWithoutItsImagesIsRefused() {
    const SourceFolder folder;
    tests::madeSources()[4].write(folder);
    folder.write("val.txt", "images\\val\\x.jpg\nimages\\val\\y.jpg\n");
    folder.write("data.yaml", "train: images\nval: val.txt\nnames: [cat, dog]\n");
    const std::string text = tests::messageOf([&] { folder.import(); });
    QVERIFY2(text.find("val.txt: none of its 2 images is there, the first is images\\val\\x.jpg") !=
                 std::string::npos,
             text.c_str());
  }

  /// `"images\val"` has a vertical tab.
  void anEscapeInAPathIsNamed() {
    const SourceFolder folder;
    tests::madeSources()[4].write(folder);
    folder.write("data.yaml", "train: images\nval: \"images\\val\"\nnames: [cat, dog]\n");
    const std::string text = tests::messageOf([&] { folder.import(); });
    QVERIFY2(text.find("data.yaml: a path has a control character") != std::string::npos,
             text.c_str());
  }

  void listsOfVocMayHavePathsAndEndings() {
    const SourceFolder folder;
    tests::madeSources()[5].write(folder);
    folder.write("ImageSets/Main/train.txt", "JPEGImages\\a.png\r\n  1\n");
    folder.write("ImageSets/Main/val.txt", "b.png\nc  1\n");
    const ImportReport report = folder.import();
    QVERIFY(!report.isSplitAnew);
    QCOMPARE(folder.imagesOf("train"), std::vector<std::string>{"a"});
    QCOMPARE(folder.imagesOf("val"), (std::vector<std::string>{"b", "c"}));
  }

  void lvisKeepsWhatIsNotAnnotated() {
    const SourceFolder folder;
    tests::madeSources()[2].write(folder);
    folder.import();
    const json train =
        json::parse(base::readFile(folder.out() / "annotations/instances_train.json"));
    QVERIFY(train["images"][0]["neg_category_ids"] == json::array({7}));
    QVERIFY(train["categories"][0]["frequency"] == "r");
  }
};

LOCKSTEP_TEST(TstFormatDetails)
#include "tst_format_details.moc"
