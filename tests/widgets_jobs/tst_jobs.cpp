#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <memory>
#include <mutex>
#include <semaphore>

#include "tests/support/test_main.h"
#include "widgets/jobs/jobs.h"

using namespace lockstep;
using jobs::Kind;

namespace {

/// A file of a disk that does not answer: opening it blocks until it is revived.
class DeadFile {
 public:
  DeadFile() { ::mkfifo(path().c_str(), 0600); }
  ~DeadFile() {
    revive();
    ::close(writer_);
  }
  std::string path() const { return folder_.filePath(QStringLiteral("file")).toStdString(); }
  int read() const {
    const int file = ::open(path().c_str(), O_RDONLY | O_CLOEXEC);
    ::close(file);
    return 1;
  }
  void revive() {
    if (writer_ < 0) writer_ = ::open(path().c_str(), O_RDWR | O_CLOEXEC);  // never blocks on Linux
  }

 private:
  QTemporaryDir folder_;
  int writer_ = -1;
};

}  // namespace

class TstJobs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theResultComesInTheThreadThatAsked() {
    QThread* workedIn = nullptr;
    QThread* deliveredIn = nullptr;
    int result = 0;
    const jobs::Job job = jobs::start(
        this, Kind::Processor,
        [&workedIn] {
          workedIn = QThread::currentThread();
          return 42;
        },
        [&](int value) {
          result = value;
          deliveredIn = QThread::currentThread();
        });
    QVERIFY(job.isRunning());
    QCOMPARE(result, 0);
    QTRY_COMPARE(result, 42);
    QVERIFY(workedIn != deliveredIn);
    QCOMPARE(deliveredIn, thread());
    QVERIFY(!job.isRunning());
  }

  void resultsNeedNotBeCopied() {
    std::unique_ptr<int> result;
    jobs::start(
        this, Kind::Disk, [] { return std::make_unique<int>(7); },
        [&](std::unique_ptr<int> value) { result = std::move(value); });
    QTRY_VERIFY(result);
    QCOMPARE(*result, 7);
  }

  void nothingIsDeliveredToWhatIsGone() {
    auto context = std::make_unique<QObject>();
    std::binary_semaphore begun{0}, goOn{0};
    bool isDelivered = false;
    const jobs::Job job = jobs::start(
        context.get(), Kind::Processor,
        [&] {
          begun.release();
          goOn.acquire();
          return 1;
        },
        [&](int) { isDelivered = true; });
    begun.acquire();
    context.reset();
    QVERIFY(!job.isRunning());
    goOn.release();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QVERIFY(!isDelivered);
  }

  void aCancelledJobSeesItAndDeliversNothing() {
    std::binary_semaphore begun{0};
    std::atomic<bool> hasSeen = false;
    bool isDelivered = false;
    jobs::Job job = jobs::start(
        this, Kind::Processor,
        [&](const jobs::Token& token) {
          begun.release();
          while (!token.isCancelled()) QThread::yieldCurrentThread();
          hasSeen = true;
          return 1;
        },
        [&](int) { isDelivered = true; });
    begun.acquire();
    job.cancel();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QVERIFY(hasSeen);
    QVERIFY(!isDelivered);
    job.cancel();  // again: nothing
  }

  void aJobThatStartsAnotherIsOver() {
    int rounds = 0;
    jobs::Job job;
    std::function<void()> next = [&] {
      job = jobs::start(
          this, Kind::Processor, [] { return 0; },
          [&](int) {
            if (job.isRunning()) rounds = -100;
            if (++rounds < 20) next();
          });
    };
    next();
    QTRY_COMPARE(rounds, 20);
  }

  void whatTakesLongIsSaidOnce() {
    DeadFile file;
    int late = 0, done = 0;
    jobs::Job job = jobs::start(
        this, Kind::Disk, [&file] { return file.read(); }, [&](int) { ++done; });
    job.whenLaterThan(std::chrono::milliseconds(20), [&] { ++late; });
    QTRY_COMPARE(late, 1);
    QCOMPARE(done, 0);
    file.revive();
    QTRY_COMPARE(done, 1);
    QCOMPARE(late, 1);
    jobs::Job quick = jobs::start(
        this, Kind::Disk, [] { return 1; }, [&](int) { ++done; });
    quick.whenLaterThan(std::chrono::milliseconds(0), [] {});
    QTRY_COMPARE(done, 2);
  }

  /// More files that hang than there are threads.
  void aDeadDiskKeepsNothingElseWaiting() {
    DeadFile file;
    constexpr int kDead = 20;
    int revived = 0, done = 0;
    for (int i = 0; i < kDead; ++i)
      jobs::start(
          this, Kind::Disk, [&file] { return file.read(); }, [&](int) { ++revived; });
    jobs::start(
        this, Kind::Processor, [] { return 1; }, [&](int) { ++done; });
    QTRY_COMPARE(done, 1);
    jobs::start(
        this, Kind::Disk, [] { return 1; }, [&](int) { ++done; });
    QTRY_COMPARE_WITH_TIMEOUT(done, 2, 30000);
    QCOMPARE(revived, 0);
    QVERIFY(!jobs::waitForAll(std::chrono::milliseconds(10)));
    file.revive();
    QTRY_COMPARE(revived, kDead);
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
  }

  void manyJobsAreAllDone() {
    std::atomic<int> worked = 0;
    int delivered = 0;
    for (int i = 0; i < 1000; ++i)
      jobs::start(
          this, i % 2 == 0 ? Kind::Disk : Kind::Processor, [&] { return ++worked; },
          [&](int) { ++delivered; });
    QTRY_COMPARE(delivered, 1000);
    QCOMPARE(worked.load(), 1000);
  }
};

LOCKSTEP_TEST(TstJobs)
#include "tst_jobs.moc"
