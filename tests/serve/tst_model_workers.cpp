#include <signal.h>
#include <sys/resource.h>

#include <QTest>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/run_folder.h"
#include "engine/serve/batch_times.h"
#include "engine/serve/model_workers.h"
#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using tests::HttpClient;
using tests::HttpReply;
using tests::ServeBench;
namespace fs = std::filesystem;

namespace {

constexpr int kPatienceMs = 20000;

/// Sends an image without waiting for its answer.
HttpClient asked(const ServeBench& bench, const std::string& image) {
  HttpClient client = bench.client();
  client.send(tests::postHead("/invocations", "image/png", image.size()) + "\r\n" + image);
  return client;
}

/// The numbers of images in the requests that the worker got.
std::vector<std::size_t> batchesOf(ServeBench& bench) {
  std::vector<std::size_t> batches;
  for (const protocol::Detect& asked : bench.asked()) batches.push_back(asked.images.size());
  return batches;
}

json boxOf(const HttpReply& reply) { return json::parse(reply.body).at(0).at("bbox"); }

/// Whether a worker was asked to load weights in the place of others.
bool hasLoad(ServeBench& bench) {
  return std::ranges::any_of(bench.engine().received(),
                             [](const std::string& line) { return contains(line, "\"load\""); });
}

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
  info["best"]["step"] = step;
  base::writeFileAtomically(run.runJson(), info.dump());
}

}  // namespace

class TstModelWorkers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesThatWaitBecomeABatch() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=4", "--max-batch", "3"});
    std::vector<HttpClient> clients;
    clients.push_back(asked(bench, "await go"));
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    for (int i = 0; i < 5; ++i) clients.push_back(asked(bench, "image " + std::to_string(i)));
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 5));
    bench.engine().touch("go");
    for (HttpClient& client : clients) QCOMPARE(client.reply().status, 200);
    QCOMPARE(batchesOf(bench), (std::vector<std::size_t>{1, 3, 2}));
  }

  void imagesOfARequestBeginTogether() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=4"});
    bench.client().post("/invocations", "application/json",
                        R"({"images": [{"b64": "YQ=="}, {"b64": "Yg=="}, {"b64": "Yw=="}]})");
    QCOMPARE(batchesOf(bench), std::vector<std::size_t>{3});
  }

  /// A worker reads lines of 1 MiB.
  void aBatchFitsALine() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=8"});
    json body{{"images", json::array()}, {"classes", json::array()}};
    for (int i = 0; i < 8; ++i) body["images"].push_back({{"b64", "YQ=="}});
    for (int i = 0; i < 9000; ++i) body["classes"].push_back(1'000'000'000'000'000'000 + i);
    const HttpReply reply = bench.client().post("/invocations", "application/json", body.dump());
    QCOMPARE(reply.status, 200);
    QCOMPARE(json::parse(reply.body).size(), std::size_t{8});
    const auto batches = batchesOf(bench);
    QCOMPARE(std::accumulate(batches.begin(), batches.end(), std::size_t{0}), std::size_t{8});
    QVERIFY(batches.size() > 1);
    for (const std::string& line : bench.engine().received())
      QVERIFY(line.size() <= protocol::kMaxLineBytes);
  }

  void aCpuTakesNoMoreThanItHasThreads() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=1"});
    bench.client().post("/invocations", "application/json",
                        R"({"images": [{"b64": "YQ=="}, {"b64": "Yg=="}]})");
    QCOMPARE(batchesOf(bench), (std::vector<std::size_t>{1, 1}));
  }

  void aDeadWorkerIsReplacedAndItsImagesTriedAgain() {
    ServeBench bench;
    bench.start();
    HttpClient client = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    const int first = bench.engine().workerPid();
    ::kill(first, SIGKILL);
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 1));
    HttpClient second = asked(bench, "another");  // waits for the replacement
    bench.engine().touch("go");
    QCOMPARE(boxOf(client.reply()).dump(), json({0, 0, 8, 4}).dump());
    QCOMPARE(boxOf(second.reply()).dump(), json({0, 0, 7, 4}).dump());
    QVERIFY(bench.engine().workerPid() != first);
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, "the worker exited (SIGKILL); it is replaced"),
             result.err.c_str());
  }

  void aWorkerThatHangsIsToldSoonAndReplaced() {
    ServeBench bench;
    bench.start({"--batch-timeout", "4"});
    HttpClient client = asked(bench, "await go");
    QVERIFY(QTest::qWaitFor(
        [&] { return contains(bench.client().get("/ping").body, "no worker has answered"); },
        kPatienceMs));
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 0.0);
    QCOMPARE(bench.client().get("/v2/health/ready").status, 503);
    QCOMPARE(bench.client().get("/v2/health/live").status, 200);
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 1));
    bench.engine().touch("go");
    QCOMPARE(boxOf(client.reply()).dump(), json({0, 0, 8, 4}).dump());
    QVERIFY(
        QTest::qWaitFor([&] { return bench.client().get("/ping").status == 200; }, kPatienceMs));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err,
                      "a worker has not answered a batch for 4 s (--batch-timeout); "
                      "it is replaced"),
             result.err.c_str());
  }

  void aBatchIsUnusualByThoseBeforeIt() {
    using std::chrono::seconds;
    serve::BatchTimes times;
    QVERIFY(!times.isUnusual(seconds(14), seconds(30)));  // nothing is known yet
    QVERIFY(times.isUnusual(seconds(16), seconds(30)));
    times.add(std::chrono::milliseconds(100));
    QVERIFY(!times.isUnusual(seconds(4), seconds(30)));
    QVERIFY(times.isUnusual(seconds(6), seconds(30)));
    times.add(seconds(1));
    times.add(std::chrono::milliseconds(100));
    QVERIFY(!times.isUnusual(seconds(9), seconds(30)));
    QVERIFY(times.isUnusual(seconds(11), seconds(30)));
    times.add(seconds(20));
    QVERIFY(times.isUnusual(seconds(16), seconds(30)));
    QVERIFY(times.isUnusual(seconds(2), seconds(3)));
  }

  void anImageThatKillsTakesNoOtherWithIt() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=8"});
    HttpClient before = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient fine = asked(bench, "fine"), killer = asked(bench, "die"),
               good = asked(bench, "good");
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 3));
    bench.engine().touch("go");
    QCOMPARE(before.reply().status, 200);
    QCOMPARE(fine.reply().status, 200);
    const HttpReply refused = killer.reply();
    QCOMPARE(refused.status, 500);
    QVERIFY2(contains(refused.body, "a worker ended on this image, and so did the next one"),
             refused.body.c_str());
    QCOMPARE(good.reply().status, 200);
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 2.0);
    QCOMPARE(bench.detect("later").status, 200);
  }

  void aFullQueueRefusesAtOnce() {
    ServeBench bench;
    bench.start();
    HttpClient first = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    std::vector<HttpClient> clients;
    for (int i = 0; i < 255; ++i) clients.push_back(asked(bench, "x"));
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 255));
    HttpClient refused = bench.client();
    refused.send(tests::postHead("/invocations", "image/png", 1'000'000) +
                 "Expect: 100-continue\r\n\r\n");  // without its body
    const HttpReply reply = refused.reply();
    QCOMPARE(reply.status, 503);
    QCOMPARE(reply.headers.at("retry-after"), std::string("1"));
    QVERIFY(contains(reply.body, "too many images are waiting"));
    QCOMPARE(bench.detect(std::string(20'000'000, 'x')).status, 503);  // nor does its body matter
    const std::string counted = bench.client().get("/metrics").body;
    QVERIFY2(
        contains(counted, "lockstep_requests_total{route=\"/invocations\",status=\"503\"} 2\n"),
        counted.c_str());
    QCOMPARE(bench.client().get("/ping").status, 200);
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    for (HttpClient& client : clients) QCOMPARE(client.reply().status, 200);
    QCOMPARE(bench.detect("x").status, 200);
  }

  void theBytesThatWaitAreLimited() {
    ServeBench bench;
    bench.start();
    HttpClient first = asked(bench, "await go" + std::string(std::size_t{31} << 20, ' '));
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    const std::string large = "x" + std::string(std::size_t{31} << 20, ' ');
    std::vector<HttpClient> clients;
    for (int i = 1; i < 16; ++i) clients.push_back(asked(bench, large));
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 15));
    QCOMPARE(bench.detect(large).status, 503);
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    for (HttpClient& client : clients) QCOMPARE(client.reply().status, 200);
    QCOMPARE(bench.detect(large).status, 200);
  }

  /// As on a disk that is full.
  void anImageThatCannotBeKeptLeavesNothing_data() {
    QTest::addColumn<int>("bytes");
    QTest::newRow("small") << 1'000'000;
    QTest::newRow("large") << 5'000'000;
  }
  void anImageThatCannotBeKeptLeavesNothing() {
    QFETCH(int, bytes);
    ServeBench bench;
    const fs::path temporary = bench.engine().folder() / "temporary";
    fs::create_directories(temporary);
    bench.engine().setVariable("TMPDIR", temporary.string());
    bench.start();
    const rlimit most{64 << 10, 64 << 10};
    QCOMPARE(
        ::prlimit(static_cast<pid_t>(bench.process().processId()), RLIMIT_FSIZE, &most, nullptr),
        0);
    const HttpReply reply = bench.detect(std::string(static_cast<std::size_t>(bytes), 'x'));
    QCOMPARE(reply.status, 503);
    QVERIFY2(contains(reply.body, "cannot be kept") && !contains(reply.body, temporary.string()),
             reply.body.c_str());
    for (const auto& entry : fs::recursive_directory_iterator(temporary))
      QVERIFY2(!entry.is_regular_file(), entry.path().c_str());
    QCOMPARE(bench.detect("x").status, 200);
  }

  void aClientThatGoesHarmsNobody() {
    ServeBench bench;
    bench.start();
    HttpClient first = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    { HttpClient gone = asked(bench, "never"); }
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(bench.detect("x").status, 200);
  }

  void sigtermAnswersWhatWasAsked() {
    ServeBench bench;
    bench.start();
    HttpClient running = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient waiting = asked(bench, "waits");
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 1));
    HttpClient open = bench.client(), late = bench.client();
    open.get("/ping");
    late.get("/ping");
    bench.process().terminate();
    QVERIFY(QTest::qWaitFor([&] { return open.get("/ping").status == 503; }, kPatienceMs));
    QCOMPARE(late.post("/invocations", "image/png", "late").status, 503);
    bench.engine().touch("go");
    QCOMPARE(running.reply().status, 200);
    QCOMPARE(waiting.reply().status, 200);
    QCOMPARE(tests::EngineBench::finish(bench.process()).status, 0);
    QVERIFY(!tests::isAlive(bench.engine().workerPid()));
  }

  void aSecondSignalDoesNotWait() {
    ServeBench bench;
    bench.start();
    HttpClient running = asked(bench, "await never");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient open = bench.client();
    open.get("/ping");
    bench.process().terminate();
    QVERIFY(QTest::qWaitFor([&] { return open.get("/ping").status == 503; }, kPatienceMs));
    const auto result = bench.stop();
    QCOMPARE(result.status, 130);
    QVERIFY2(contains(result.err, "second signal"), result.err.c_str());
  }

  void anIdleServerStopsAtOnce() {
    ServeBench bench;
    bench.start({"--workers", "2"});
    HttpClient idle = bench.client();  // and keeps it open
    idle.get("/ping");
    QCOMPARE(bench.stop().status, 0);
    QVERIFY(idle.isClosed());
    for (const int pid : bench.engine().allPids()) QVERIFY(!tests::isAlive(pid));
  }

  void workersShareTheImages() {
    ServeBench bench;
    bench.start({"--workers", "2"});
    QVERIFY(QTest::qWaitFor([&] { return bench.engine().workerPid(1) != 0; }, kPatienceMs));
    HttpClient first = asked(bench, "await go"), second = asked(bench, "await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 2));
    QCOMPARE(bench.metric("lockstep_images_waiting"), 0.0);
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(second.reply().status, 200);
  }

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
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, kPatienceMs));
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    QVERIFY(contains(bench.client().get("/v2/models/bench").body, R"("versions":["4"])"));
    HttpClient waiting = asked(bench, "x");
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    const HttpReply reply = waiting.reply();
    QCOMPARE(boxOf(reply).dump(), json({0, 0, 1, 77}).dump());
    QCOMPARE(reply.headers.at("x-lockstep-step"), std::string("8"));
  }

  /// Than the ten times a batch, and 5 s, after which one that detects counts as stuck.
  void weightsMayTakeLongerThanBatches() {
    constexpr int kLongMs = 6500;
    ServeBench bench;
    bench.start({"--follow"});
    QCOMPARE(bench.detect("x").status, 200);
    makeBest(bench, 8, "await load 77");
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, kPatienceMs));
    QVERIFY(!QTest::qWaitFor([&] { return bench.client().get("/ping").status != 200; }, kLongMs));
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
  }

  void aWorkerThatLoadsForTooLongIsReplaced() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "await load 77");
    QVERIFY(QTest::qWaitFor([&] { return bench.metric("lockstep_worker_restarts_total") >= 1; },
                            6 * kPatienceMs));
    bench.engine().touch("load");
    QVERIFY(
        QTest::qWaitFor([&] { return bench.metric("lockstep_model_step") == 8; }, 6 * kPatienceMs));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, "a worker has not loaded the weights for "), result.err.c_str());
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
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, kPatienceMs));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 4}).dump());
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    makeBest(bench, 8, "88");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 8));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 88}).dump());
    const auto result = bench.stop();
    QVERIFY2(contains(result.err,
                      "the weights of step 8 cannot be loaded, those of step 4 are served "
                      "on: they are damaged"),
             result.err.c_str());
    QCOMPARE(result.err.find("step 8 cannot"), result.err.rfind("step 8 cannot"));
  }

  void whatBecomesOfABestIsToldThoughThereIsAnother_data() {
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("told");
    QTest::newRow("loaded") << "await load 77"
                            << "step 8 is loaded and takes over";
    QTest::newRow("damaged") << "await load damaged"
                             << "the weights of step 8 cannot be loaded, those of step 4 are "
                                "served on: they are damaged";
  }
  void whatBecomesOfABestIsToldThoughThereIsAnother() {
    QFETCH(QString, content);
    QFETCH(QString, told);
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, content.toStdString());
    QVERIFY(QTest::qWaitFor([&] { return hasLoad(bench); }, kPatienceMs));
    makeBest(bench, 10, "99");
    const run_folder::Layout run(bench.engine().folder() / "run");
    const fs::path next = run.checkpoint(10) / "model.safetensors";
    QVERIFY(QTest::qWaitFor([&] { return hasOpened(bench, next); }, kPatienceMs));
    bench.engine().touch("load");
    QVERIFY(bench.waitForMetric("lockstep_model_step", 10));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, told.toStdString()), result.err.c_str());
    QCOMPARE(result.err.find("step 8 "), result.err.rfind("step 8 "));
  }

  void messagesNameTheFileOfTheWeights() {
    const serve::ServedWeights weights("/proc/self/exe", 4);
    const std::string path = weights.path();
    QCOMPARE(weights.named("in " + path + ": cut"), std::string("in /proc/self/exe: cut"));
    QCOMPARE(weights.named(path + "0 and " + path), path + "0 and /proc/self/exe");
  }

  void aBestThatKillsItsWorkersIsGivenUp() {
    ServeBench bench;
    bench.start({"--follow"});
    makeBest(bench, 8, "die");
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 2));
    QCOMPARE(boxOf(bench.detect("x")).dump(), json({0, 0, 1, 4}).dump());
    QCOMPARE(bench.metric("lockstep_model_step"), 4.0);
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 2.0);
    QCOMPARE(bench.detect("x").status, 200);
    const auto result = bench.stop();
    QVERIFY2(contains(result.err,
                      "the weights of step 8 cannot be loaded, those of step 4 are served on: the "
                      "worker exited (SIGKILL)"),
             result.err.c_str());
  }
};

LOCKSTEP_TEST(TstModelWorkers)
#include "tst_model_workers.moc"
