#include <signal.h>

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/run_folder.h"
#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::boxOf;
using tests::contains;
using tests::HttpClient;
using tests::HttpReply;
using tests::ServeBench;
namespace fs = std::filesystem;

namespace {

std::string stepOf(const HttpReply& reply) { return reply.headers.at("x-lockstep-step"); }

/// How often workers were asked to load weights in the place of others.
std::ptrdiff_t loads(ServeBench& bench) {
  std::ptrdiff_t count = 0;
  for (const int rank : {0, 1})
    for (const std::string& line : bench.engine().received(rank))
      if (contains(line, "\"load\"")) ++count;
  return count;
}

bool hasLoad(ServeBench& bench) { return loads(bench) > 0; }

/// Whether the server has opened a file, which it then has for as long as it needs it.
bool hasOpened(ServeBench& bench, const fs::path& file) {
  const fs::path opened = "/proc/" + std::to_string(bench.process().processId()) + "/fd";
  return std::ranges::any_of(fs::directory_iterator(opened), [&](const fs::directory_entry& entry) {
    std::error_code isGone;
    return fs::equivalent(entry.path(), file, isGone);
  });
}

/// A checkpoint whose weights say `content` becomes the run's best.
void makeBest(ServeBench& bench, std::int64_t step, const std::string& content) {
  const run_folder::Layout run(bench.engine().folder() / "run");
  fs::create_directories(run.checkpoint(step));
  base::writeFileAtomically(run.checkpoint(step) / "model.safetensors", content);
  auto info = json::parse(base::readFile(run.runJson()));
  info["best"] = {{"metric", "segm/AP"}, {"value", 0.5}, {"step", step}};
  base::writeFileAtomically(run.runJson(), info.dump());
}

}  // namespace

/// `lockstep-engine serve RUN --follow`.
class TstFollowedRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aNewBestTakesOverBetweenTwoRequests() {
    ServeBench bench;
    bench.start({"--follow"});
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 4}).dump());
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));  // though nobody asks
    const HttpReply reply = bench.detect("x");
    QCOMPARE(boxOf(reply).dump(), json({0, 0, 1, 88}).dump());
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("8"));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, "step 8 is loaded and takes over"), result.err.c_str());
  }

  void aBestIsReportedOnceItIsLoaded() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "await load 77");
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, HttpClient::kPatienceMs));
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    QVERIFY(contains(bench.client().get("/v2/models/bench").body, R"("versions":["4"])"));
    HttpClient waiting = bench.send("x");
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    const HttpReply reply = waiting.reply();
    QCOMPARE(boxOf(reply).dump(), json({0, 0, 1, 77}).dump());
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("8"));
  }

  /// A loading worker is not stuck after half of --batch-timeout, as a detecting one is.
  void weightsMayTakeLongerThanBatches() {
    constexpr int kLongMs = 1200;
    ServeBench bench;
    bench.start({"--follow", "--batch-timeout", "2"});
    QCOMPARE(bench.detect("x").status, 200);
    makeBest(bench, 8, "await load 77");
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, HttpClient::kPatienceMs));
    QVERIFY(!QTest::qWaitFor([&] { return bench.client().get("/ping").status != 200; }, kLongMs));
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
  }

  /// Though one of its images is fetched for so long that a new best takes over meanwhile.
  void aRequestIsAnsweredWithOneSetOfWeights() {
    ServeBench site, bench;
    site.start();
    const std::string address = "http://127.0.0.1:" + std::to_string(site.port()) + "/";
    bench.start({"--follow", "--allow-urls", address});
    const auto siteId = static_cast<pid_t>(site.process().processId());
    ::kill(siteId, SIGSTOP);
    json images = json::array({{{"b64", "eA=="}}});
    images.push_back({{"url", address + "ping"}});
    const std::string body = json{{"images", images}}.dump();
    HttpClient client = bench.client();
    client.send(tests::postHead("/invocations", "application/json", body.size()) + "\r\n" + body);
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
    ::kill(siteId, SIGCONT);
    const HttpReply reply = client.reply();
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("4"));
    for (const json& found : json::parse(reply.body)) QCOMPARE(found.at("bbox")[3].get<int>(), 4);
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
    QCOMPARE(bench.metric("lockstep_model_step"), 8.0);
  }

  void aBestThatIsRemovedIsServedOn() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    fs::remove_all(run_folder::Layout(bench.engine().folder() / "run").checkpoint(8));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
    ::kill(bench.engine().workerPid(), SIGKILL);
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 1));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
  }

  void aBestThatCannotBeLoadedIsGivenUpUntilItIsMended() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "damaged");
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, HttpClient::kPatienceMs));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 4}).dump());
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
    const auto result = bench.stop();
    QVERIFY2(contains(result.err,
                      "the weights of step 8 cannot be loaded, those of step 4 are still served: "
                      "they are damaged"),
             result.err.c_str());
    QCOMPARE(result.err.find("step 8 cannot"), result.err.rfind("step 8 cannot"));
  }

  void whatBecomesOfABestIsToldThoughThereIsAnother_data() {
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("told");
    QTest::newRow("loaded") << "await load 77"
                            << "step 8 is loaded and takes over";
    QTest::newRow("damaged") << "await load damaged"
                             << "the weights of step 8 cannot be loaded, those of step 4 are still "
                                "served: they are damaged";
  }
  void whatBecomesOfABestIsToldThoughThereIsAnother() {
    QFETCH(QString, content);
    QFETCH(QString, told);
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, content.toStdString());
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, HttpClient::kPatienceMs));
    makeBest(bench, 10, "99");
    const run_folder::Layout run(bench.engine().folder() / "run");
    const fs::path next = run.checkpoint(10) / "model.safetensors";
    QVERIFY(QTest::qWaitFor([&] { return hasOpened(bench, next); }, HttpClient::kPatienceMs));
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 10));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, told.toStdString()), result.err.c_str());
    QCOMPARE(result.err.find("step 8 "), result.err.rfind("step 8 "));
  }

  void aBestThatKillsItsWorkersIsGivenUp_data() {
    QTest::addColumn<QString>("workers");
    QTest::newRow("one worker") << "1";
    QTest::newRow("the first of two, twice") << "2";
  }
  void aBestThatKillsItsWorkersIsGivenUp() {
    QFETCH(QString, workers);
    ServeBench bench;
    bench.start({"--follow", "--workers", workers.toStdString()});
    makeBest(bench, 8, "die");
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 2));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 4}).dump());
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 2.0);
    QCOMPARE(bench.detect("x").status, 200);
    const auto result = bench.stop();
    QVERIFY2(
        contains(result.err,
                 "the weights of step 8 cannot be loaded, those of step 4 are still served: the "
                 "worker exited (SIGKILL)"),
        result.err.c_str());
  }

  /// Half of the workers load it while the others answer; then the others do.
  void aNewBestKeepsNobodyWaiting() {
    ServeBench bench;
    bench.start({"--follow", "--workers", "2"});
    HttpClient first = bench.send("await go"), second = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 2));  // both have loaded the first
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(second.reply().status, 200);
    makeBest(bench, 8, "await load 77");
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, HttpClient::kPatienceMs));
    for (int i = 0; i < 3; ++i) QCOMPARE(stepOf(bench.detect("x")), std::string("4"));
    QCOMPARE(loads(bench), std::ptrdiff_t{1});
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    QCOMPARE(stepOf(bench.detect("x")), std::string("8"));
    QVERIFY(QTest::qWaitFor([&] { return loads(bench) == 2; }, HttpClient::kPatienceMs));
    QCOMPARE(stepOf(bench.detect("x")), std::string("8"));
  }

  void aRunWithoutABestIsFollowedUntilItHasOne() {
    ServeBench bench;
    bench.forgetBest();
    bench.start({"--follow"});
    QCOMPARE(stepOf(bench.detect("x")), std::string("6"));
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
  }

  void aBestThatCannotBeReadIsTold() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "88");
    const run_folder::Layout run(bench.engine().folder() / "run");
    const fs::path weights = run.checkpoint(8) / "model.safetensors";
    fs::remove(weights);
    QByteArray told;
    const auto isTold = [&] {
      told += bench.process().readAllStandardError();
      return told.contains("the run's best checkpoint cannot be loaded, step 4 is still served: ");
    };
    QVERIFY2(QTest::qWaitFor(isTold, HttpClient::kPatienceMs), told.constData());
    base::writeFileAtomically(weights, std::string("88"));
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
  }
};

LOCKSTEP_TEST(TstFollowedRun)
#include "tst_followed_run.moc"
