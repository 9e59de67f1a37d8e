// A run that trains "there", reached through a real sshd on the loopback address.
#include <unistd.h>

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/remote_runs.h"
#include "app/runs/open/run_controller.h"
#include "tests/app/losses_of.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::RunController;
using tests::EngineBench;
using tests::lossSteps;

namespace {

constexpr int kSshPatienceMs = 20000;

QString sshdProgram() {
  const QString found = QStandardPaths::findExecutable(QStringLiteral("sshd"));
  return found.isEmpty() ? QStandardPaths::findExecutable(
                               QStringLiteral("sshd"),
                               {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/local/sbin")})
                         : found;
}

int freePort() {
  QTcpServer server;
  return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

/// An sshd of this user, with keys of its own; LOCKSTEP_SSH logs in to it while this lives.
class Sshd {
 public:
  /// `programs`: the folder of lockstep-engine. False: it does not start, see error().
  bool start(const QString& programs) {
    // As root, sshd needs this folder; it is made when a machine boots.
    if (::geteuid() == 0 && !QDir().mkpath(QStringLiteral("/run/sshd"))) return false;
    port_ = freePort();
    for (const char* key : {"host", "user"})
      if (QProcess::execute(QStringLiteral("ssh-keygen"),
                            QStringLiteral("-q|-t|ed25519|-N||-f|%1").arg(path(key)).split(u'|')) !=
          0)
        return false;
    write("known",
          "[127.0.0.1]:" + QByteArray::number(port_) + ' ' + tests::contentOf(path("host.pub")));
    write("config", "Port " + QByteArray::number(port_) + "\nListenAddress 127.0.0.1\nHostKey " +
                        path("host").toUtf8() + "\nAuthorizedKeysFile " +
                        path("user.pub").toUtf8() +
                        "\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\n"
                        "KbdInteractiveAuthentication no\nSetEnv PATH=" +
                        programs.toUtf8() + ":/usr/bin:/bin\n");
    qputenv("LOCKSTEP_SSH",
            "ssh -F none -i " + path("user").toUtf8() +
                " -o IdentitiesOnly=yes -o UserKnownHostsFile=" + path("known").toUtf8());
    qputenv("XDG_CACHE_HOME", path("cache").toUtf8());
    process_.setProcessChannelMode(QProcess::MergedChannels);
    process_.start(sshdProgram(), {QStringLiteral("-D"), QStringLiteral("-e"), QStringLiteral("-f"),
                                   path("config")});
    while (!error_.contains("Server listening on")) {
      if (!process_.waitForReadyRead(kSshPatienceMs)) return false;
      error_ += process_.readAll();
    }
    return true;
  }
  ~Sshd() {
    qunsetenv("LOCKSTEP_SSH");
    qunsetenv("XDG_CACHE_HOME");
    process_.terminate();
    process_.waitForFinished();
  }
  QByteArray error() { return error_ + process_.readAll(); }
  QString address(const QString& folder) const {
    return QStringLiteral("ssh://127.0.0.1:%1%2").arg(port_).arg(folder);
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  void write(const char* name, const QByteArray& content) const {
    QFile file(path(name));
    if (file.open(QIODevice::WriteOnly)) file.write(content);
  }

  QTemporaryDir folder_;
  QProcess process_;
  QByteArray error_;
  int port_ = 0;
};

}  // namespace

class TstSsh : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLiveRunShowsEveryPointAndThePicturesOfItsPredictions() {
    if (sshdProgram().isEmpty()) QSKIP("needs sshd: packaging/setup.sh --dev");
    EngineBench bench;
    QImage picture(64, 64, QImage::Format_RGB32);
    picture.fill(Qt::darkGreen);
    for (const char* image : {"val/val1.png", "val/val2.png"})
      QVERIFY(picture.save(QString::fromStdString((bench.folder() / image).string())));
    bench.script(
        "state running 0\nscalars 1 2\npredictions 2 1,2\nawait more\nscalars 3 5\nawait end\n"
        "scalars 6 6\ncheckpoint 6 last\nfinish 6\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));

    Sshd sshd;
    const QString folder = QString::fromStdString(bench.folder().string());
    QVERIFY2(sshd.start(folder + QStringLiteral("/bin")), sshd.error().constData());
    app::RemoteRuns list(*app::RemotePlace::parse(sshd.address(folder + QStringLiteral("/runs"))));
    QStringList listed;
    connect(&list, &app::RemoteRuns::listed, this, [&](const auto& runs) {
      for (const auto& found : runs)
        listed << QString::fromStdString(found.summary.folder.string());
    });
    list.setWatched(true);
    const QString address = sshd.address(folder + QStringLiteral("/runs/one"));
    QTRY_COMPARE_WITH_TIMEOUT(listed, QStringList{address}, kSshPatienceMs);

    RunController run(address);
    run.refresh();
    QTRY_COMPARE_WITH_TIMEOUT(lossSteps(run), (std::vector<std::int64_t>{1, 2}), kSshPatienceMs);
    QVERIFY2(run.isAlive() && !run.accessError(), sshd.error().constData());
    app::PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady() && page.view()->currentCheckpoint() == 2,
                             kSshPatienceMs);
    const auto* stage = page.findChild<widgets::ImageStage*>();
    for (const std::int64_t image : {1, 2}) {
      page.view()->showImage(ImageId{image});
      QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kSshPatienceMs);
      QCOMPARE(stage->problem(), QString());
      QCOMPARE(stage->notice(), QString());
      const QString there = folder + QStringLiteral("/val/val%1.png").arg(image);
      QCOMPARE(QImage(run.files().localPath(there)), QImage(there));
    }

    bench.touch("more");
    QTRY_COMPARE_WITH_TIMEOUT(lossSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5}),
                              kSshPatienceMs);
    bench.touch("end");
    QCOMPARE(EngineBench::finish(*engine).status, 0);
    QTRY_COMPARE_WITH_TIMEOUT(run.info().state.text(), std::string_view("finished"),
                              kSshPatienceMs);
    QCOMPARE(lossSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    // It connects again, to the records of the run that has ended.
    QTRY_COMPARE_WITH_TIMEOUT(run.linkState(), app::EngineLink::State::Connected, kSshPatienceMs);
    QCOMPARE(lossSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  }
};

LOCKSTEP_TEST(TstSsh)
#include "tst_ssh.moc"
