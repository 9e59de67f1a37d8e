#include <QTest>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using tests::HttpReply;
using tests::ServeBench;

namespace {

constexpr const char* kInfer = "/v2/models/bench/infer";

/// An element of a binary BYTES tensor.
std::string element(const std::string& content) {
  const auto length = static_cast<std::uint32_t>(content.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + content;
}

HttpReply inferBinary(const ServeBench& bench, const json& head, const std::string& binary) {
  const std::string text = head.dump();
  return bench.client().post(
      kInfer, "application/octet-stream", text + binary,
      "Inference-Header-Content-Length: " + std::to_string(text.size()) + "\r\n");
}

json outputOf(const json& document, const std::string& name) {
  for (const json& output : document.at("outputs"))
    if (output.at("name") == name) return output;
  return nullptr;
}

}  // namespace

/// The requests of the protocol's own pages (V2, REST, binary tensor extension).
class TstOpenInference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    bench_ = std::make_unique<ServeBench>();
    bench_->start();
  }
  void init() { bench_->forgetAsked(); }

  void healthServerAndModelAreDescribed() {
    auto client = bench_->client();
    QCOMPARE(json::parse(client.get("/v2/health/live").body).dump(), json({{"live", true}}).dump());
    QCOMPARE(json::parse(client.get("/v2/health/ready").body).dump(),
             json({{"ready", true}}).dump());
    QCOMPARE(client.get("/v2/models/bench/ready").status, 200);
    QCOMPARE(client.get("/v2/models/other/ready").status, 404);
    QCOMPARE(json::parse(client.get("/v2").body).at("extensions").dump(),
             json({"binary_tensor_data"}).dump());
    const json model = json::parse(client.get("/v2/models/bench").body);
    QCOMPARE(model.at("name").dump(), json("bench").dump());
    QCOMPARE(model.at("inputs").dump(),
             json::array({{{"name", "image"}, {"datatype", "BYTES"}, {"shape", {-1}}}}).dump());
    QCOMPARE(outputOf(model, "boxes").at("shape").dump(), json({-1, 4}).dump());
  }

  void imagesInJsonAreBase64() {
    const json body{{"id", "42"},
                    {"parameters", {{"score", 0.5}, {"classes", {7, "2"}}}},
                    {"inputs",
                     {{{"name", "image"},
                       {"shape", {2}},
                       {"datatype", "BYTES"},
                       {"data", {"Zm91cg==", "c2V2ZW4uLg=="}}}}}};
    const HttpReply reply = bench_->client().post(kInfer, "application/json", body.dump());
    QCOMPARE(reply.status, 200);
    const json answer = json::parse(reply.body);
    QCOMPARE(bench_->asked().back().images.at(0).categoryIds, (std::vector<std::int64_t>{2, 7}));
    QCOMPARE(answer.at("id").dump(), json("42").dump());
    QCOMPARE(answer.at("model_name").dump(), json("bench").dump());
    QCOMPARE(answer.at("model_version").dump(), json("4").dump());
    QCOMPARE(outputOf(answer, "image_index").at("data").dump(), json({0, 1}).dump());
    QCOMPARE(outputOf(answer, "boxes").at("shape").dump(), json({2, 4}).dump());
    QCOMPARE(outputOf(answer, "boxes").at("data").dump(),
             json({0.0, 0.0, 4.0, 4.0, 0.0, 0.0, 7.0, 4.0}).dump());
    QCOMPARE(outputOf(answer, "scores").at("data").dump(), json({0.5, 0.5}).dump());
    QCOMPARE(outputOf(answer, "class_ids").at("data").dump(), json({1, 1}).dump());
    const json mask = json::parse(outputOf(answer, "masks").at("data")[0].get<std::string>());
    QCOMPARE(mask.at("size").dump(), json({48, 64}).dump());
  }

  void imagesAndAnswersMayBeBinary() {
    const std::string binary = element("four") + element(std::string("a\0b", 3));
    const json head{{"inputs",
                     {{{"name", "image"},
                       {"shape", {2}},
                       {"datatype", "BYTES"},
                       {"parameters", {{"binary_data_size", binary.size()}}}}}},
                    {"outputs",
                     {{{"name", "boxes"}, {"parameters", {{"binary_data", true}}}},
                      {{"name", "class_names"}, {"parameters", {{"binary_data", true}}}},
                      {{"name", "scores"}}}}};
    const HttpReply reply = inferBinary(*bench_, head, binary);
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.headers.at("content-type"), std::string("application/octet-stream"));
    const std::size_t length = std::stoul(reply.headers.at("inference-header-content-length"));
    const json answer = json::parse(reply.body.substr(0, length));
    QCOMPARE(answer.at("outputs").size(), std::size_t{3});
    QCOMPARE(outputOf(answer, "boxes").at("parameters").at("binary_data_size").dump(),
             json(32).dump());
    std::array<float, 8> boxes{};
    std::memcpy(boxes.data(), reply.body.data() + length, sizeof boxes);
    QCOMPARE(boxes, (std::array<float, 8>{0, 0, 4, 4, 0, 0, 3, 4}));
    QCOMPARE(reply.body.substr(length + 32), element("1") + element("1"));
    QVERIFY(outputOf(answer, "scores").contains("data"));
  }

  void theVersionIsTheStepThatIsServed() {
    auto client = bench_->client();
    const std::string versions = "/v2/models/bench/versions/";
    const std::string body = R"({"inputs":[{"datatype":"BYTES","data":["eA=="]}]})";
    const auto infer = [&](const char* version) {
      return client.post(versions + version + "/infer", "application/json", body);
    };
    QCOMPARE(client.get(versions + "4").status, 200);
    QCOMPARE(client.get(versions + "4/ready").status, 200);
    QCOMPARE(infer("4").status, 200);
    QCOMPARE(client.get(versions + "5").status, 404);
    QCOMPARE(client.get(versions + "5/ready").status, 404);
    QVERIFY(contains(infer("5").body, "the model has no version 5; step 4 is served"));
    for (const char* path : {"", "/ready", "4/other", "4/ready/ready"})
      QCOMPARE(client.get(versions + path).status, 404);
  }

  void whatIsWrongIsSaid_data() {
    QTest::addColumn<QString>("head");
    QTest::addColumn<QByteArray>("binary");
    QTest::addColumn<QString>("why");
    const auto kSized =
        QStringLiteral(R"({"inputs":[{"datatype":"BYTES","parameters":{"binary_data_size":%1}}]})");
    const QByteArray whole = QByteArray::fromStdString(element("four"));
    QTest::newRow("no inputs") << "{}" << QByteArray() << "one tensor of encoded images";
    QTest::newRow("two") << R"({"inputs":[{},{}]})" << QByteArray() << "one tensor";
    QTest::newRow("no object") << R"({"inputs":[7]})" << QByteArray() << "one tensor";
    QTest::newRow("datatype") << R"({"inputs":[{"datatype":"FP32","data":[1]}]})" << QByteArray()
                              << "must be BYTES";
    QTest::newRow("datatype of another kind")
        << R"({"inputs":[{"datatype":7}]})" << QByteArray() << "must be BYTES";
    QTest::newRow("numbers") << R"({"inputs":[{"datatype":"BYTES","data":[1]}]})" << QByteArray()
                             << "must be strings";
    QTest::newRow("no base64") << R"({"inputs":[{"datatype":"BYTES","data":["?"]}]})"
                               << QByteArray() << "is not base64";
    QTest::newRow("nothing") << R"({"inputs":[{"datatype":"BYTES","data":[]}]})" << QByteArray()
                             << "has no image";
    for (const char* shape : {"[2]", "[0]", "[1,1]", "[]", "1", R"("x")", "null"})
      QTest::addRow("shape %s", shape)
          << QStringLiteral(R"({"inputs":[{"datatype":"BYTES","data":["eA=="],"shape":%1}]})")
                 .arg(QLatin1String(shape))
          << QByteArray() << "the shape must be [1], ";
    QTest::newRow("classes")
        << R"({"inputs":[{"datatype":"BYTES","data":["eA=="]}],"parameters":{"classes":true}})"
        << QByteArray() << "classes: must be names or ids";
    QTest::newRow("size") << kSized.arg(9) << whole << "not the size of what follows";
    QTest::newRow("negative size") << kSized.arg(-8) << whole << "not the size of what follows";
    QTest::newRow("cut length") << kSized.arg(3) << whole.first(3) << "are truncated";
    QTest::newRow("lying length") << kSized.arg(8) << QByteArray("\xff\xff\xff\xff") + "four"
                                  << "are truncated";
    QTest::newRow("output") << kSized.arg(8).replace(
                                   QStringLiteral("}]}"),
                                   QStringLiteral("}],"
                                                  "\"outputs\":[{\"name\":\"depth\"}]}"))
                            << whole << "no output 'depth'";
  }
  void whatIsWrongIsSaid() {
    QFETCH(QString, head);
    QFETCH(QByteArray, binary);
    QFETCH(QString, why);
    const HttpReply reply =
        inferBinary(*bench_, json::parse(head.toStdString()), binary.toStdString());
    QCOMPARE(reply.status, 400);
    QVERIFY2(contains(reply.body, why.toStdString()), reply.body.c_str());
  }

  void aTensorOfTooManyImagesIsRefused() {
    std::string binary;
    for (int i = 0; i < 65; ++i) binary += element("x");
    const json head{
        {"inputs",
         {{{"datatype", "BYTES"}, {"parameters", {{"binary_data_size", binary.size()}}}}}}};
    const HttpReply reply = inferBinary(*bench_, head, binary);
    QCOMPARE(reply.status, 413);
    QVERIFY2(contains(reply.body, "a request may have at most 64 images"), reply.body.c_str());
  }

  void aLengthThatIsNoneIsRefused() {
    for (const char* length : {"x", "-1", "3", "99999999999999999999"}) {
      const HttpReply reply =
          bench_->client().post(kInfer, "application/octet-stream", "{}",
                                std::string("Inference-Header-Content-Length: ") + length + "\r\n");
      QCOMPARE(reply.status, 400);
      QVERIFY(contains(reply.body, "is not a length within the body"));
    }
  }

 private:
  std::unique_ptr<ServeBench> bench_;
};

LOCKSTEP_TEST(TstOpenInference)
#include "tst_open_inference.moc"
