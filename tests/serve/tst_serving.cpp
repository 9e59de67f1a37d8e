#include <zlib.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/serve/detection_request.h"
#include "engine/supervisor/process_usage.h"
#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using tests::HttpClient;
using tests::HttpReply;
using tests::ServeBench;

namespace {

/// The images that the scripted worker got with its last request.
std::vector<protocol::DetectImage> lastDetected(ServeBench& bench) {
  const auto all = bench.asked();
  return all.empty() ? std::vector<protocol::DetectImage>() : all.back().images;
}

/// Content-Encoding: gzip with `windowBits` 31, deflate with 15.
std::string compressed(const std::string& text, int windowBits) {
  std::string bytes(text.size() / 500 + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  bytes.resize(isWhole ? stream.total_out : 0);
  deflateEnd(&stream);
  return bytes;
}

double residentMib(pid_t process) {
  return static_cast<double>(supervisor::usageOf({process}).residentBytes) / (1 << 20);
}

std::string part(const std::string& head, const std::string& content) {
  return "--edge\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content + "\r\n";
}

}  // namespace

class TstServing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    bench_ = std::make_unique<ServeBench>();
    bench_->start();
  }
  void init() { bench_->forgetAsked(); }

  void anImageIsAnsweredWithItsDetections() {
    auto client = bench_->client();
    const HttpReply reply = client.post("/invocations", "image/jpeg", "four");
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.headers.at("content-type"), std::string("application/json"));
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("4"));
    const json found = json::parse(reply.body);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].at("bbox").dump(), json({0, 0, 4, 4}).dump());
    QCOMPARE(found[0].at("score").dump(), json(0.05).dump());
    // The connection goes on.
    QCOMPARE(
        json::parse(client.post("/invocations", "image/png", "sixteen bytes 16").body)[0]["bbox"]
            .dump(),
        json({0, 0, 16, 4}).dump());
    QCOMPARE(client.get("/ping").status, 200);
  }

  void scoreClassesAndFormReachTheWorker() {
    ServeBench bench;
    bench.start({"--weights", "last"});
    auto client = bench.client();
    const HttpReply reply =
        client.post("/invocations?score=0.25&classes=1,2&form=overlay", "image/png", "x");
    QCOMPARE(reply.headers.at("content-type"), std::string("image/png"));
    QCOMPARE(reply.body, std::string("a picture"));
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("6"));
    const auto asked = lastDetected(bench).at(0);
    QCOMPARE(asked.scoreThreshold, 0.25);
    QCOMPARE(asked.categoryIds, (std::vector<std::int64_t>{1, 2}));
    QVERIFY(asked.form == protocol::AnswerForm::Overlay);
  }

  void aClassThatIsAskedOftenIsOne() {
    QCOMPARE(bench_->detect("x", "?classes=2,1,2,2,1").status, 200);
    QCOMPARE(lastDetected(*bench_).at(0).categoryIds, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(bench_->detect("x", "?classes=4&classes=3").status, 200);  // as some write a list
    QCOMPARE(lastDetected(*bench_).at(0).categoryIds, (std::vector<std::int64_t>{3, 4}));
    json body{{"images", json::array({{{"b64", "YQ=="}}})}, {"classes", json::array()}};
    for (int i = 0; i < 10'001; ++i) body["classes"].push_back(i);
    const HttpReply reply = bench_->client().post("/invocations", "application/json", body.dump());
    QCOMPARE(reply.status, 400);
    QVERIFY2(contains(reply.body, "classes: may be 10000 at most"), reply.body.c_str());
  }

  void aClassIsANameOrAnId_data() {
    QTest::addColumn<QString>("classes");
    QTest::addColumn<std::vector<std::int64_t>>("ids");
    const auto row = [](const char* classes, std::vector<std::int64_t> ids) {
      QTest::newRow(classes) << classes << std::move(ids);
    };
    row("[7]", {7});
    row(R"(["7"])", {8});  // a name before an id
    row(R"(["1"])", {1});
    row(R"(["cat, tabby"])", {7});
    row(R"([8, "cat, tabby", "0", 8])", {1, 7, 8});
    for (const char* wrong : {"[2]", R"(["cat"])", "[7.0]", "[null]", R"([""])", "7"})
      row(wrong, {});
  }
  void aClassIsANameOrAnId() {
    QFETCH(QString, classes);
    QFETCH(std::vector<std::int64_t>, ids);
    const serve::ServedModel model{
        .name = "bench",
        .categories = {
            {.id = {1}, .name = "0"}, {.id = {8}, .name = "7"}, {.id = {7}, .name = "cat, tabby"}}};
    const auto asked = [&] {
      return serve::categoryIdsOf(json::parse(classes.toStdString()), model);
    };
    if (ids.empty())
      QVERIFY_THROWS_EXCEPTION(serve::HttpError, asked());
    else
      QCOMPARE(asked(), ids);
  }

  /// SageMaker passes no query on, but what its clients call custom attributes.
  void sageMakersAttributesAreAQuery() {
    const HttpReply reply = bench_->client().post(
        "/invocations", "image/png", "x",
        "X-Amzn-SageMaker-Custom-Attributes: score=0.25; classes=1,2;form=overlay\r\n");
    QCOMPARE(reply.status, 200);
    const auto asked = lastDetected(*bench_).at(0);
    QCOMPARE(asked.scoreThreshold, 0.25);
    QCOMPARE(asked.categoryIds, (std::vector<std::int64_t>{1, 2}));
    QVERIFY(asked.form == protocol::AnswerForm::Overlay);
  }

  void batchTransformIsToldWhatFits_data() {
    QTest::addColumn<int>("workers");
    QTest::newRow("one worker") << 1;
    QTest::newRow("many") << 3;
  }
  void batchTransformIsToldWhatFits() {
    QFETCH(int, workers);
    ServeBench bench;
    bench.start({"--workers", std::to_string(workers), "--set", "runtime.cpu_threads=8"});
    const json told = json::parse(bench.client().get("/execution-parameters").body);
    QCOMPARE(told.at("BatchStrategy").get<std::string>(), std::string("SINGLE_RECORD"));
    const int atOnce = told.at("MaxConcurrentTransforms").get<int>(),
              megabytes = told.at("MaxPayloadInMB").get<int>();
    QVERIFY(atOnce > 1);
    QCOMPARE(megabytes, 10);  // of large photographs, too
    QVERIFY2(atOnce * megabytes <= 100, "SageMaker refuses more");
  }

  void acceptChoosesTheForm_data() {
    QTest::addColumn<QString>("accept");
    QTest::addColumn<int>("form");
    using enum protocol::AnswerForm;
    QTest::newRow("json") << "application/json" << static_cast<int>(Results);
    QTest::newRow("anything") << "*/*" << static_cast<int>(Results);
    QTest::newRow("polygons") << "application/json; form=polygons" << static_cast<int>(Polygons);
    QTest::newRow("png") << "image/png" << static_cast<int>(Labels);
    QTest::newRow("overlay") << "image/png; form=overlay" << static_cast<int>(Overlay);
    QTest::newRow("the first that is known") << "text/html, image/png" << static_cast<int>(Labels);
    QTest::newRow("the heavier one")
        << "application/json;q=0.2, image/png; q=0.9" << static_cast<int>(Labels);
    QTest::newRow("the heavier form")
        << "image/png;q=0.5, application/json; form=polygons" << static_cast<int>(Polygons);
    QTest::newRow("any image") << "image/*" << static_cast<int>(Labels);
    QTest::newRow("any application")
        << "text/html, application/*;q=0.1" << static_cast<int>(Results);
    QTest::newRow("a browser's image")
        << "image/avif,image/webp,image/*,*/*;q=0.8" << static_cast<int>(Labels);
    QTest::newRow("a browser's page")
        << "text/html,application/xml;q=0.9,*/*;q=0.8" << static_cast<int>(Results);
    QTest::newRow("all but one") << "*/*, application/json;q=0" << static_cast<int>(Labels);
    QTest::newRow("the exact range counts")
        << "application/*, application/json;q=0.1, image/*;q=.5" << static_cast<int>(Labels);
    QTest::newRow("no weight") << "image/png;q=heavy" << static_cast<int>(Labels);
    QTest::newRow("neither") << "application/json;q=0, image/*;q=0.0" << -1;
    QTest::newRow("none") << "text/html" << -1;
    QTest::newRow("a quoted comma") << "application/json;charset=\"a,\\\"b\";q=0.1, image/png;q=0.5"
                                    << static_cast<int>(Labels);
    QTest::newRow("a quote that never ends")
        << "image/png;a=\"b, application/json" << static_cast<int>(Labels);
  }
  void acceptChoosesTheForm() {
    QFETCH(QString, accept);
    QFETCH(int, form);
    const HttpReply reply = bench_->client().post("/invocations", "image/png", "x",
                                                  "Accept: " + accept.toStdString() + "\r\n");
    QCOMPARE(reply.status, form < 0 ? 406 : 200);
    if (form >= 0) QCOMPARE(static_cast<int>(lastDetected(*bench_).at(0).form), form);
  }

  void severalImagesOfARequestAreOneArray() {
    const std::string body = part("name=\"a\"; filename=\"a.png\"", "one") +
                             part("name=\"score\"", "0.5") +
                             part("name=\"b\"; filename=\"b.png\"", "three") + "--edge--\r\n";
    const HttpReply reply =
        bench_->client().post("/invocations", "multipart/form-data; boundary=edge", body);
    const json found = json::parse(reply.body);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].at("image_id").dump(), json(1).dump());
    QCOMPARE(found[0].at("bbox").dump(), json({0, 0, 3, 4}).dump());
    QCOMPARE(found[1].at("image_id").dump(), json(2).dump());
    QCOMPARE(found[1].at("bbox").dump(), json({0, 0, 5, 4}).dump());
    QCOMPARE(found[1].at("score").dump(), json(0.5).dump());
  }

  void imagesOfJson() {
    const HttpReply reply = bench_->client().post(
        "/invocations", "application/json; charset=utf-8",
        R"({"images": [{"b64": "Zm91cg=="}, {"b64": "c2V2ZW4uLg=="}], "score": 0.75, "classes": [1]})");
    const json found = json::parse(reply.body);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].at("bbox").dump(), json({0, 0, 4, 4}).dump());
    QCOMPARE(found[1].at("bbox").dump(), json({0, 0, 7, 4}).dump());
    QCOMPARE(lastDetected(*bench_).at(0).scoreThreshold, 0.75);
  }

  /// Forms of TensorFlow Serving's clients, and `data:` addresses.
  void imagesOfJsonHaveManyForms_data() {
    QTest::addColumn<QString>("body");
    for (const char* body :
         {R"({"instances": [{"b64": "Zm91cg=="}]})", R"({"images": ["Zm91cg=="]})",
          R"({"instances": [{"image_bytes": {"b64": "Zm91cg=="}}], "signature_name": "default"})",
          R"({"images": [{"b64": "data:image/jpeg;base64,Zm91cg=="}]})",
          R"({"images": [{"url": "DATA:;BASE64,Zm91cg=="}], "score": null, "classes": null})"})
      QTest::newRow(body) << QString::fromUtf8(body);
  }
  void imagesOfJsonHaveManyForms() {
    QFETCH(QString, body);
    const HttpReply reply =
        bench_->client().post("/invocations", "application/json", body.toStdString());
    QVERIFY2(reply.status == 200, reply.body.c_str());
    QCOMPARE(json::parse(reply.body)[0]["bbox"].dump(), json({0, 0, 4, 4}).dump());
  }

  void arraysOfPixelsAreImages() {
    const std::string pixels(R"({"instances": [[[[1, 2, 3], [4, 5, 6]]]]})");
    const HttpReply inJson = bench_->client().post("/invocations", "application/json", pixels);
    QVERIFY2(inJson.status == 200, inJson.body.c_str());
    QCOMPARE(json::parse(inJson.body)[0]["bbox"][2].dump(), json(54 + 8).dump());
    const std::string npy = std::string("\x93NUMPY\x01\x00\x3a\x00", 10) +
                            "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}\n" + "abcd";
    const HttpReply inNumPy = bench_->client().post("/invocations", "application/x-npy", npy);
    QVERIFY2(inNumPy.status == 200, inNumPy.body.c_str());
    QCOMPARE(json::parse(inNumPy.body).size(), std::size_t{1});
  }

  void aBodyWithoutAUsefulTypeIsRead_data() {
    QTest::addColumn<std::string>("type");
    QTest::newRow("none") << std::string();
    QTest::newRow("a form's") << std::string("application/x-www-form-urlencoded");
    QTest::newRow("bytes") << std::string("application/octet-stream");
  }
  void aBodyWithoutAUsefulTypeIsRead() {
    QFETCH(std::string, type);
    for (const std::string& body :
         std::vector<std::string>{"four", R"( {"instances": [{"b64": "Zm91cg=="}]})"}) {
      HttpClient client = bench_->client();
      client.send("POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n" +
                  (type.empty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n" + body);
      const HttpReply reply = client.reply();
      QVERIFY2(reply.status == 200, reply.body.c_str());
      QCOMPARE(json::parse(reply.body)[0]["bbox"].dump(), json({0, 0, 4, 4}).dump());
    }
  }

  void aCompressedBodyIsRead() {
    const auto post = [&](const char* encoding, const std::string& body) {
      return bench_->client().post("/invocations", "image/png", body,
                                   std::string("Content-Encoding: ") + encoding + "\r\n");
    };
    const HttpReply gzip = post("gzip", compressed("four", 31));
    QVERIFY2(gzip.status == 200, gzip.body.c_str());
    QCOMPARE(json::parse(gzip.body)[0]["bbox"].dump(), json({0, 0, 4, 4}).dump());
    QCOMPARE(post("Deflate", compressed("four", 15)).status, 200);
    QCOMPARE(post("identity", "four").status, 200);
    const std::string bomb = compressed(std::string(std::size_t{33} << 20, 'x'), 31);
    QVERIFY(bomb.size() < 100'000);
    QCOMPARE(post("gzip", bomb).status, 413);
    for (const std::string& damaged :
         std::vector<std::string>{"four", compressed("four", 31).substr(0, 15), ""}) {
      const HttpReply reply = post("gzip", damaged);
      QCOMPARE(reply.status, 400);
      QVERIFY2(contains(reply.body, "Content-Encoding: "), reply.body.c_str());
    }
    const HttpReply other = post("br", "four");
    QCOMPARE(other.status, 415);
    QVERIFY2(contains(other.body, "br is not supported"), other.body.c_str());
  }

  void fieldsThatAreLeftEmptyAreNone() {
    const std::string body = part("name=\"a\"; filename=\"a.png\"", "one") +
                             part("name=\"score\"", "") + part("name=\"classes\"", " ") +
                             part("name=\"token\"", "") + part("name=\"b\"; filename=\"\"", "") +
                             "--edge--\r\n";
    const HttpReply reply = bench_->client().post(
        "/invocations?form=&score=", "multipart/form-data; boundary=edge", body);
    QVERIFY2(reply.status == 200, reply.body.c_str());
    QCOMPARE(json::parse(reply.body).size(), std::size_t{1});
    QCOMPARE(lastDetected(*bench_).at(0).scoreThreshold, 0.05);
  }

  void memoryOfManyClientsIsReturned() {
    ServeBench bench;
    bench.start();
    bench.detect("x");
    const auto pid = static_cast<pid_t>(bench.process().processId());
    const double before = residentMib(pid);
    const std::string image(std::size_t{1} << 20, 'x');
    std::vector<HttpClient> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(bench.send(image));
    for (HttpClient& client : clients) QCOMPARE(client.reply().status, 200);
    clients.clear();
    QTRY_VERIFY2_WITH_TIMEOUT(residentMib(pid) < before + 30,
                              std::to_string(residentMib(pid)).c_str(), HttpClient::kPatienceMs);
  }

  void theBodyMayNameTheForm() {
    const HttpReply inJson =
        bench_->client().post("/invocations?form=labels", "application/json",
                              R"({"images": [{"b64": "Zm91cg=="}], "form": "overlay"})");
    QCOMPARE(inJson.headers.at("content-type"), std::string("image/png"));
    QVERIFY(lastDetected(*bench_).at(0).form == protocol::AnswerForm::Overlay);
    const HttpReply inPart =
        bench_->client().post("/invocations", "multipart/form-data; boundary=edge",
                              part("name=\"a\"; filename=\"a.png\"", "one") +
                                  part("name=\"form\"", "labels") + "--edge--\r\n",
                              "Accept: text/html\r\n");
    QCOMPARE(inPart.headers.at("content-type"), std::string("image/png"));
    QVERIFY(lastDetected(*bench_).at(0).form == protocol::AnswerForm::Labels);
  }

  void anUndecodableImageIsTheClientsFault() {
    const HttpReply reply = bench_->detect("undecodable");
    QCOMPARE(reply.status, 400);
    QCOMPARE(json::parse(reply.body).dump(), json({{"error", "the image is no image"}}).dump());
    QCOMPARE(bench_->detect("fine").status, 200);
  }

  void whatIsWrongWithARequestIsSaid_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* path, const char* type, const char* body,
                        int status, const char* why) {
      QTest::newRow(name) << path << type << body << status << why;
    };
    const char* kOwn = "/invocations";
    row("unknown path", "/nothing", "image/png", "x", 404, "there is no /nothing");
    row("wrong method", "/ping", "image/png", "x", 405, "asked with GET");
    row("type", kOwn, "text/csv", "x", 415, "text/csv is not supported");
    row("types", kOwn, "a/b", "x", 415, "application/octet-stream, application/x-npy");
    row("NumPy", kOwn, "application/x-npy", "x", 400, "application/x-npy: is not a NumPy file");
    row("unknown parameter", "/invocations?threshold=0.5", "image/png", "x", 400, "'threshold'");
    row("a parameter of another path", "/v2/models/bench/infer?score=0.5", "application/json", "{}",
        400, "'score': /v2/models/{name}/infer takes no parameters");
    row("unknown member", kOwn, "application/json", R"({"images": ["YQ=="], "threshold": 0.5})",
        400, "'threshold' is unknown");
    row("no image", kOwn, "image/png", "", 400, "is empty");
    row("score", "/invocations?score=2", "image/png", "x", 400, "from 0 to 1");
    row("no score", "/invocations?score=nan", "image/png", "x", 400, "from 0 to 1");
    row("class", "/invocations?classes=cat", "image/png", "x", 400, "no class 'cat'");
    row("form", "/invocations?form=mask", "image/png", "x", 400, "form: must be results");
    row("form in JSON", kOwn, "application/json", R"({"images": [], "form": 7})", 400,
        "form: must be results");
    row("no JSON", kOwn, "application/json", "{\"images\": [", 400, "invalid JSON at byte");
    row("a list", kOwn, "application/json", "[]", 400, "must be a JSON object");
    row("deep", kOwn, "application/json", std::string(100000, '[').c_str(), 400, "levels deep");
    row("no images", kOwn, "application/json", "{}", 400, "must have \"images\"");
    row("empty list", kOwn, "application/json", R"({"images": []})", 400, "has no image");
    row("entry", kOwn, "application/json", R"({"images": [7]})", 400, "each must be");
    row("two members", kOwn, "application/json", R"({"images": [{"b64": "YQ==", "file": "a"}]})",
        400, "each must be");
    row("data address", kOwn, "application/json", R"({"images": [{"b64": "data:image/png,x"}]})",
        400, "b64: a data: address must be data:image/jpeg;base64,");
    row("no base64", kOwn, "application/json", R"({"images": ["a.png"]})", 400,
        "images: is not base64");
    row("base64", kOwn, "application/json", R"({"images": [{"b64": "?"}]})", 400, "b64: ");
    row("file", kOwn, "application/json", R"({"images": [{"file": "a"}]})", 403, "--files");
    row("url", kOwn, "application/json", R"({"images": [{"url": "a"}]})", 403, "--allow-urls");
    const char* kForm = "multipart/form-data; boundary=edge";
    row("no boundary", kOwn, "multipart/form-data", "x", 400, "has no boundary");
    row("other boundary", kOwn, kForm, "--other\r\n\r\nx\r\n--other--", 400, "its boundary");
    row("no end", kOwn, kForm, "--edge\r\n\r\nx\r\n", 400, "does not end with its boundary");
    row("no head", kOwn, kForm, "--edge\r\nx\r\n--edge--", 400, "a part without headers");
    row("cut", kOwn, kForm, "--edge", 400, "does not begin with its boundary");
    row("unknown field", kOwn, kForm,
        "--edge\r\nContent-Disposition: form-data; name=threshold\r\n\r\n0.5\r\n--edge--", 400,
        "'threshold' is unknown");
    row("no file", kOwn, kForm,
        "--edge\r\nContent-Disposition: form-data; name=score\r\n\r\n0.5\r\n--edge--", 400,
        "has no image");
  }
  void whatIsWrongWithARequestIsSaid() {
    QFETCH(QString, path);
    QFETCH(QString, type);
    QFETCH(QString, body);
    QFETCH(int, status);
    QFETCH(QString, why);
    const HttpReply reply =
        bench_->client().post(path.toStdString(), type.toStdString(), body.toStdString());
    QCOMPARE(reply.status, status);
    const std::string error = json::parse(reply.body).at("error").get<std::string>();
    QVERIFY2(contains(error, why.toStdString()) && !contains(error, "\n"), error.c_str());
  }

  void thePageIsServed() {
    const HttpReply page = bench_->client().get("/");
    QVERIFY(page.headers.at("content-type").starts_with("text/html"));
    QVERIFY(contains(page.body, "Drop an image here") && contains(page.body, "</script>"));
  }

  void requestsAreCounted() {
    ServeBench bench;
    bench.start();
    bench.detect("x");
    bench.detect("y");
    bench.detect("undecodable");
    QCOMPARE(bench.metric("lockstep_images_total"), 3.0);
    const std::string text = bench.client().get("/metrics").body;
    QVERIFY2(contains(text, "lockstep_requests_total{route=\"/invocations\",status=\"200\"} 2\n"),
             text.c_str());
    QVERIFY(contains(text, "lockstep_requests_total{route=\"/invocations\",status=\"400\"} 1\n"));
    QVERIFY(contains(text, "lockstep_request_seconds_count{route=\"/invocations\"} 3\n"));
    bench.client().get("/nothing");
    bench.client().get("/invocations");
    HttpClient large = bench.client();
    large.send(tests::postHead("/invocations", "image/png", 34'000'000) + "\r\n");
    QCOMPARE(large.reply().status, 413);
    const std::string refused = bench.client().get("/metrics").body;
    for (const char* line :
         {"route=\"other\",status=\"404\"} 1\n", "route=\"/invocations\",status=\"405\"} 1\n",
          "route=\"/invocations\",status=\"413\"} 1\n"})
      QVERIFY2(contains(refused, line), refused.c_str());
  }

  void aPortThatIsTakenIsToldBeforeTheModelIsLoaded() {
    const auto second =
        bench_->engine().run({"serve", "run", "--port", std::to_string(bench_->port())});
    QCOMPARE(second.status, 2);
    QVERIFY2(contains(second.err, "another program has this port: give --port another"),
             second.err.c_str());
    QVERIFY(second.out.empty());
  }

  /// As it may be stopped before it was evaluated, or keep no best.
  void aRunWithoutABestIsServedAsItIs() {
    ServeBench bench;
    bench.forgetBest();
    bench.start();
    QCOMPARE(bench.detect("x").headers.at("x-lockstep-step"), std::string("6"));
  }

  void weightsThatCannotBeLoadedAreTheExitStatus() {
    ServeBench bench;
    bench.engine().script("fail 2 weights do not fit\n", "inspect");
    const auto result = bench.engine().run({"serve", "run", "--port", "0"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "weights do not fit"), result.err.c_str());
  }

 private:
  std::unique_ptr<ServeBench> bench_;
};

LOCKSTEP_TEST(TstServing)
#include "tst_serving.moc"
