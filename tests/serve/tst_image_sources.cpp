#include <sys/stat.h>

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

HttpReply ask(const ServeBench& bench, const char* kind, const std::string& value) {
  const json body{{"images", json::array({{{kind, value}}})}};
  return bench.client().post("/invocations", "application/json", body.dump());
}

}  // namespace

/// Files of --files and addresses of --allow-urls.
class TstImageSources : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    files_ = std::make_unique<ServeBench>();
    const fs::path folder = files_->engine().folder(), images = folder / "images";
    fs::create_directories(images / "sub");
    std::ofstream(images / "sub/a.png") << "seven..";
    std::ofstream(images / "a.png") << "three";
    std::ofstream(images / "b.png") << "seven..";
    fs::create_symlink("sub/a.png", images / "link.png");
    fs::create_symlink("../experiment.yaml", images / "out.png");
    fs::create_symlink(folder, images / "away");
    fs::create_symlink(images / "a.png", images / "absolute.png");
    fs::create_symlink("loop", images / "loop");
    fs::create_symlink("/proc/self", images / "self");
    QCOMPARE(::mkfifo((images / "pipe").c_str(), 0600), 0);
    std::ofstream(images / "large.png") << "large";
    fs::resize_file(images / "large.png", std::size_t{32} << 20);
    std::ofstream(images / "larger.png") << "x";
    fs::resize_file(images / "larger.png", std::size_t{33} << 20);
    files_->start({"--files", "images"});
  }

  void filesOfTheFolderAreRead() {
    QCOMPARE(json::parse(ask(*files_, "file", "sub/a.png").body)[0]["bbox"].dump(),
             json({0, 0, 7, 4}).dump());
    QCOMPARE(ask(*files_, "file", "sub/../link.png").status, 200);  // stays within
  }

  void filesAndContentsAreOneAnswerInTheirOrder() {
    const HttpReply reply = files_->client().post(
        "/invocations", "application/json",
        R"({"images": [{"file": "b.png"}, {"b64": "Zm91cg=="}, {"file": "a.png"}]})");
    const json found = json::parse(reply.body);
    QCOMPARE(found.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(found[i].at("image_id").dump(), json(i + 1).dump());
      QCOMPARE(found[i].at("bbox")[2].dump(), json(std::array{7, 4, 5}[i]).dump());
    }
    const HttpReply missing =
        files_->client().post("/invocations", "application/json",
                              R"({"images": [{"file": "a.png"}, {"file": "c.png"}]})");
    QCOMPARE(missing.status, 404);
    QVERIFY2(contains(missing.body, "'c.png'"), missing.body.c_str());
  }

  void noRequestReadsMoreThanItsImagesMayBe_data() {
    QTest::addColumn<int>("images");
    QTest::addColumn<QString>("why");
    QTest::newRow("number") << 5000 << "a request may have at most 64 images";
    QTest::newRow("bytes") << 17 << "bytes together";
  }
  void noRequestReadsMoreThanItsImagesMayBe() {
    QFETCH(int, images);
    QFETCH(QString, why);
    json body{{"images", json::array()}};
    for (int i = 0; i < images; ++i) body["images"].push_back({{"file", "large.png"}});
    const HttpReply reply = files_->client().post("/invocations", "application/json", body.dump());
    QCOMPARE(reply.status, 413);
    QVERIFY2(contains(reply.body, why.toStdString()), reply.body.c_str());
    QCOMPARE(ask(*files_, "file", "large.png").status, 200);
  }

  void noFileOutsideIsRead_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("status");
    QTest::newRow("parent") << "../experiment.yaml" << 403;
    QTest::newRow("through a folder") << "sub/../../experiment.yaml" << 403;
    QTest::newRow("absolute") << "/etc/hostname" << 403;
    QTest::newRow("a link") << "out.png" << 403;
    QTest::newRow("a link to a folder") << "away/experiment.yaml" << 403;
    QTest::newRow("an absolute link within") << "absolute.png" << 403;
    QTest::newRow("a loop") << "loop" << 403;
    QTest::newRow("proc") << "self/root/etc/hostname" << 403;
    QTest::newRow("missing") << "c.png" << 404;
    QTest::newRow("a folder") << "sub" << 404;
    QTest::newRow("the folder") << "." << 404;
    QTest::newRow("a pipe") << "pipe" << 404;
    QTest::newRow("no name") << "" << 404;
    QTest::newRow("a zero") << QString::fromUtf8("out.png\0.png", 12) << 404;
    QTest::newRow("large") << "larger.png" << 413;
    QTest::newRow("long") << QString(5000, u'a') << 404;
  }
  void noFileOutsideIsRead() {
    QFETCH(QString, name);
    QFETCH(int, status);
    const HttpReply reply = ask(*files_, "file", name.toStdString());
    QCOMPARE(reply.status, status);
    QVERIFY(json::parse(reply.body).contains("error"));
    QCOMPARE(ask(*files_, "file", "a.png").status, 200);
  }

  void imagesAreFetchedBelowThePrefix() {
    const ServeBench& site = *files_;
    const std::string address = "http://127.0.0.1:" + std::to_string(site.port());
    ServeBench bench;
    bench.start({"--allow-urls", address + "/classes", "--allow-urls", address + "/v2/"});
    const auto bytes = std::to_string(site.client().get("/classes").body.size());
    const HttpReply found = ask(bench, "url", address + "/classes");
    QVERIFY2(contains(found.body, "[0,0," + bytes + ",4]"), found.body.c_str());
    const HttpReply outside = ask(bench, "url", address + "/ping");
    QCOMPARE(outside.status, 403);
    QVERIFY2(contains(outside.body, "is not below one of --allow-urls"), outside.body.c_str());
    const HttpReply missing = ask(bench, "url", address + "/v2/nothing");
    QCOMPARE(missing.status, 400);
    QVERIFY2(contains(missing.body, "is answered with status 404"), missing.body.c_str());
    const HttpReply file = ask(bench, "url", "file:///etc/hostname");
    QCOMPARE(file.status, 403);
  }

  void manyAddressesAreOneAnswerInTheirOrder() {
    const ServeBench& site = *files_;
    const std::string address = "http://127.0.0.1:" + std::to_string(site.port()) + "/";
    ServeBench bench;
    bench.start({"--allow-urls", address});
    json images = json::array({{{"b64", "Zm91cg=="}}});
    for (int i = 0; i < 20; ++i) images.push_back({{"url", address + (i % 2 ? "ping" : "v2")}});
    const auto bytesOf = [&](const char* path) { return site.client().get(path).body.size(); };
    const HttpReply reply =
        bench.client().post("/invocations", "application/json", json{{"images", images}}.dump());
    const json found = json::parse(reply.body);
    QCOMPARE(found.size(), std::size_t{21});
    QCOMPARE(found[0].at("bbox")[2].dump(), json(4).dump());
    for (std::size_t i = 1; i < found.size(); ++i) {
      QCOMPARE(found[i].at("image_id").dump(), json(i + 1).dump());
      QCOMPARE(found[i].at("bbox")[2].dump(), json(bytesOf(i % 2 ? "/v2" : "/ping")).dump());
    }
  }

 private:
  std::unique_ptr<ServeBench> files_;  ///< serves with --files
};

LOCKSTEP_TEST(TstImageSources)
#include "tst_image_sources.moc"
