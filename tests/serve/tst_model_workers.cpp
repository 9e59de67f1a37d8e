#include <signal.h>
#include <sys/resource.h>

#include <QTest>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/serve/model_workers.h"
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

/// The numbers of images in the requests that the worker got.
std::vector<std::size_t> batchesOf(ServeBench& bench) {
  std::vector<std::size_t> batches;
  for (const protocol::Detect& asked : bench.asked()) batches.push_back(asked.images.size());
  return batches;
}

}  // namespace

class TstModelWorkers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesThatWaitBecomeABatch() {
    ServeBench bench;
    bench.start({"--set", "runtime.cpu_threads=4", "--max-batch", "3"});
    std::vector<HttpClient> clients;
    clients.push_back(bench.send("await go"));
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    for (int i = 0; i < 5; ++i) clients.push_back(bench.send("image " + std::to_string(i)));
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
    HttpClient client = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    const int first = bench.engine().workerPid();
    ::kill(first, SIGKILL);
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 1));
    HttpClient second = bench.send("another");  // waits for the replacement
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
    HttpClient client = bench.send("await go");
    QVERIFY(QTest::qWaitFor(
        [&] { return contains(bench.client().get("/ping").body, "no worker has responded"); },
        HttpClient::kPatienceMs));
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 0.0);
    QCOMPARE(bench.client().get("/v2/health/ready").status, 503);
    QCOMPARE(bench.client().get("/v2/health/live").status, 200);
    QVERIFY(bench.waitForMetric("lockstep_worker_restarts_total", 1));
    bench.engine().touch("go");
    QCOMPARE(boxOf(client.reply()).dump(), json({0, 0, 8, 4}).dump());
    QVERIFY(QTest::qWaitFor([&] { return bench.client().get("/ping").status == 200; },
                            HttpClient::kPatienceMs));
    const auto result = bench.stop();
    QVERIFY2(contains(result.err,
                      "a worker has not answered a batch for 4 s (--batch-timeout); "
                      "it is replaced"),
             result.err.c_str());
  }

  void aWorkerThatLoadsForTooLongIsReplaced() {
    tests::EngineBench bench;
    bench.script("state running 0\nserve\nfinish 0\n", "inspect");
    const auto weightsOf = [&](std::int64_t step, const std::string& content) {
      const fs::path file = bench.folder() / (std::to_string(step) + ".safetensors");
      base::writeFileAtomically(file, content);
      return std::make_shared<const serve::ServedWeights>(file, step);
    };
    const auto better = weightsOf(8, "await load 77");
    supervisor::PollLoop loop;
    supervisor::RunLog log(bench.folder() / "serve.log");
    serve::ModelWorkers workers(
        loop, log,
        {.program = bench.folder() / "bin/lockstep-worker",
         .ranks = {},
         .configYaml = {},
         .weights = weightsOf(4, "4"),
         .loading = std::chrono::seconds(2)},
        [&] { workers.use(better); }, [&](const Error&) { loop.stop(); });
    loop.every(std::chrono::milliseconds(10), [&] {
      workers.reap();
      if (workers.statistics().restarts > 0) bench.touch("load");
      if (workers.weights() == better) loop.stop();
    });
    loop.after(std::chrono::milliseconds(HttpClient::kPatienceMs), [&] { loop.stop(); });
    loop.run();
    QCOMPARE(workers.weights()->step(), std::int64_t{8});
    const std::string told = base::readFile(bench.folder() / "serve.log");
    QVERIFY2(contains(told, "a worker has not loaded the weights for 2 s; it is replaced"),
             told.c_str());
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
    HttpClient before = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient fine = bench.send("fine"), killer = bench.send("die"), good = bench.send("good");
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 3));
    bench.engine().touch("go");
    QCOMPARE(before.reply().status, 200);
    QCOMPARE(fine.reply().status, 200);
    const HttpReply refused = killer.reply();
    QCOMPARE(refused.status, 500);
    QVERIFY2(contains(refused.body, "two workers in a row exited on this image"),
             refused.body.c_str());
    QCOMPARE(good.reply().status, 200);
    QCOMPARE(bench.metric("lockstep_worker_restarts_total"), 2.0);
    QCOMPARE(bench.detect("later").status, 200);
  }

  void aFullQueueRefusesAtOnce() {
    ServeBench bench;
    bench.start();
    HttpClient first = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    std::vector<HttpClient> clients;
    for (int i = 0; i < 255; ++i) clients.push_back(bench.send("x"));
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
    HttpClient first = bench.send("await go" + std::string(std::size_t{31} << 20, ' '));
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    const std::string large = "x" + std::string(std::size_t{31} << 20, ' ');
    std::vector<HttpClient> clients;
    for (int i = 1; i < 16; ++i) clients.push_back(bench.send(large));
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
      QVERIFY2(entry.path().extension() != ".image", entry.path().c_str());
    QCOMPARE(bench.detect("x").status, 200);
  }

  void aClientThatGoesHarmsNobody() {
    ServeBench bench;
    bench.start();
    HttpClient first = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    { HttpClient gone = bench.send("never"); }
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(bench.detect("x").status, 200);
  }

  void sigtermAnswersWhatWasAsked() {
    ServeBench bench;
    bench.start();
    HttpClient running = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient waiting = bench.send("waits");
    QVERIFY(bench.waitForMetric("lockstep_images_waiting", 1));
    HttpClient open = bench.client(), late = bench.client();
    open.get("/ping");
    late.get("/ping");
    bench.process().terminate();
    QVERIFY(
        QTest::qWaitFor([&] { return open.get("/ping").status == 503; }, HttpClient::kPatienceMs));
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
    HttpClient running = bench.send("await never");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient open = bench.client();
    open.get("/ping");
    bench.process().terminate();
    QVERIFY(
        QTest::qWaitFor([&] { return open.get("/ping").status == 503; }, HttpClient::kPatienceMs));
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
    QVERIFY(
        QTest::qWaitFor([&] { return bench.engine().workerPid(1) != 0; }, HttpClient::kPatienceMs));
    HttpClient first = bench.send("await go"), second = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 2));
    QCOMPARE(bench.metric("lockstep_images_waiting"), 0.0);
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(second.reply().status, 200);
  }

  void aWorkerThatCannotStartIsTriedAgainOnceAnotherIsReady() {
    ServeBench bench;
    bench.engine().rankScript(0, "await other\nstate running 0\nserve\nfinish 0\n", "inspect");
    bench.engine().rankScript(1, "fail 2 no memory\n", "inspect");
    bench.launch({"--workers", "2"});
    const auto hasEnded = [&] {
      const int pid = bench.engine().workerPid(1);
      return pid != 0 && !tests::isAlive(pid);
    };
    QVERIFY(QTest::qWaitFor(hasEnded, HttpClient::kPatienceMs));
    bench.engine().rankScript(1, "state running 0\nserve\nfinish 0\n", "inspect");
    bench.engine().touch("other");
    bench.waitUntilReady();
    HttpClient first = bench.send("await go"), second = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 2));  // both work
    bench.engine().touch("go");
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(second.reply().status, 200);
    const auto result = bench.stop();
    QVERIFY2(contains(result.err, "no memory; it is replaced once another is ready"),
             result.err.c_str());
  }

  void noWorkerThatStartsIsTheExitStatus() {
    ServeBench bench;
    bench.engine().script("fail 2 no memory\n", "inspect");
    const auto result = bench.engine().run({"serve", "run", "--port", "0", "--workers", "2"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "no memory"), result.err.c_str());
  }

  /// A terminal that closes hangs up more than once.
  void hangUpsStopOnce() {
    ServeBench bench;
    bench.start();
    HttpClient running = bench.send("await go");
    QVERIFY(bench.waitForMetric("lockstep_images_total", 1));
    HttpClient open = bench.client(), late = bench.client();
    open.get("/ping");
    late.get("/ping");
    const auto hangUp = [&] { ::kill(static_cast<pid_t>(bench.process().processId()), SIGHUP); };
    hangUp();
    QVERIFY(
        QTest::qWaitFor([&] { return open.get("/ping").status == 503; }, HttpClient::kPatienceMs));
    hangUp();
    bench.process().terminate();
    QCOMPARE(late.get("/ping").status, 503);
    bench.engine().touch("go");
    QCOMPARE(running.reply().status, 200);
    const auto result = tests::EngineBench::finish(bench.process());
    QCOMPARE(result.status, 0);
    QCOMPARE(result.err.find("stopping"), result.err.rfind("stopping"));
  }

  void messagesNameTheFileOfTheWeights() {
    const serve::ServedWeights weights("/proc/self/exe", 4);
    const std::string path = weights.path();
    QCOMPARE(weights.named("in " + path + ": cut"), std::string("in /proc/self/exe: cut"));
    QCOMPARE(weights.named(path + "0 and " + path), path + "0 and /proc/self/exe");
  }
};

LOCKSTEP_TEST(TstModelWorkers)
#include "tst_model_workers.moc"
