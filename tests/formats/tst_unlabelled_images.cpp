#include <QTest>
#include <algorithm>

#include "engine/formats/format.h"
#include "engine/formats/report_text.h"
#include "tests/formats/made_sources.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::ImportReport;
using tests::faultsOf;
using tests::SourceFolder;

namespace {

using Change = std::function<void(const SourceFolder&)>;

void writeSource(const std::string& format, const SourceFolder& folder) {
  for (const tests::MadeSource& source : tests::madeSources())
    if (source.name == format) source.write(folder);
}

Change writing(const char* name, const char* text) {
  return [name, text](const SourceFolder& folder) { folder.write(name, text); };
}
Change adding(const char* image) {
  return [image](const SourceFolder& folder) { folder.writeImage(image); };
}
Change removing(const char* name) {
  return [name](const SourceFolder& folder) { std::filesystem::remove(folder.path() / name); };
}

}  // namespace

/// Images of which a source does not say that they have no object, and pictures of another format.
class TstUnlabelledImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreLeftOutUnlessTheyAreToBeKept_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("change");
    QTest::addColumn<int>("labelled");
    QTest::addColumn<QString>("fault");
    const auto row = [this](const char* name, const char* format, int labelled, const char* fault,
                            Change change) {
      QTest::newRow(name) << QString::fromUtf8(format) << static_cast<int>(changes_.size())
                          << labelled << QString::fromUtf8(fault);
      changes_.push_back(std::move(change));
    };
    row("labelme: no file", "labelme", 3, "d.png: has no label file", adding("d.png"));
    row("labelme: a file in another folder", "labelme", 3, "other/b.png: has no label file",
        adding("other/b.png"));
    row("labelme: a file of another program", "labelme", 2, "b.png: has no label file",
        writing("b.json", "{}"));
    row("yolo: no file", "yolo", 2, "images/b.png: has no label file", removing("labels/b.txt"));
    row("voc: no file", "voc", 2, "JPEGImages/b.png: has no annotation file",
        removing("Annotations/b.xml"));
    row("cvat: not named", "cvat", 3, "images/d.png: is not named by any XML file",
        adding("images/d.png"));
    row("via: not named", "via", 3, "d.png: is not named by any JSON file", adding("d.png"));
    row("labelstudio: no task", "labelstudio", 3, "images/d.png: has no task",
        adding("images/d.png"));
    row("geojson: no file", "geojson", 3, "d.png: has no GeoJSON file", adding("d.png"));
    row("cityscapes: no file", "cityscapes", 2,
        "leftImg8bit/train/town/b_leftImg8bit.png: has no polygons file",
        removing("gtFine/train/town/b_gtFine_polygons.json"));
    row("masks: no file", "masks", 3, "images/d.png: has no mask file", adding("images/d.png"));
    const auto task = [](const char* annotations) {
      return [annotations](const SourceFolder& folder) {
        folder.writeImage("images/d.png");
        folder.write("more.json", std::string(R"([{"id": 9, "data": {"image": "d.png"}, )") +
                                      annotations + "}]");
      };
    };
    row("labelstudio: not annotated", "labelstudio", 3, "images/d.png: its task is not annotated",
        task(R"("annotations": [], "predictions": [])"));
    row("labelstudio: skipped", "labelstudio", 3, "images/d.png: its task was skipped",
        task(R"("annotations": [{"was_cancelled": true, "result": []}])"));
    const char* const kLost = ": has no usable object";
    const auto lost = [&](const char* image) { return std::string(image) + kLost; };
    row("labelstudio: points alone", "labelstudio", 3, lost("images/d.png").c_str(),
        task(R"("annotations": [{"result": [{"type": "keypointlabels", "value": {"x": 1}}]}])"));
    row("coco: faulty objects", "coco", 3, lost("images/d.png").c_str(),
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("annotations/more.json",
                       R"({"images": [{"id": 5, "file_name": "d.png", "width": 40, "height": 30}],
                  "categories": [{"id": 3, "name": "cat"}],
                  "annotations": [{"id": 1, "image_id": 5, "category_id": 9, "bbox": [1, 1, 5, 5]}]})");
        });
    row("labelme: faulty objects", "labelme", 2, lost("b.png").c_str(),
        writing("b.json",
                R"({"shapes": [{"label": "cat", "points": [[1, "x"]]}], "imagePath": "b.png"})"));
    row("labelme: points alone", "labelme", 2, lost("b.png").c_str(),
        writing("b.json",
                R"({"shapes": [{"label": "cat", "shape_type": "point", "points": [[1, 1]]}],
                              "imagePath": "b.png"})"));
    row("yolo: faulty objects", "yolo", 2, lost("images/b.png").c_str(),
        writing("labels/b.txt", "7 0.1 0.1 0.2 0.1 0.2 0.2\n"));
    row("voc: faulty objects", "voc", 2, lost("JPEGImages/b.png").c_str(),
        writing("Annotations/b.xml", "<annotation><object><name>cat</name></object></annotation>"));
    row("cvat: faulty objects", "cvat", 3, lost("images/d.png").c_str(),
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("more.xml",
                       "<annotations><image name=\"d.png\" width=\"40\" height=\"30\"><polygon "
                       "label=\"cat\" points=\"1,2;x,3;4,5\"/></image></annotations>");
        });
    row("via: faulty objects", "via", 3, lost("d.png").c_str(), [](const SourceFolder& folder) {
      folder.writeImage("d.png");
      folder.write("more.json", R"({"d.png": {"filename": "d.png", "regions": [
          {"shape_attributes": {"name": "circle", "cx": 1}}]}})");
    });
    row("geojson: faulty objects", "geojson", 2, lost("b.png").c_str(),
        writing("b.geojson",
                R"({"features": [{"geometry": {"type": "Circle", "coordinates": []}}]})"));
    row("cityscapes: faulty objects", "cityscapes", 2,
        lost("leftImg8bit/train/town/b_leftImg8bit.png").c_str(),
        writing(
            "gtFine/train/town/b_gtFine_polygons.json",
            R"({"imgHeight": 30, "imgWidth": 40, "objects": [{"label": "car", "polygon": []}]})"));
    row("masks: damaged label images", "masks", 2, lost("images/b.png").c_str(),
        [](const SourceFolder& folder) {
          folder.write("masks/cat/b.png", "no PNG");
          folder.write("masks/dog/b.png", "no PNG");
        });
  }
  void theyAreLeftOutUnlessTheyAreToBeKept() {
    QFETCH(QString, format);
    QFETCH(int, change);
    QFETCH(int, labelled);
    QFETCH(QString, fault);
    const SourceFolder folder;
    writeSource(format.toStdString(), folder);
    changes_[static_cast<std::size_t>(change)](folder);
    const ImportReport without = folder.import();
    QCOMPARE(without.train.images + without.val.images, labelled);
    QCOMPARE(without.unlabelledImages, 1);
    QVERIFY2(faultsOf(without).find(fault.toStdString() + "; not imported\n") != std::string::npos,
             faultsOf(without).c_str());
    QVERIFY(
        formats::summaryOf(without, {}).find("unlabelled: 1 image not imported; --keep-empty") !=
        std::string::npos);
    const std::string lines = faultsOf(without);
    QVERIFY(formats::summaryOf(without, {})
                .find("import errors: " + std::to_string(std::ranges::count(lines, '\n')) +
                      ", listed in ") != std::string::npos);
    const ImportReport kept = folder.import({.keepsEmpty = true});
    QCOMPARE(kept.train.images + kept.val.images, labelled + 1);
    QCOMPARE(kept.emptyImages, without.emptyImages + 1);
    QVERIFY(faultsOf(kept).find(fault.toStdString() + "; imported without objects\n") !=
            std::string::npos);
  }

  /// The image has a label, so the fault of its file is the only one.
  void anImageThatCannotBeReadIsNamedOnce() {
    for (const char* format :
         {"labelme", "yolo", "voc", "cvat", "via", "cityscapes", "labelstudio", "geojson"}) {
      const SourceFolder folder;
      writeSource(format, folder);
      std::filesystem::remove_all(folder.path() / "SegmentationObject");
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        const std::filesystem::path image = entry.path().lexically_relative(folder.path());
        if (image.filename().string().starts_with("b") && image.extension() == ".png")
          folder.write(image.string(), "no image");
      }
      const ImportReport report = folder.import();
      QVERIFY2(report.faults.size() == 1, (std::string(format) + ": " + faultsOf(report)).c_str());
      QCOMPARE(report.unlabelledImages, 0);
    }
  }

  void aValidationPartThatIsLostIsNamed() {
    const SourceFolder folder;
    for (const char* image : {"train/images/a.png", "train/images/b.png", "valid/images/c.png"})
      folder.writeImage(image);
    for (const char* labels : {"train/labels/a.txt", "train/labels/b.txt"})
      folder.write(labels, "0 0.5 0.5 0.2 0.2\n");
    const ImportReport report = folder.import();
    QVERIFY(report.isSplitAnew);
    QVERIFY2(faultsOf(report).find("validation split: none of its images has a usable label") !=
                 std::string::npos,
             faultsOf(report).c_str());
  }

  void anImageWhoseClassesAreNotKeptHasNoObject() {
    const SourceFolder folder;
    writeSource("labelme", folder);
    folder.write("names.txt", "dog\n");
    const ImportReport report = folder.import({.classes = folder.path() / "names.txt"});
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(report.unlabelledImages, 0);
  }

  void anotherFormatIsNamedAndItsPicturesAreLeftOut() {
    const SourceFolder folder;
    writeSource("labelme", folder);
    folder.writeImage("other/x.png");
    folder.write("other/annotations.xml",
                 "<annotations><image name=\"x.png\" width=\"40\" height=\"30\"><box label=\"cat\" "
                 "xtl=\"1\" ytl=\"1\" xbr=\"9\" ybr=\"9\"/></image></annotations>");
    const ImportReport report = folder.import();
    QVERIFY(report.format == formats::Format::LabelMe);
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(report.unlabelledImages, 1);
    const std::vector<std::string> warnings =
        formats::warningsOf(report.exif, report.format, report.otherFormats);
    QCOMPARE(warnings.size(), 1U);
    QVERIFY2(warnings[0].find("also found: cvat (") == 0 &&
                 warnings[0].find("other/annotations.xml), which is not read; import it separately "
                                  "with --from cvat") != std::string::npos,
             warnings[0].c_str());
    QVERIFY(folder.import({.format = formats::Format::LabelMe}).otherFormats.empty());
  }

  void allFormatsOfAFolderAreFound() {
    const SourceFolder folder;
    for (const char* format : {"coco", "yolo", "voc", "geojson", "masks"})
      writeSource(format, folder);
    std::vector<std::string> found;
    for (const formats::FoundFormat& one : formats::formatsIn(folder.path()))
      found.push_back(base::textOf(one.format));
    QCOMPARE(found, (std::vector<std::string>{"coco", "yolo", "geojson", "voc", "masks"}));
  }

  /// LabelMe and others have such a list too.
  void aListOfClassesAloneIsNoOtherFormat() {
    const SourceFolder folder;
    writeSource("labelme", folder);
    folder.write("classes.txt", "cat\ndog\n");
    folder.write("a.txt", "a picture of a cat");
    QVERIFY(formats::formatsIn(folder.path()).at(0).format == formats::Format::LabelMe);
    QVERIFY(folder.import().otherFormats.empty());
    folder.write("a.txt", "0 0.5 0.5 0.1 0.1\n");
    QVERIFY(formats::formatsIn(folder.path()).at(0).format == formats::Format::Yolo);
  }

 private:
  std::vector<Change> changes_;
};

LOCKSTEP_TEST(TstUnlabelledImages)
#include "tst_unlabelled_images.moc"
