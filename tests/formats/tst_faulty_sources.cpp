#include <QTest>

#include "engine/base/base64.h"
#include "tests/formats/made_sources.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::SourceFolder;

/// A folder of each format with a fault, which is named at its place; the rest is imported.
class TstFaultySources : public QObject {
  Q_OBJECT

 private:
  using Change = std::function<void(const SourceFolder&)>;

 private Q_SLOTS:
  void faultsAreNamedAtTheirPlace_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("fault");
    const auto row = [this](const char* name, const char* format, const char* fault,
                            Change change) {
      changes_.push_back(std::move(change));
      QTest::newRow(name) << QString::fromUtf8(format) << static_cast<int>(changes_.size()) - 1
                          << QString::fromUtf8(fault);
    };
    const auto remove = [](const char* name) {
      return [name](const SourceFolder& folder) { std::filesystem::remove(folder.path() / name); };
    };
    const auto write = [](const char* name, const char* text) {
      return [name, text](const SourceFolder& folder) { folder.write(name, text); };
    };
    const auto image = [](const char* name) {
      return [name](const SourceFolder& folder) { folder.writeImage(name); };
    };
    row("coco: image", "coco", "annotations/instances.json: image 2: its image b.png is missing",
        remove("images/b.png"));
    row("coco: damaged", "coco", "annotations/more.json:1:13: invalid JSON at byte 13: ",
        write("annotations/more.json", "{\"images\": [}"));
    row("coco: unknown class", "coco",
        "annotations/more.json: annotation without an id (image 5): category 9 is not in "
        "\"categories\"",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("annotations/more.json",
                       R"({"images": [{"id": 5, "file_name": "d.png", "width": 40, "height": 30}],
                  "categories": [], "annotations": [{"image_id": 5, "category_id": 9}]})");
        });
    row("coco: no number", "coco",
        "annotations/more.json: annotation 7: bbox contains NaN; it must be four numbers",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("annotations/more.json",
                       R"({"images": [{"id": 5, "file_name": "d.png", "width": 40, "height": 30}],
                  "categories": [{"id": 1, "name": "x"}],
                  "annotations": [{"id": 7, "image_id": 5, "category_id": 1, "bbox": [1, NaN, 3, 4]}]})");
        });
    row("labelme: label", "labelme", "d.png: has no label file; not imported", image("d.png"));
    row("labelme: number", "labelme",
        "b.json: shapes[0].points[1][0]: is a string; it must be a number",
        write(
            "b.json",
            R"({"shapes": [{"label": "cat", "points": [[1, 2], ["x", 3], [4, 5]]}], "imagePath": "b.png"})"));
    row("labelme: NaN", "labelme", "b.json: shapes[0].points[1][0]: is NaN; it must be a number",
        write(
            "b.json",
            R"({"shapes": [{"label": "cat", "points": [[1, 2], [NaN, 3], [4, 5]]}], "imagePath": "b.png"})"));
    row("labelme: blank label", "labelme", "b.json: shapes[0]: label is empty",
        write(
            "b.json",
            R"({"shapes": [{"label": " \n", "points": [[1, 2], [9, 3], [4, 5]]}], "imagePath": "b.png"})"));
    row("labelme: outside", "labelme", "b.png: cat: is outside the image",
        write(
            "b.json",
            R"({"shapes": [{"label": "cat", "points": [[50, 2], [60, 2], [60, 9]]}], "imagePath": "b.png"})"));
    row("coco: outside", "coco", "images/d.png: x: is outside the image",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("annotations/more.json",
                       R"({"images": [{"id": 5, "file_name": "d.png", "width": 40, "height": 30}],
                  "categories": [{"id": 1, "name": "x"}],
                  "annotations": [{"id": 7, "image_id": 5, "category_id": 1, "bbox": [1, 30, 9, 9]}]})");
        });
    row("coco: unlisted", "coco",
        "images/d.png: has no usable entry in an annotation file; not imported, like 1 other image",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.writeImage("images/e.png");
        });
    row("labelme: image", "labelme", "d.json: its image d.jpg is missing",
        write("d.json", R"({"shapes": [], "imagePath": "d.jpg", "imageData": null})"));
    row("labelme: mask larger than its image", "labelme",
        "b.json: shapes[0].mask: has 1220 pixels, but its image has 1200",
        [](const SourceFolder& folder) {
          formats::LabelImage mask{40, 30, std::vector<std::uint32_t>(1200, 1)};
          mask.width = 61;
          mask.height = 20;
          mask.ids.resize(1220);
          folder.write(
              "b.json",
              R"({"shapes": [{"label": "cat", "shape_type": "mask", "points": [[0, 0], [60, 19]],
                          "mask": ")" +
                  base::encodeBase64(worker::DatasetImages().encodeLabels(mask)) +
                  R"("}], "imagePath": "b.png"})");
        });
    row("labelme: two files", "labelme", "d.json: b.json refers to the same image, b.png",
        write("d.json", R"({"shapes": [], "imagePath": "b.png"})"));
    row("labelme: syntax", "labelme",
        "b.json:1:13: invalid JSON at byte 13: ", write("b.json", "{\"shapes\": [,]}"));
    row("yolo: label", "yolo", "images/b.png: has no label file; not imported",
        remove("labels/b.txt"));
    row("yolo: number", "yolo", "labels/b.txt:2: 'x' is not a number",
        write("labels/b.txt", "0 0.1 0.1 0.2 0.1 0.2 0.2\n0 0.1 x 0.2 0.2\n"));
    row("yolo: class", "yolo", "labels/b.txt:1: class 7 has no name (there are 2)",
        write("labels/b.txt", "7 0.1 0.1 0.2 0.1 0.2 0.2\n"));
    row("yolo: pixels", "yolo", "labels/b.txt:1: coordinates must be shares",
        write("labels/b.txt", "0 10 10 20 10 20 20\n"));
    row("yolo: two files", "yolo",
        "images/b.png: has the same label file as images/b.bmp: labels/b.txt",
        image("images/b.bmp"));
    row("yolo: image", "yolo", "labels/d.txt: its image is missing", write("labels/d.txt", ""));
    row("voc: label", "voc", "JPEGImages/b.png: has no annotation file; not imported",
        remove("Annotations/b.xml"));
    row("voc: number", "voc", "Annotations/b.xml: object 1: 'x' is not a number",
        write("Annotations/b.xml",
              "<annotation><object><name>cat</name><bndbox><xmin>x</xmin></bndbox></object></"
              "annotation>"));
    row("voc: syntax", "voc",
        "Annotations/b.xml:1: invalid XML: ", write("Annotations/b.xml", "<annotation>"));
    row("voc: two files", "voc", "Annotations/z.xml: Annotations/b.xml refers to the same image",
        write("Annotations/z.xml", "<annotation><filename>b.png</filename></annotation>"));
    row("cvat: image", "cvat", "annotations.xml: image b.png: its image b.png is missing",
        remove("images/b.png"));
    row("cvat: number", "cvat", "more.xml: image d.png: shape 1: 'x' is not a number",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("more.xml",
                       "<annotations><image name=\"d.png\" width=\"40\" height=\"30\"><polygon "
                       "label=\"cat\" points=\"1,2;x,3;4,5\"/></image></annotations>");
        });
    row("via: number", "via",
        "more.json: d.png.regions[0].shape_attributes.all_points_x[1]: is a string; it must be a "
        "number",
        [](const SourceFolder& folder) {
          folder.writeImage("d.png");
          folder.write(
              "more.json",
              R"({"d.png": {"filename": "d.png", "regions": [{"shape_attributes": {"name": "polygon", "all_points_x": [1, "x", 3], "all_points_y": [1, 2, 3]}}]}})");
        });
    row("via: image", "via", "via_project.json: b.png123: its image b.png is missing",
        remove("b.png"));
    row("via: two files", "via",
        "via_project.json: b.png123: more.json refers to the same image, b.png",
        write("more.json", R"({"b.png": {"filename": "b.png", "regions": []}})"));
    row("via: twice", "via", "more.json: again: d.png is listed twice",
        [](const SourceFolder& folder) {
          folder.writeImage("d.png");
          folder.write("more.json",
                       R"({"d.png": {"filename": "d.png", "regions": []},
                           "again": {"filename": "d.png", "regions": []}})");
        });
    row("cityscapes: points", "cityscapes",
        "gtFine/train/town/b_gtFine_polygons.json: objects[0]: has 1 point;",
        write(
            "gtFine/train/town/b_gtFine_polygons.json",
            R"({"imgHeight": 30, "imgWidth": 40, "objects": [{"label": "car", "polygon": [[1, 1]]}]})"));
    row("labelstudio: image", "labelstudio", "export.json: task 2: its image b.png is missing",
        remove("images/b.png"));
    row("geojson: label", "geojson", "b.png: has no GeoJSON file; not imported",
        remove("b.geojson"));
    row("geojson: kind", "geojson", "b.geojson: features[0].geometry: type \"Circle\" is unknown",
        write("b.geojson",
              R"({"features": [{"geometry": {"type": "Circle", "coordinates": []}}]})"));
    row("coco: id twice", "coco", "annotations/more.json: category 1: duplicate id, of x and of y",
        write(
            "annotations/more.json",
            R"({"images": [], "annotations": [], "categories": [{"id": 1, "name": "x"}, {"id": 1, "name": "y"}]})"));
    row("labelme: size", "labelme", "b.png: is 40 x 30 px, but its annotations say 41 x 30 px",
        write("b.json",
              R"({"shapes": [], "imagePath": "b.png", "imageHeight": 30, "imageWidth": 41})"));
    row("yolo: box", "yolo", "labels/b.txt:1: the box has no area",
        write("labels/b.txt", "0 0 0 0 0\n"));
    row("yolo: part", "yolo", "data.yaml: names missing, which is not there",
        write("data.yaml", "train: images\nval: missing\nnames: [cat, dog]\n"));
    row("voc: mask of another size", "voc",
        "SegmentationObject/b.png: is 5 x 4 px, but its image is 40 x 30 px",
        [](const SourceFolder& folder) { folder.writeImage("SegmentationObject/b.png", 5, 4); });
    row("cvat: mask of a larger image", "cvat",
        "more.xml: image d.png: shape 1: ", [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("more.xml",
                       "<annotations><image name=\"d.png\" width=\"60000\" height=\"60000\"><mask "
                       "label=\"cat\" left=\"0\" top=\"0\" width=\"60000\" height=\"60000\" "
                       "rle=\"3600000000\"/></image></annotations>");
        });
    row("cityscapes: size", "cityscapes", "gtFine/train/town/b_gtFine_polygons.json: ",
        write("gtFine/train/town/b_gtFine_polygons.json",
              R"({"imgHeight": 65536, "imgWidth": 65536, "objects": []})"));
    row("yolo: class that is too large", "yolo", "labels/b.txt:1: there are at most 100000 classes",
        write("labels/b.txt", "999999 0.1 0.1 0.2 0.1 0.2 0.2\n"));
    row("voc: polygon", "voc",
        "Annotations/d.xml: object 1: has 2 points; a polygon needs at least 3",
        [](const SourceFolder& folder) {
          folder.writeImage("JPEGImages/d.png");
          folder.write(
              "Annotations/d.xml",
              "<annotation><object><name>cat</name><polygon><x1>3</x1><y1>3</y1><x2>9</x2><y2>9</"
              "y2>"
              "</polygon><bndbox><xmin>3</xmin><ymin>3</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
              "</object></annotation>");
        });
    row("geojson: ring", "geojson",
        "b.geojson: features[0].geometry.coordinates[1][0]: has 2 points",
        write("b.geojson",
              R"({"features": [{"geometry": {"type": "MultiPolygon", "coordinates": [
              [[[1, 1], [9, 1], [9, 9], [1, 1]]], [[[1, 1], [9, 1]]]]}}]})"));
    row("labelstudio: shape without a label", "labelstudio",
        "more.json: [0].annotations[0].result[0]: has no label", [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write("more.json",
                       R"([{"data": {"image": "d.png"}, "annotations": [{"result": [{"id": "q",
                          "type": "rectangle", "value": {"x": 1, "y": 1, "width": 9, "height": 9}}]}]}])");
        });
    row("cvat: size", "cvat", "images/d.png: is 40 x 30 px, but its annotations say -1 x 30 px",
        [](const SourceFolder& folder) {
          folder.writeImage("images/d.png");
          folder.write(
              "more.xml",
              "<annotations><image name=\"d.png\" width=\"-1\" height=\"30\"/></annotations>");
        });
    row("cityscapes: name", "cityscapes", "foo_polygons.json: is not called",
        write("foo_polygons.json", R"({"imgHeight": 30, "imgWidth": 40, "objects": []})"));
    row("masks: photo", "masks", "masks/cat/b.jpg: is a JPEG", [](const SourceFolder& folder) {
      std::filesystem::remove(folder.path() / "masks/cat/b.png");
      folder.write("masks/cat/b.jpg", "\xff\xd8\xff");
    });
    row("masks: label", "masks", "images/d.png: has no mask file; not imported",
        image("images/d.png"));
    row("masks: size", "masks", "masks/cat/b.png: is 5 x 4 px, but its image is 40 x 30 px",
        [](const SourceFolder& folder) { folder.writeImage("masks/cat/b.png", 5, 4); });
    row("masks: two files", "masks",
        "images/b.png: has two mask files: masks/cat/b.png, masks/cat/b_mask.png",
        image("masks/cat/b_mask.png"));
    row("masks: damaged", "masks", "masks/cat/b.png: cannot be decoded as an image",
        write("masks/cat/b.png", "no PNG"));
    row("masks: image", "masks", "masks/cat/d.png: its image is missing", image("masks/cat/d.png"));
  }
  void faultsAreNamedAtTheirPlace() {
    QFETCH(QString, format);
    QFETCH(int, change);
    QFETCH(QString, fault);
    const SourceFolder folder;
    for (const tests::MadeSource& source : tests::madeSources())
      if (source.name == format.toStdString()) source.write(folder);
    changes_[static_cast<std::size_t>(change)](folder);
    const formats::ImportReport report = folder.import();
    std::string all;
    bool isNamed = false;
    for (const formats::Fault& one : report.faults) {
      all += one.text() + "\n";
      isNamed = isNamed || one.text().starts_with(fault.toStdString());
    }
    QVERIFY2(isNamed, all.c_str());
    QVERIFY2(!folder.imported().empty(), "the rest is there");
    QVERIFY(std::filesystem::exists(folder.out() / "faults.txt"));
  }

 private:
  std::vector<Change> changes_;
};

LOCKSTEP_TEST(TstFaultySources)
#include "tst_faulty_sources.moc"
