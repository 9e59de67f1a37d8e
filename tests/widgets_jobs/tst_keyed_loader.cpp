#include <QStringList>
#include <QTest>
#include <atomic>
#include <memory>
#include <semaphore>

#include "tests/support/test_main.h"
#include "widgets/jobs/keyed_loader.h"

using namespace lockstep;
using Loader = jobs::KeyedLoader<int>;

class TstKeyedLoader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultsAreLoadedOnceAndKept() {
    std::atomic<int> loads = 0;
    QStringList loaded;
    Loader loader(
        2, 10, [](int) { return 1; }, [&](const QString& key) { loaded.append(key); });
    loader.load({request("a", loads), request("b", loads), request("a", loads)});
    QTRY_COMPARE(loaded.size(), 2);
    QCOMPARE(*loader.find(QStringLiteral("a")), 1);
    QVERIFY(!loader.find(QStringLiteral("c")));
    loader.load({request("a", loads)});
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCOMPARE(loads.load(), 2);
  }

  void theLeastRecentlyUsedIsDropped() {
    std::atomic<int> loads = 0;
    int count = 0;
    Loader loader(
        1, 2, [](int) { return 1; }, [&](const QString&) { ++count; });
    loader.load({request("a", loads), request("b", loads)});
    QTRY_COMPARE(count, 2);
    QVERIFY(loader.find(QStringLiteral("a")));
    loader.load({request("c", loads)});
    QTRY_COMPARE(count, 3);
    QVERIFY(loader.find(QStringLiteral("a")) && !loader.find(QStringLiteral("b")));
    // What costs more than the whole cache is kept alone.
    Loader large(
        1, 2, [](int) { return 100; }, [&](const QString&) { ++count; });
    large.load({request("a", loads)});
    QTRY_VERIFY(large.find(QStringLiteral("a")));
  }

  void theCapacityFollowsWhatIsShown() {
    std::atomic<int> loads = 0;
    int count = 0;
    Loader loader(
        1, 1, [](int) { return 1; }, [&](const QString&) { ++count; });
    loader.setCapacity(2);
    loader.load({request("a", loads), request("b", loads)});
    QTRY_COMPARE(count, 2);
    QVERIFY(loader.find(QStringLiteral("a")) && loader.find(QStringLiteral("b")));
    loader.setCapacity(1);
    QVERIFY(!loader.find(QStringLiteral("a")) && loader.find(QStringLiteral("b")));
  }

  void newRequestsReplaceThoseThatHaveNotStarted() {
    std::binary_semaphore begun{0}, goOn{0};
    std::atomic<int> loads = 0;
    QStringList loaded;
    Loader loader(
        1, 10, [](int) { return 1; }, [&](const QString& key) { loaded.append(key); });
    loader.load({{QStringLiteral("slow"),
                  [&] {
                    begun.release();
                    goOn.acquire();
                    return 0;
                  }},
                 request("never", loads)});
    begun.acquire();
    loader.load({request("next", loads)});
    goOn.release();
    QTRY_COMPARE(loaded, (QStringList{QStringLiteral("slow"), QStringLiteral("next")}));
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCOMPARE(loads.load(), 1);
  }

  void whatIsElsewhereIsBroughtBeforeItIsLoaded() {
    std::atomic<int> loads = 0;
    QStringList loaded, asked;
    std::vector<std::function<void()>> done;
    Loader loader(
        1, 10, [](int) { return 1; }, [&](const QString& key) { loaded.append(key); });
    const Loader::Bring bring = [&](const QString& key, std::function<void()> then) {
      asked.append(key);
      done.push_back(std::move(then));
    };
    loader.setBring(bring);
    loader.load({request("a", loads), request("b", loads)});
    QCOMPARE(asked, QStringList{QStringLiteral("a")});
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCOMPARE(loads.load(), 0);
    done[0]();
    QTRY_COMPARE(asked, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    QCOMPARE(loaded, QStringList{QStringLiteral("a")});
    // What never comes does not keep the files that are here from their turn.
    loader.setBring(nullptr);
    loader.load({request("here", loads)});
    QTRY_COMPARE(loaded, (QStringList{QStringLiteral("a"), QStringLiteral("here")}));
    done[1]();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCOMPARE(loads.load(), 2);
  }

  void anOutdatedResultIsShownUntilTheNewOneIsThere() {
    std::atomic<int> version = 1;
    QStringList loaded;
    Loader loader(
        1, 10, [](int) { return 1; }, [&](const QString& key) { loaded.append(key); });
    const Loader::Request file{QStringLiteral("file"), [&] { return version.load(); },
                               [&](int kept) { return kept != version; }};
    loader.load({file});
    QTRY_COMPARE(loaded.size(), 1);
    loader.load({file});
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QCOMPARE(loaded.size(), 1);  // it is the same
    version = 2;
    loader.load({file});
    QCOMPARE(*loader.find(file.key), 1);
    QTRY_COMPARE(loaded.size(), 2);
    QCOMPARE(*loader.find(file.key), 2);
  }

  void whatIsForgottenIsLoadedAgain() {
    std::atomic<int> loads = 0;
    int count = 0;
    Loader loader(
        1, 10, [](int) { return 1; }, [&](const QString&) { ++count; });
    loader.setIsFailure([](int result) { return result < 0; });
    loader.load({request("a", loads), {QStringLiteral("b"), [] { return -1; }}});
    QTRY_COMPARE(count, 2);
    loader.forgetFailures();
    QVERIFY(loader.find(QStringLiteral("a")) && !loader.find(QStringLiteral("b")));
    loader.load({request("a", loads), request("b", loads)});
    QTRY_COMPARE(count, 3);
    QCOMPARE(*loader.find(QStringLiteral("b")), 1);
    QCOMPARE(loads.load(), 2);
  }

  void toForgetFailuresUsesNoResult() {
    std::atomic<int> loads = 0;
    int count = 0;
    Loader loader(
        1, 8, [](int) { return 1; }, [&](const QString&) { ++count; });
    loader.setIsFailure([](int result) { return result < 0; });
    std::vector<Loader::Request> eight;
    for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h"})
      eight.push_back(request(key, loads));
    loader.load(eight);
    QTRY_COMPARE(count, 8);
    loader.forgetFailures();
    loader.load({request("i", loads)});
    QTRY_COMPARE(count, 9);
    QVERIFY(!loader.find(QStringLiteral("a")));  // the least recently used
    QVERIFY(loader.find(QStringLiteral("b")) && loader.find(QStringLiteral("h")));
  }

  void aResultThatWasDrivenOutIsKeptAgain() {
    std::atomic<int> loads = 0;
    int count = 0;
    Loader loader(
        1, 1, [](int) { return 1; }, [&](const QString&) { ++count; });
    loader.load({request("a", loads)});
    QTRY_COMPARE(count, 1);
    const auto shown = loader.find(QStringLiteral("a"));
    loader.load({request("b", loads)});
    QTRY_COMPARE(count, 2);
    QVERIFY(!loader.find(QStringLiteral("a")));
    loader.keep(QStringLiteral("a"), shown);
    loader.load({request("a", loads)});
    QCOMPARE(loader.find(QStringLiteral("a")), shown);
    QCOMPARE(loads.load(), 2);
  }

  void nothingComesAfterAClear() {
    std::binary_semaphore begun{0}, goOn{0};
    std::atomic<int> loads = 0;
    QStringList loaded;
    Loader loader(
        1, 10, [](int) { return 1; }, [&](const QString& key) { loaded.append(key); });
    loader.load({{QStringLiteral("old"), [&] {
                    begun.release();
                    goOn.acquire();
                    return 0;
                  }}});
    begun.acquire();
    loader.clear();
    loader.load({request("new", loads)});
    goOn.release();
    QTRY_COMPARE(loaded, QStringList{QStringLiteral("new")});
    QVERIFY(!loader.find(QStringLiteral("old")));
  }

 private:
  static Loader::Request request(const char* key, std::atomic<int>& loads) {
    return {QString::fromLatin1(key), [&loads] {
              ++loads;
              return 1;
            }};
  }
};

LOCKSTEP_TEST(TstKeyedLoader)
#include "tst_keyed_loader.moc"
