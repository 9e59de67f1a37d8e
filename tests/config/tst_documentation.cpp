#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/config/documentation.h"
#include "engine/config/fields.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;

namespace {

/// The schema of a dotted key, or null.
json schemaOf(const json& root, const std::string& key) {
  json node = root;
  std::size_t begin = 0;
  while (begin <= key.size() && node.contains("properties")) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    node = node["properties"].value(key.substr(begin, end - begin), json());
    begin = end + 1;
  }
  return begin > key.size() ? node : json();
}

}  // namespace

class TstDocumentation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theReferenceNamesEveryKey() {
    const std::string text = config::docsMarkdown();
    for (const config::Field& field : config::fields()) {
      const std::string name = field.key.substr(field.key.rfind('.') + 1);
      QVERIFY2(text.find("| `" + name + "` |") != std::string::npos, field.key.c_str());
      QVERIFY2(text.find(field.help) != std::string::npos, field.key.c_str());
    }
    QVERIFY(text.find("| `base_lr` | number, > 0 | `0.02` |") != std::string::npos);
    QVERIFY(text.find("ram: in memory. |") != std::string::npos);
    QVERIFY(text.find("| `max_dets` | list of 3 integers, 1 … 100000 (detections) | `[1, 10, "
                      "100]` |") != std::string::npos);
    QVERIFY(text.find("| Not built yet: only the default is accepted. |") == std::string::npos);
    QVERIFY(text.find("Not built yet: only the default is accepted. |") != std::string::npos);
    QVERIFY(text.find("## `model.rpn`") != std::string::npos);
    QCOMPARE(text.find("## `dataset`"), text.rfind("## `dataset`"));  // each section once
    QVERIFY(text.find("## `dataset`") != std::string::npos);
  }

  void everyRowOfTheReferenceHasFourCells() {
    const std::string text = config::docsMarkdown();
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      if (line.starts_with("|")) QCOMPARE(std::count(line.begin(), line.end(), '|'), 5);
      begin = end + 1;
    }
  }

  void theSchemaDescribesEveryKey() {
    const json root = json::parse(config::jsonSchema());
    QCOMPARE(root["$schema"].get<std::string>(),
             std::string("https://json-schema.org/draft/2020-12/schema"));
    QCOMPARE(root["additionalProperties"].get<bool>(), false);
    for (const config::Field& field : config::fields()) {
      const json schema = schemaOf(root, field.key);
      QVERIFY2(schema.is_object(), field.key.c_str());
      QVERIFY2(schema.value("description", "").starts_with(field.help), field.key.c_str());
      QVERIFY2(schema.contains("default"), field.key.c_str());
    }
  }

  void theSchemaSaysTypesRangesAndChoices() {
    const json root = json::parse(config::jsonSchema());
    const json rate = schemaOf(root, "solver.base_lr");
    QCOMPARE(rate["type"].get<std::string>(), std::string("number"));
    QCOMPARE(rate["exclusiveMinimum"].get<int>(), 0);
    QCOMPARE(rate["default"].get<double>(), 0.02);
    const json iou = schemaOf(root, "model.rpn.fg_iou");
    QCOMPARE(iou["minimum"].get<int>(), 0);
    QCOMPARE(iou["maximum"].get<int>(), 1);
    const json backbone = schemaOf(root, "model.backbone");
    QCOMPARE(backbone["enum"].size(), std::size_t{4});
    const json sizes = schemaOf(root, "model.anchors.sizes");
    QCOMPARE(sizes["type"].get<std::string>(), std::string("array"));
    QCOMPARE(sizes["minItems"].get<int>(), 5);
    QCOMPARE(sizes["maxItems"].get<int>(), 5);
    QVERIFY(sizes["default"] == json({32, 64, 128, 256, 512}));
    const json weights = schemaOf(root, "model.weights");
    QCOMPARE(weights["anyOf"][1]["type"].get<std::string>(), std::string("null"));
    QVERIFY(weights["default"].is_null());
    const json stages = schemaOf(root, "model.freeze_stages");
    QVERIFY(stages["anyOf"][1]["enum"] == json::array({"auto"}));
    const json steps = schemaOf(root, "solver.max_steps");
    QCOMPARE(steps["anyOf"][0]["type"].get<std::string>(), std::string("integer"));
    QCOMPARE(steps["anyOf"][1]["type"].get<std::string>(), std::string("string"));
    QCOMPARE(schemaOf(root, "dataset.cache_limit")["default"].get<std::string>(),
             std::string("4 GiB"));
    QVERIFY(!schemaOf(root, "model.anchors")["additionalProperties"].get<bool>());
    const json classWeights = schemaOf(root, "solver.class_weights");
    QVERIFY(classWeights["anyOf"][1]["enum"] == json::array({"none", "inverse"}));
  }

  void theSchemaAcceptsOtherRecalls() {
    const json metric = schemaOf(json::parse(config::jsonSchema()), "evaluation.best_metric");
    QCOMPARE(metric["anyOf"][1]["pattern"].get<std::string>(),
             std::string("^(segm|bbox)/AR[1-9][0-9]*$"));
  }

  void theSchemaRejectsUnimplementedValues() {
    const json root = json::parse(config::jsonSchema());
    const json size = schemaOf(root, "dataset.tiles.size");
    QVERIFY(size["const"] == json(0));
    QVERIFY(size["description"].get<std::string>().ends_with(
        "Not built yet: only the default is accepted."));
    const json cache = schemaOf(root, "dataset.cache");
    QVERIFY(cache["enum"] == json::array({"none", "ram"}));
  }
};

LOCKSTEP_TEST(TstDocumentation)

#include "tst_documentation.moc"
