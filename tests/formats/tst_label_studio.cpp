#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "engine/formats/label_studio_brush.h"
#include "tests/formats/made_sources.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::ImportReport;
using nlohmann::json;
using tests::Expected;
using tests::SourceFolder;

namespace {

/// [4, 6, 20, 12] in an image of 40 x 30 px.
json rectangle() { return {{"x", 10}, {"y", 20}, {"width", 50}, {"height", 40}, {"rotation", 0}}; }

json withLabels(json value, const char* key = "labels", json labels = {"dog"}) {
  value[key] = std::move(labels);
  return value;
}

json result(const char* id, const char* type, const json& value) {
  return {{"id", id},           {"type", type},         {"from_name", type},
          {"to_name", "image"}, {"original_width", 40}, {"original_height", 30},
          {"value", value}};
}

ImportReport import(const SourceFolder& folder, const json& results) {
  folder.writeImage("a.png");
  const json tasks = {{{"id", 1},
                       {"data", {{"image", "/data/upload/1/a.png"}}},
                       {"annotations", {{{"id", 1}, {"result", results}}}}}};
  folder.write("tasks.json", tasks.dump());
  return folder.import();
}

}  // namespace

/// Regions whose shape and label come from two tags, as Rectangle and Labels: each gives a result
/// with the id of the region and the values of its shape.
class TstLabelStudio : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void shapesAndTheirLabelsAreOneObject_data() {
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<double>("area");
    const auto row = [](const char* type, const json& value, double area) {
      QTest::newRow(type) << QByteArray(type) << QByteArray::fromStdString(value.dump()) << area;
    };
    row("rectangle", rectangle(), -1);
    row("polygon", {{"points", {{10, 20}, {60, 20}, {60, 60}, {10, 60}}}, {"closed", true}}, 240);
    row("ellipse", {{"x", 50}, {"y", 50}, {"radiusX", 20}, {"radiusY", 20}, {"rotation", 0}},
        std::numbers::pi * 8 * 6);
    const coco::Rle mask =
        coco::rasterisePolygon(std::vector<double>{4, 6, 24, 6, 24, 18, 4, 18}, 30, 40);
    row("brush", {{"format", "rle"}, {"rle", formats::labelStudioBrush(mask)}}, 240);
  }
  void shapesAndTheirLabelsAreOneObject() {
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, value);
    QFETCH(double, area);
    const json shape = json::parse(value.toStdString());
    const json bare = result("q1", type.constData(), shape),
               label = result("q1", "labels", withLabels(shape));
    for (const json& results : {json{bare, label}, json{label, bare}, json{label}}) {
      const SourceFolder folder;
      const ImportReport report = import(folder, results);
      QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
      QVERIFY(report.losses.empty());
      const std::vector<Expected> found = folder.imported();
      QCOMPARE(found.size(), 1U);
      QCOMPARE(found[0].category, std::string("dog"));
      if (area < 0) {
        QCOMPARE(found[0].mask.height, 0);
        QCOMPARE(found[0].boxXywh, (std::array<double, 4>{4, 6, 20, 12}));
      } else {
        const double pixels = static_cast<double>(coco::areaPx(found[0].mask));
        QVERIFY2(std::abs(pixels - area) < 6, std::to_string(pixels).c_str());
      }
    }
  }

  /// A task or a region with another id than a number or a text is read as well.
  void idsMayBeOfAnyKind() {
    for (const json& id : {json("0b6e3c1e-57a9-4c2e-9d0c-1c8a8b1d0f11"), json(7), json(1.5),
                           json(nullptr), json{{"$oid", "64"}}}) {
      const SourceFolder folder;
      folder.writeImage("a.png");
      json bare = result("", "rectangle", rectangle()),
           label = result("", "labels", withLabels(rectangle()));
      bare["id"] = label["id"] = id.is_object() || id.is_null() ? json("q1") : id;
      json task = {{"id", id},
                   {"data", {{"image", "a.png"}}},
                   {"annotations", {{{"id", id}, {"result", {bare, label}}}}}};
      folder.write("tasks.json", json{task}.dump());
      const ImportReport report = folder.import();
      QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
      QCOMPARE(folder.imported().size(), 1U);
    }
  }

  void regionsAreToldApartByTheirIds() {
    const SourceFolder folder;
    json other = rectangle();
    other["width"] = 25;
    import(folder, {result("q1", "rectangle", rectangle()), result("q2", "rectangle", other),
                    result("q2", "labels", withLabels(other, "labels", {"cat"})),
                    result("q1", "labels", withLabels(rectangle()))});
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].category, std::string("cat"));
    QCOMPARE(found[0].boxXywh[2], 10.0);
    QCOMPARE(found[1].category, std::string("dog"));
    QCOMPARE(found[1].boxXywh[2], 20.0);
  }

  void whatARegionIsNotReadForIsCounted() {
    const SourceFolder folder;
    const ImportReport report =
        import(folder, {result("q1", "rectanglelabels",
                               withLabels(rectangle(), "rectanglelabels", {"dog", "small"})),
                        result("q1", "choices", withLabels(rectangle(), "choices", {"good"})),
                        result("q2", "rectangle", rectangle()),
                        result("q3", "labels", {{"start", 1}, {"end", 4}, {"labels", {"word"}}}),
                        result("q4", "keypoint", {{"x", 5}, {"y", 5}, {"width", 1}})});
    QCOMPARE(folder.imported().size(), 1U);
    QCOMPARE(report.faults.size(), 1U);
    QVERIFY2(report.faults[0].text().ends_with("result[2]: has no label"),
             report.faults[0].text().c_str());
    QVERIFY(report.losses ==
            (std::map<std::string, std::int64_t>{{"further labels of regions that have several", 1},
                                                 {"points and lines, which have no area", 1},
                                                 {"results of type choices", 1},
                                                 {"results of type labels", 1}}));
  }
};

LOCKSTEP_TEST(TstLabelStudio)
#include "tst_label_studio.moc"
