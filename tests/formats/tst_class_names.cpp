#include <QTest>
#include <algorithm>
#include <filesystem>

#include "tests/formats/made_sources.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace std::string_literals;
using formats::ImportReport;
using tests::faultsOf;
using tests::messageOf;
using tests::SourceFolder;
using Names = std::vector<std::string>;

namespace {

std::string vocObject(const std::string& name) {
  return "<object><name>" + name +
         "</name><bndbox><xmin>2</xmin><ymin>2</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></"
         "object>";
}

/// UTF-16 with a byte order mark.
std::string utf16(const std::string& text, bool isBigEndian = false) {
  std::string bytes = isBigEndian ? "\xfe\xff" : "\xff\xfe";
  for (const char16_t unit : QString::fromStdString(text).toStdU16String()) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += isBigEndian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

}  // namespace

/// Encodings of the files that name classes, and blanks around the names.
class TstClassNames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void declaredEncodingsOfXmlAreRead_data() {
    QTest::addColumn<QByteArray>("declaration");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("GBK") << QByteArray("encoding=\"GBK\"") << QByteArray::fromHex("b9b7")
                         << QStringLiteral("狗");
    QTest::newRow("windows-1251") << QByteArray("encoding='windows-1251'")
                                  << QByteArray::fromHex("eaeef2") << QStringLiteral("кот");
    QTest::newRow("Latin-1") << QByteArray("encoding=\"ISO-8859-1\"")
                             << QByteArray::fromHex("e974e9") << QStringLiteral("été");
    QTest::newRow("UTF-8") << QByteArray("encoding=\"utf-8\"") << QByteArray("été")
                           << QStringLiteral("été");
    QTest::newRow("none") << QByteArray() << QByteArray("été") << QStringLiteral("été");
    QTest::newRow("UTF-16, saved as UTF-8")
        << QByteArray("encoding=\"utf-16\"") << QByteArray("été") << QStringLiteral("été");
  }
  void declaredEncodingsOfXmlAreRead() {
    QFETCH(QByteArray, declaration);
    QFETCH(QByteArray, name);
    QFETCH(QString, expected);
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write("a.xml", "<?xml version=\"1.0\" " + declaration.toStdString() + "?><annotation>" +
                              vocObject(name.toStdString()) + "</annotation>");
    const ImportReport report = folder.import();
    QCOMPARE(faultsOf(report), std::string());
    QCOMPARE(report.classes, Names{expected.toStdString()});
  }

  void bytesOfAnUnknownEncodingAreNamed_data() {
    QTest::addColumn<QByteArray>("declaration");
    QTest::addColumn<QString>("fault");
    QTest::newRow("none") << QByteArray()
                          << QStringLiteral(
                                 "b.xml: line 2: byte 49 is not UTF-8, and no other encoding is "
                                 "declared: save the file as UTF-8, or declare its encoding");
    QTest::newRow("UTF-8") << QByteArray(" encoding=\"UTF-8\"")
                           << QStringLiteral("b.xml: line 2: byte 66 is not UTF-8");
    QTest::newRow("unknown") << QByteArray(" encoding=\"x-klingon\"")
                             << QStringLiteral(
                                    "b.xml: its encoding, x-klingon, is not known here; save it "
                                    "as UTF-8");
    QTest::newRow("another") << QByteArray(" encoding=\"GBK\"")
                             << QStringLiteral("is not GBK; save it as UTF-8");
  }
  void bytesOfAnUnknownEncodingAreNamed() {
    QFETCH(QByteArray, declaration);
    QFETCH(QString, fault);
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.writeImage("b.png");
    folder.write("a.xml", "<annotation>" + vocObject("cat") + "</annotation>");
    folder.write("b.xml", "<?xml version=\"1.0\"" + declaration.toStdString() + "?>\n<annotation>" +
                              vocObject("\xff") + "</annotation>");
    const ImportReport report = folder.import();
    QVERIFY2(faultsOf(report).find(fault.toStdString()) != std::string::npos,
             faultsOf(report).c_str());
    QCOMPARE(report.classes, Names{"cat"});
  }

  void utf16IsReadInEveryKindOfText_data() {
    QTest::addColumn<bool>("isBigEndian");
    QTest::newRow("little endian") << false;
    QTest::newRow("big endian") << true;
  }
  void utf16IsReadInEveryKindOfText() {
    QFETCH(bool, isBigEndian);
    const auto check = [&](const std::string& name, const std::string& text) {
      const SourceFolder folder;
      folder.writeImage("images/a.png");
      if (name == "classes.txt") {
        folder.write("labels/a.txt", utf16("0 0.5 0.5 0.5 0.5\n", isBigEndian));
      }
      folder.write(name, utf16(text, isBigEndian));
      const ImportReport report = folder.import();
      QVERIFY2(report.classes == Names{"été"} && report.faults.empty(),
               (name + ": " + faultsOf(report)).c_str());
      QCOMPARE(report.train.objects, 1);
    };
    check("classes.txt", "été\r\n");
    const SourceFolder folder;  // without a byte order mark, in a file of any name
    folder.writeImage("images/a.png");
    folder.write("set.yaml", utf16("names: [été]\n", isBigEndian).substr(2));
    folder.write("labels/a.txt", "0 0.5 0.5 0.5 0.5\n");
    QCOMPARE(folder.import().classes, Names{"été"});
    check("a.xml", "<?xml version=\"1.0\" encoding=\"utf-16\"?><annotation>" + vocObject("été") +
                       "</annotation>");
    check("a.json", R"({"shapes": [{"label": "été", "points": [[1, 1], [9, 1], [9, 9]]}],
                        "imagePath": "a.png"})");
    check("instances.json",
          R"({"images": [{"id": 1, "file_name": "a.png", "width": 40, "height": 30}],
              "categories": [{"id": 1, "name": "été"}],
              "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5]}]})");
  }

  void namesInOtherEncodingsAreRefused() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    folder.write("labels/a.txt", "0 0.5 0.5 0.5 0.5\n");
    for (const char* name : {"classes.txt", "data.yaml"}) {
      folder.write(name, name == "data.yaml"s ? "names: [cat, \xb8\xdf]\n" : "cat\n\xb8\xdf\n");
      const std::string message = messageOf([&] { folder.import(); });
      QVERIFY2(message.find(std::string(name) + ": line ") != std::string::npos &&
                   message.find(" is not UTF-8; save the file as UTF-8") != std::string::npos,
               message.c_str());
      std::filesystem::remove(folder.path() / name);
    }
    folder.write("a.json", "{\"shapes\":\n [{\"label\": \"\xb8\xdf\"}]}");
    const std::string json =
        messageOf([&] { folder.import({.format = formats::Format::LabelMe}); });
    QVERIFY2(json.find("a.json: line 2: byte 25 is not UTF-8") != std::string::npos, json.c_str());
    std::filesystem::remove(folder.path() / "a.json");
    folder.write("names.list",
                 "f\xfc"
                 "chs\n");
    const std::string message =
        messageOf([&] { folder.import({.classes = folder.path() / "names.list"}); });
    QVERIFY2(message.find("names.list: line 1: byte 2 is not UTF-8") != std::string::npos,
             message.c_str());
  }

  void foldersWithNamesInOtherEncodingsAreFaults() {
    const SourceFolder folder;
    folder.writeImage("images/a.png", 5, 4);
    formats::LabelImage labels{5, 4, std::vector<std::uint32_t>(20)};
    labels.ids[7] = 1;
    folder.writeLabels("masks/cat/a.png", labels);
    folder.writeLabels(
        "masks/f\xfc"
        "chs/a.png",
        labels);
    const ImportReport report = folder.import();
    QVERIFY2(faultsOf(report).find(
                 "its folder names the class in another encoding than UTF-8: rename it") !=
                 std::string::npos,
             faultsOf(report).c_str());
    QCOMPARE(report.classes, Names{"cat"});
  }

  void blanksAroundNamesMakeNoClasses_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* format, const char* name, const std::string& text) {
      QTest::newRow(format) << QString::fromLatin1(name) << QString::fromStdString(text);
    };
    row("voc", "b.xml", "<annotation>" + vocObject("\n\t\tdog\n\t") + "</annotation>");
    row("cvat", "b.xml",
        "<annotations><image name=\"a.png\" width=\"40\" height=\"30\"><box label=\"dog\" "
        "xtl=\"1\" "
        "ytl=\"1\" xbr=\"5\" ybr=\"5\"/></image><image name=\"b.png\" width=\"40\" "
        "height=\"30\"><box "
        "label=\" dog\" xtl=\"1\" ytl=\"1\" xbr=\"5\" ybr=\"5\"/></image></annotations>");
    row("labelme", "b.json",
        R"({"shapes": [{"label": "dog\n", "points": [[1, 1], [9, 1], [9, 9]]}], "imagePath": "b.png"})");
    row("via", "b.json",
        R"({"b": {"filename": "b.png", "regions": [{"shape_attributes": {"name": "rect", "x": 1, "y": 1,
          "width": 5, "height": 5}, "region_attributes": {"class": "dog  "}}]}})");
    row("labelstudio", "b.json",
        R"([{"data": {"image": "b.png"}, "annotations": [{"result": [{"type": "rectanglelabels",
          "value": {"x": 1, "y": 1, "width": 9, "height": 9, "rectanglelabels": ["\u00a0dog"]}}]}]}])");
    row("geojson", "b.geojson",
        R"({"features": [{"properties": {"classification": {"name": "dog\t"}}, "geometry":
          {"type": "Polygon", "coordinates": [[[1, 1], [9, 1], [9, 9], [1, 1]]]}}]})");
    row("coco", "b.json",
        R"({"images": [{"id": 1, "file_name": "a.png", "width": 40, "height": 30},
                       {"id": 2, "file_name": "b.png", "width": 40, "height": 30}],
            "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "dog "}],
            "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5]},
                            {"image_id": 2, "category_id": 2, "bbox": [1, 1, 5, 5]}]})");
  }
  void blanksAroundNamesMakeNoClasses() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.writeImage("b.png");
    folder.write(name.toStdString(), text.toStdString());
    const ImportReport report = folder.import();
    QCOMPARE(report.classes, Names{"dog"});
    const std::string faults = faultsOf(report);
    QVERIFY2(
        faults.find(
            "has extra spaces or line breaks in its name; it is imported as 'dog' (1 object)") !=
            std::string::npos,
        faults.c_str());
  }

  void namesInListsHaveNoBlanks() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    folder.write("labels/a.txt", "0 0.5 0.5 0.5 0.5\n1 0.5 0.5 0.2 0.2\n");
    folder.write("classes.txt", "leaf \nstem\t\n");
    QCOMPARE(folder.import().classes, (Names{"leaf", "stem"}));
    folder.write("names.list", "\tleaf\r\n  stem  \r\n\r\n");
    QCOMPARE(folder.import({.classes = folder.path() / "names.list"}).classes,
             (Names{"leaf", "stem"}));
    folder.write("names.list", "leaf\rstem\r");
    QCOMPARE(folder.import({.classes = folder.path() / "names.list"}).classes,
             (Names{"leaf", "stem"}));
  }

  void tooManyClassesAreRefused() {
    const SourceFolder folder;
    folder.writeImage("a.png");
    std::string shapes;
    for (int i = 0; i <= 100000; ++i)
      shapes += (i == 0 ? "" : ",") + R"({"points": [[1, 1], [9, 1], [9, 9]], "label": )"s + "\"c" +
                std::to_string(i) + "\"}";
    folder.write("a.json", R"({"imagePath": "a.png", "shapes": [)" + shapes + "]}");
    QCOMPARE(messageOf([&] { folder.import(); }),
             "the dataset has 100001 categories; at most 100000 are supported"s);
  }
};

LOCKSTEP_TEST(TstClassNames)
#include "tst_class_names.moc"
