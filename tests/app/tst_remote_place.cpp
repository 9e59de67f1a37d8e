#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

#include "app/engines/ssh_process.h"
#include "app/runs/list/remote_run_list.h"
#include "engine/base/error.h"
#include "tests/app/fake_ssh.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RemotePlace;

class TstRemotePlace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { qunsetenv("LOCKSTEP_SSH"); }

  void addressesAreParsed_data() {
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("same");  // empty: the address itself
    const auto add = [](const char* address, const char* host, int port, const char* path,
                        const char* same = "") {
      QTest::newRow(address) << QString::fromUtf8(address) << QString::fromUtf8(host) << port
                             << QString::fromUtf8(path) << QString::fromUtf8(same);
    };
    add("ssh://node7/data/runs", "node7", 0, "/data/runs");
    add("ssh://ada@node7:2222/data/my runs", "ada@node7", 2222, "/data/my runs");
    add("ssh://node7/data//runs/../x/", "node7", 0, "/data/x", "ssh://node7/data/x");
    add("ssh://node7/~/runs", "node7", 0, "runs");
    add("ssh://node7/~", "node7", 0, ".");
    add("ssh://node7/", "node7", 0, "/");
    add("packed:/data/a b.lockstep", "", 0, "/data/a b.lockstep");
    add("ssh://ada@[fe80::1]:22/r", "ada@[fe80::1]", 22, "/r");
  }
  void addressesAreParsed() {
    QFETCH(QString, address);
    QFETCH(QString, same);
    const auto place = RemotePlace::parse(address);
    QVERIFY(place.has_value());
    QTEST(place->host, "host");
    QTEST(place->port, "port");
    QTEST(place->path, "path");
    QCOMPARE(place->address(), same.isEmpty() ? address : same);
    QVERIFY(RemotePlace::parse(place->address()) == place);
  }

  void otherTextIsNoAddress() {
    for (const char* text :
         {"", "/runs", "ssh://", "ssh://node7", "ssh:///runs", "ssh://@node7/r", "ssh://node7:/r",
          "ssh://node7:99999/r", "ssh://node7:x/r", "ssh://a b/r", "ssh://-oProxyCommand=x/r",
          "ssh://-l@node7/r", "ssh://a@b@c/r", "http://node7/r", "xssh://node7/r"})
      QVERIFY2(!RemotePlace::parse(QString::fromUtf8(text)), text);
  }

  void theCommandNeverAsksAndIsQuoted() {
    const auto place = RemotePlace::parse(QStringLiteral("ssh://ada@node7:2222/it's; rm $x"));
    const QStringList command = app::sshCommand(*place, {QStringLiteral("attach"), place->path});
    QCOMPARE(command.mid(0, command.size() - 1).join(u' ') + u'|' + command.last(),
             QStringLiteral(
                 "ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -p 2222 "
                 "ada@node7|lockstep-engine 'attach' '/it'\\''s; rm $x'"));
  }

  void theVariableMayHoldOptions() {
    qputenv("LOCKSTEP_SSH", "/opt/ssh -F \"my config\" -4");
    const QStringList command =
        app::sshCommand(*RemotePlace::parse(QStringLiteral("ssh://[::1]/r")), {});
    QCOMPARE(command.mid(0, 4).join(u'|'), QStringLiteral("/opt/ssh|-F|my config|-4"));
    QCOMPARE(command.mid(command.size() - 2).join(u'|'), QStringLiteral("::1|lockstep-engine"));
  }

  /// A pipe holds at most 64 KiB of unread bytes.
  void aFloodWaitsUntilItIsRead() {
    constexpr qsizetype kBytes = 1000000, kLateBytes = 900000;
    const tests::FakeSsh ssh("head -c 1000000 /dev/zero\ntouch written\nexit 3\n");
    app::SshProcess process(*RemotePlace::parse(QStringLiteral("ssh://node7/run")));
    qsizetype bytes = 0;
    bool isWrittenEarly = false;
    const auto read = [&] {
      for (QByteArray part; !(part = process.read(5000)).isEmpty(); bytes += part.size())
        isWrittenEarly |=
            bytes < kLateBytes && QFileInfo::exists(ssh.path(QStringLiteral("written")));
    };
    connect(&process, &app::SshProcess::readyRead, this, read);
    QSignalSpy ended(&process, &app::SshProcess::ended);
    process.start({});
    QTRY_COMPARE(ended.count(), 1);
    read();
    QCOMPARE(bytes, kBytes);
    QVERIFY(!isWrittenEarly);
    QCOMPARE(ended[0][0].value<app::SshProcess::End>().status, 3);
  }

  void listedRunsHaveAddresses() {
    const auto folder = RemotePlace::parse(QStringLiteral("ssh://node7/runs"));
    const auto listing = app::parseRemoteRuns(
        R"([{"run":"b","state":"running","step":5,"max_steps":9,"best_metric":"segm/AP",
             "best_value":0.25,"best_step":4,"created":2.5,"program":"Lockstep"},
            {"run":"a","state":"queued","step":0,"max_steps":9,"best_metric":null,
             "best_value":null,"best_step":null,"created":1,"queue_position":2,"new":[]},
            {"run":"other","state":null,"program":"detectron2"}, 7, {"run":"../x"}, {"run":".x"},
            {"run":"d/e","state":null,"program":"detectron2","folder":"/runs/d/e","archived":true},
            {"run":"new","state":null,"program":"of tomorrow","folder":"/runs/new"},
            {"run":5}])",
        *folder);
    const auto& runs = listing.runs;
    QCOMPARE(listing.leftOut, 0);
    QCOMPARE(runs.size(), std::size_t{3});
    QCOMPARE(runs[2].summary.folder.string(), std::string("ssh://node7/runs/d/e"));
    QVERIFY(runs[2].program == foreign_runs::Source::Detectron2 && runs[2].notes.archived);
    QCOMPARE(runs[2].summary.info.state.text(), std::string_view("detectron2"));
    QVERIFY(!runs[0].program && !runs[2].summary.alive);
    const run_folder::RunSummary& running = runs[0].summary;
    QCOMPARE(running.folder.string(), std::string("ssh://node7/runs/b"));
    QCOMPARE(running.info.host, std::string("node7"));
    QVERIFY(running.alive && running.info.state == protocol::RunState::Running);
    QCOMPARE(running.info.step, std::int64_t{5});
    QCOMPARE(running.info.maxSteps, std::int64_t{9});
    QVERIFY((running.info.best == run_folder::Best{"segm/AP", 0.25, 4}));
    QVERIFY(!runs[1].summary.alive && !runs[1].summary.info.best);
    QCOMPARE(runs[1].summary.info.queuePosition, std::optional(2));
  }

  void otherAnswersAreNoLists() {
    const auto folder = RemotePlace::parse(QStringLiteral("ssh://node7/runs"));
    for (const char* text : {"", "Welcome to node7!", "{}", "[", "null"})
      QVERIFY_THROWS_EXCEPTION(Error, app::parseRemoteRuns(text, *folder));
    QVERIFY(app::parseRemoteRuns("[]", *folder).runs.empty());
  }

  void onlyTheNewestOfManyRunsAreListed() {
    const auto folder = RemotePlace::parse(QStringLiteral("ssh://node7/runs"));
    constexpr int kRuns = 190'000;
    QByteArray text("[");
    for (int i = 0; i < kRuns; ++i)
      text += QByteArray(i == 0 ? "" : ",\n ") + "{\"run\":\"run" + QByteArray::number(i) +
              "\",\"note\":\"a \\\" }, {\",\"tags\":[{}]}";
    const auto listing = app::parseRemoteRuns(text + "]\n", *folder);
    QCOMPARE(static_cast<qsizetype>(listing.runs.size()), app::RemoteListing::kMaxRuns);
    QCOMPARE(listing.leftOut, kRuns - app::RemoteListing::kMaxRuns);
    QCOMPARE(listing.runs.back().summary.folder.string(), std::string("ssh://node7/runs/run9999"));
    QCOMPARE(listing.runs.back().notes.note, std::string("a \" }, {"));
  }
};

LOCKSTEP_TEST(TstRemotePlace)
#include "tst_remote_place.moc"
