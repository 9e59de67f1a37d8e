#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using tests::HttpReply;
using tests::ServeBench;
namespace fs = std::filesystem;

namespace {

std::string configOf(const std::string& control) {
  return "<View><Image name=\"photo\" value=\"$image\"/><" + control +
         " name=\"tag\" toName=\"photo\"><Label value=\"1\" background=\"red\"/></" + control +
         "></View>";
}

/// As Label Studio asks: https://labelstud.io/guide/ml_create
json requestOf(const std::string& config,
               const std::string& image = "/data/local-files/?d=sub%2Fa.png") {
  return {{"tasks", {{{"id", 1}, {"data", {{"image", image}}}}}},
          {"project", "1.1722000000"},
          {"label_config", config},
          {"params", {{"login", nullptr}, {"password", nullptr}, {"context", nullptr}}}};
}

HttpReply predict(ServeBench& bench, const json& request) {
  return bench.client().post("/predict", "application/json", request.dump());
}

/// The bits of Label Studio's runs, as its converter reads them.
class Bits {
 public:
  explicit Bits(const json& bytes) : bytes_(bytes) {}
  std::size_t take(int count) {
    std::size_t value = 0;
    for (; count > 0; --count, ++at_)
      value = value << 1 | (bytes_.at(at_ / 8).get<unsigned>() >> (7 - at_ % 8) & 1U);
    return value;
  }

 private:
  const json& bytes_;
  std::size_t at_ = 0;
};

std::vector<int> pixelsOf(const json& rle) {
  Bits bits(rle);
  std::vector<int> values(bits.take(32));
  const int wordBits = static_cast<int>(bits.take(5)) + 1;
  std::array<int, 4> lengths;
  for (int& length : lengths) length = static_cast<int>(bits.take(4)) + 1;
  for (std::size_t at = 0; at < values.size();) {
    const bool isRepeated = bits.take(1) == 1;
    const std::size_t end = at + 1 + bits.take(lengths.at(bits.take(2)));
    const int repeated = isRepeated ? static_cast<int>(bits.take(wordBits)) : 0;
    for (; at < end; ++at)
      values.at(at) = isRepeated ? repeated : static_cast<int>(bits.take(wordBits));
  }
  return values;
}

}  // namespace

class TstLabelStudioBackend : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    bench_ = std::make_unique<ServeBench>();
    const fs::path folder = bench_->engine().folder() / "images/sub";
    fs::create_directories(folder);
    std::ofstream(folder / "a.png") << "seven..";
    std::ofstream(folder / "a b.png") << "eight...";
    std::ofstream(folder / "a+b.png") << "four";
    bench_->start({"--files", "images"});
  }

  void healthAndSetup() {
    QCOMPARE(json::parse(bench_->client().get("/health").body).at("status").dump(),
             json("UP").dump());
    const json setup{{"project", "1.1722000000"},
                     {"schema", configOf("BrushLabels")},
                     {"hostname", "http://localhost:8080"},
                     {"access_token", ""}};
    const HttpReply reply = bench_->client().post("/setup", "application/json", setup.dump());
    QCOMPARE(json::parse(reply.body).dump(), json({{"model_version", "step-4"}}).dump());
  }

  void brushesHaveTheMasksPixels() {
    const json answer = json::parse(predict(*bench_, requestOf(configOf("BrushLabels"))).body);
    QCOMPARE(answer.at("results").size(), std::size_t{1});
    const json& prediction = answer.at("results")[0];
    QCOMPARE(prediction.at("model_version").dump(), json("step-4").dump());
    QCOMPARE(prediction.at("score").dump(), json(0.05).dump());
    const json& result = prediction.at("result").at(0);
    QCOMPARE(result.at("type").dump(), json("brushlabels").dump());
    QCOMPARE(result.at("from_name").dump(), json("tag").dump());
    QCOMPARE(result.at("to_name").dump(), json("photo").dump());
    QCOMPARE(result.at("original_width").dump(), json(64).dump());
    QCOMPARE(result.at("original_height").dump(), json(48).dump());
    QCOMPARE(result.at("value").at("brushlabels").dump(), json({"1"}).dump());
    const std::vector<int> pixels = pixelsOf(result.at("value").at("rle"));
    QCOMPARE(pixels.size(), std::size_t{4 * 48 * 64});
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const std::size_t x = i / 4 % 64, y = i / 4 / 64;
      QCOMPARE(pixels[i], x >= 10 && x < 20 && y >= 5 && y < 15 ? 255 : 0);
    }
  }

  void polygonsAreInPercentOfTheSides() {
    const json answer = json::parse(predict(*bench_, requestOf(configOf("PolygonLabels"))).body);
    const json& result = answer.at("results")[0].at("result").at(0);
    QCOMPARE(result.at("type").dump(), json("polygonlabels").dump());
    std::vector<std::pair<double, double>> points;
    for (const json& point : result.at("value").at("points"))
      points.emplace_back(point[0].get<double>() * 64 / 100, point[1].get<double>() * 48 / 100);
    std::ranges::sort(points);
    QCOMPARE(points,
             (std::vector<std::pair<double, double>>{{10, 5}, {10, 15}, {20, 5}, {20, 15}}));
  }

  void rectanglesAreTheBoxes() {
    const json answer = json::parse(predict(*bench_, requestOf(configOf("RectangleLabels"))).body);
    const json& value = answer.at("results")[0].at("result").at(0).at("value");
    QCOMPARE(value.at("width").dump(), json(100.0 * 7 / 64).dump());
    QCOMPARE(value.at("height").dump(), json(100.0 * 4 / 48).dump());
    QCOMPARE(value.at("rectanglelabels").dump(), json({"1"}).dump());
  }

  void theImageIsTheOneThatTheControlIsOf() {
    std::string config = configOf("RectangleLabels");
    config.replace(config.find("<View>"), 6, "<View><Image name=\"map\" value=\"$map\"/>");
    const HttpReply reply = predict(*bench_, requestOf(config));
    QCOMPARE(reply.status, 200);
    const json answer = json::parse(reply.body);
    QCOMPARE(answer.at("results")[0].at("result").at(0).at("to_name").dump(), json("photo").dump());
    config.replace(config.find("name=\"photo\""), 12, "name=\"other\"");
    QCOMPARE(predict(*bench_, requestOf(config)).status, 400);
  }

  void aLabelThatIsNotOfferedIsLeftOut() {
    std::string config = configOf("BrushLabels");
    config.replace(config.find("value=\"1\""), 9, "value=\"Car\"");
    const json answer = json::parse(predict(*bench_, requestOf(config)).body);
    QVERIFY(answer.at("results")[0].at("result").empty());
  }

  /// Releases of Label Studio and where they run write the same file in many ways.
  void filesAreFoundByTheirAddress_data() {
    QTest::addColumn<std::string>("address");
    QTest::addColumn<int>("bytes");
    const auto row = [](const char* address, int bytes) {
      QTest::newRow(address) << std::string(address) << bytes;
    };
    row("/data/upload/sub/a.png", 7);
    row("/label-studio/data/upload/sub/a.png", 7);
    row("10.0.0.1/data/upload/sub/a.png", 7);
    row("http://localhost:8080/data/upload/sub/a.png", 7);
    row("https://example.com/prefix/data/local-files/?d=sub/a.png", 7);
    row("/data/local-files?d=sub/a.png", 7);
    row("/data/local-files/?d=sub%5Ca.png", 7);
    row("/data/local-files/?d=sub/a%20b.png", 8);
    row("/data/local-files/?d=sub/a b.png", 8);
    row("/data/local-files/?d=sub/a%2Bb.png", 4);
    row("/data/local-files/?d=sub/a+b.png", 4);
    row("data:image/png;base64,Zm91cg==", 4);
  }
  void filesAreFoundByTheirAddress() {
    QFETCH(std::string, address);
    QFETCH(int, bytes);
    const HttpReply reply = predict(*bench_, requestOf(configOf("RectangleLabels"), address));
    QVERIFY2(reply.status == 200, reply.body.c_str());
    const json value = json::parse(reply.body).at("results")[0].at("result").at(0).at("value");
    QCOMPARE(value.at("width").dump(), json(100.0 * bytes / 64).dump());
  }

  void aPlusStandsForASpaceIfNoFileHasIt() {
    fs::remove(bench_->engine().folder() / "images/sub/a+b.png");
    const std::string address = "/data/local-files/?d=sub/a+b.png";
    const HttpReply reply = predict(*bench_, requestOf(configOf("RectangleLabels"), address));
    const json value = json::parse(reply.body).at("results")[0].at("result").at(0).at("value");
    QCOMPARE(value.at("width").dump(), json(100.0 * 8 / 64).dump());
    const HttpReply missing = predict(
        *bench_, requestOf(configOf("RectangleLabels"), "/data/local-files/?d=sub/c+d.png"));
    QCOMPARE(missing.status, 404);
    QVERIFY2(contains(missing.body, "'sub/c+d.png'"), missing.body.c_str());
  }

  void whatIsWrongIsSaid_data() {
    QTest::addColumn<QString>("request");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const json& request, int status, const char* why) {
      QTest::newRow(name) << QString::fromStdString(request.dump()) << status << why;
    };
    const std::string config = configOf("BrushLabels");
    row("no tasks", json::object(), 400, "tasks: must be a list");
    row("no configuration", {{"tasks", {{{"id", 1}}}}}, 400, "label_config: must be the");
    row("no XML", requestOf("<View"), 400, "label_config: is not XML");
    row("no control", requestOf("<View><Image name=\"a\" value=\"$image\"/></View>"), 400,
        "BrushLabels, PolygonLabels or RectangleLabels");
    json other = requestOf(config);
    other["tasks"][0]["data"] = {{"text", "x"}};
    row("no image", other, 400, "a task has no data.image");
    row("outside", requestOf(config, "/data/local-files/?d=..%2Fexperiment.yaml"), 403,
        "is not in the folder of --files");
    row("backslashes that lead out", requestOf(config, "/data/local-files/?d=..%5Cexperiment.yaml"),
        404, "experiment.yaml");
    row("address", requestOf(config, "http://example.com/a.png"), 403, "--allow-urls");
    row("another path", requestOf(config, "/storage/a.png"), 400,
        "'/storage/a.png' is not a file of Label Studio");
  }
  void whatIsWrongIsSaid() {
    QFETCH(QString, request);
    QFETCH(int, status);
    QFETCH(QString, why);
    const HttpReply reply =
        bench_->client().post("/predict", "application/json", request.toStdString());
    QCOMPARE(reply.status, status);
    QVERIFY2(contains(reply.body, why.toStdString()), reply.body.c_str());
  }

 private:
  std::unique_ptr<ServeBench> bench_;
};

LOCKSTEP_TEST(TstLabelStudioBackend)
#include "tst_label_studio_backend.moc"
