#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/coco/files/fingerprint.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using coco::Fingerprint;

namespace {

const char* const kImages =
    R"({"id":1,"file_name":"a.png","width":64,"height":48},{"id":2,"file_name":"b.png","width":64,"height":48})";
const char* const kCategories = R"({"id":1,"name":"drop"},{"id":5,"name":"fibre"})";
const char* const kAnnotations =
    R"({"id":1,"image_id":1,"category_id":1,"iscrowd":0,"area":100,"bbox":[5,5,10,10],"segmentation":[[5,5,15,5,15,15,5,15]]},)"
    R"({"id":2,"image_id":1,"category_id":5,"iscrowd":0,"area":50,"bbox":[1,1,5,10],"segmentation":[[1,1,6,1,6,11]]},)"
    R"({"id":3,"image_id":2,"category_id":1,"iscrowd":1,"area":3,"bbox":[0,0,1,3],"segmentation":{"size":[48,64],"counts":[0,3,3069]}})";

}  // namespace

class TstFingerprint : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::string text(const std::string& images = kImages, const std::string& categories = kCategories,
                   const std::string& annotations = kAnnotations) const {
    return "{\"images\":[" + images + "],\"categories\":[" + categories + "],\"annotations\":[" +
           annotations + "]}";
  }
  Fingerprint of(const std::string& json, bool withAreas = true) const {
    const std::filesystem::path file = (folder_.path() + QStringLiteral("/a.json")).toStdString();
    base::writeFileAtomically(file, json);
    return coco::fingerprintOf(coco::Dataset::load(file), withAreas);
  }

 private Q_SLOTS:
  void countsAreCorrect() {
    const Fingerprint print = of(text());
    QCOMPARE(print.images, std::int64_t{2});
    QCOMPARE(print.categories, std::int64_t{2});
    QCOMPARE(print.annotations, std::int64_t{3});
  }

  void formattingAndOrderDoNotMatter() {
    const Fingerprint print = of(text());
    std::string spaced, other = text();
    for (const char letter : text())
      spaced += letter == ',' ? std::string(",\n  ") : std::string(1, letter);
    QVERIFY(of(spaced) == print);
    other.replace(other.find("[5,5,10,10]"), 11, "[5.0,5e0,10,1.0e1]");
    QVERIFY(of(other) == print);
    const std::string all = kAnnotations;
    const std::size_t second = all.find("{\"id\":2"), third = all.find("{\"id\":3");
    const std::string turned =
        all.substr(third) + "," + all.substr(second, third - second) + all.substr(0, second - 1);
    QVERIFY(of(text(kImages, kCategories, turned)) == print);
  }

  void trainingDataChangesTheFingerprint_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("difference");
    const auto row = [](const char* name, const char* before, const char* after, const char* text) {
      QTest::newRow(name) << QString::fromUtf8(before) << QString::fromUtf8(after)
                          << QString::fromUtf8(text);
    };
    row("a box", "[5,5,10,10]", "[5,5,10,10.5]", "different annotations, same number");
    row("an outline", "15,15,5,15]", "15,15,5,14]", "different annotations, same number");
    row("a category", "\"category_id\":5", "\"category_id\":1",
        "different annotations, same number");
    row("an image's objects", "\"image_id\":2", "\"image_id\":1",
        "different annotations, same number");
    row("a crowd", "\"iscrowd\":0,\"area\":50", "\"iscrowd\":1,\"area\":50",
        "different annotations, same number");
    row("runs", "[0,3,3069]", "[0,4,3068]", "different annotations, same number");
    row("a name", "\"fibre\"", "\"fiber\"", "different categories, same number");
    row("a file", "\"b.png\"", "\"c.png\"", "different images, same number");
    row("an image more", "{\"id\":2,\"file",
        "{\"id\":3,\"file_name\":\"c.png\",\"width\":64,\"height\":48},{\"id\":2,\"file",
        "3 instead of 2 images");
    row("an id of an annotation", "{\"id\":2,\"image", "{\"id\":7,\"image", "");
  }
  void trainingDataChangesTheFingerprint() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, difference);
    std::string changed = text();
    const std::size_t at = changed.find(before.toStdString());
    QVERIFY(at != std::string::npos);
    changed.replace(at, before.toStdString().size(), after.toStdString());
    std::string found;
    for (const std::string& line : coco::differences(of(text(), false), of(changed, false)))
      found += line;
    QCOMPARE(QString::fromStdString(found), difference);
  }

  void areasMatterWhenMetricsUseThem() {
    std::string changed = text();
    changed.replace(changed.find("\"area\":50"), 9, "\"area\":60");
    QVERIFY(of(text(), false) == of(changed, false));
    QVERIFY(of(text(), true) != of(changed, true));
  }
};

LOCKSTEP_TEST(TstFingerprint)
#include "tst_fingerprint.moc"
