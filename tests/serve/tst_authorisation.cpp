#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFileInfo>
#include <QProcess>
#include <QTest>
#include <fstream>

#include "engine/base/base64.h"
#include "tests/serve/serve_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::HttpReply;
using tests::ServeBench;
namespace fs = std::filesystem;

namespace {

/// Of the system: another user may not reach that of the sources.
const QString kPython = QStringLiteral("/usr/bin/python3");
constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

std::string writeToken(ServeBench& bench, const std::string& token, mode_t mode = 0600) {
  const fs::path file = bench.engine().folder() / "token";
  std::ofstream(file) << token << "\n";
  ::chmod(file.c_str(), mode);
  return file.string();
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

/// The lines that Python prints as the user nobody.
QStringList printedByNobody(const char* script, const QStringList& arguments) {
  QProcess python;
  python.setChildProcessModifier([] {
    constexpr unsigned kNobody = 65534;
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)
      ::_exit(1);
  });
  python.setWorkingDirectory(QStringLiteral("/"));
  python.start(kPython, QStringList{QStringLiteral("-c"), QString::fromLatin1(script)} + arguments);
  python.waitForFinished();
  if (python.exitCode() != 0) throw Error(python.readAllStandardError().toStdString());
  return QString::fromUtf8(python.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
}

}  // namespace

class TstAuthorisation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    for (auto* bench : {&guarded_, &local_, &open_}) *bench = std::make_unique<ServeBench>();
    guarded_->start({"--token-file", writeToken(*guarded_, kToken)});
    local_->start();
    open_->start({"--no-token"});
  }

  void withoutTheTokenThereIsNothing() {
    for (const char* path : {"/invocations", "/predict", "/v2/models/bench/infer", "/setup"}) {
      const HttpReply reply = guarded_->client().post(path, "image/png", "x");
      QCOMPARE(reply.status, 401);
      QCOMPARE(reply.headers.at("www-authenticate"), std::string("Bearer"));
    }
    QCOMPARE(guarded_->client().get("/metrics").status, 401);
    QCOMPARE(guarded_->client().get("/v2/models/bench").status, 401);
    // What says whether it lives is for everybody.
    for (const char* path : {"/ping", "/", "/v2/health/live", "/v2/health/ready", "/health"})
      QCOMPARE(guarded_->client().get(path).status, 200);
  }

  void anotherTokenIsNoToken_data() {
    QTest::addColumn<QString>("header");
    const std::string token = kToken;
    const auto row = [](const char* name, const std::string& header) {
      QTest::newRow(name) << QString::fromStdString(header);
    };
    row("none", "Authorization: Bearer \r\n");
    row("a beginning", bearer(token.substr(0, 31)));
    row("one more", bearer(token + "0"));
    row("twice", bearer(token + token));
    row("another", bearer(std::string(32, 'x')));
    row("another scheme", "Authorization: Basic " + token + "\r\n");
    row("another password",
        "Authorization: Basic " + base::encodeBase64("user:" + token + "x") + "\r\n");
    row("a user alone", "Authorization: Basic " + base::encodeBase64(token) + "\r\n");
    row("no scheme", "Authorization: " + token + "\r\n");
    row("another header", "X-Authorization: Bearer " + token + "\r\n");
  }
  void anotherTokenIsNoToken() {
    QFETCH(QString, header);
    QCOMPARE(guarded_->client().post("/invocations", "image/png", "x", header.toStdString()).status,
             401);
  }

  void theTokenOpens() {
    const auto images = [this] {
      return guarded_->metric("lockstep_images_total", bearer(kToken));
    };
    const double before = images();
    QCOMPARE(guarded_->client().post("/invocations", "image/png", "x", bearer(kToken)).status, 200);
    QCOMPARE(guarded_->client()
                 .post("/invocations", "image/png", "x",
                       "authorization: bearer  " + std::string(kToken) + "\r\n")
                 .status,
             200);
    const std::string user = base::encodeBase64("label-studio:" + std::string(kToken));
    QCOMPARE(guarded_->client()
                 .post("/invocations", "image/png", "x", "Authorization: Basic " + user + "\r\n")
                 .status,
             200);
    QCOMPARE(images() - before, 3.0);
  }

  void blanksAroundTheTokenAreNone() {
    ServeBench bench;
    bench.start({"--token-file", writeToken(bench, std::string(kToken) + " \t")});
    QCOMPARE(bench.client().post("/invocations", "image/png", "x", bearer(kToken)).status, 200);
  }

  /// A page may make its name lead to this machine, or send requests that it cannot read.
  void pagesOfOtherSitesAreRefused_data() {
    QTest::addColumn<QString>("headers");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, const char* headers, int status) {
      QTest::newRow(name) << headers << status;
    };
    row("localhost", "Host: localhost\r\n", 200);
    row("a port", "Host: LOCALHOST:8080\r\n", 200);
    row("IPv4", "Host: 127.0.0.1:8080\r\n", 200);
    row("IPv6", "Host: [::1]:8080\r\n", 200);
    row("own page", "Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n", 200);
    row("another name", "Host: evil.example\r\n", 403);
    row("alike", "Host: 127.0.0.1.evil.example\r\n", 403);
    row("another page", "Host: localhost:8080\r\nOrigin: http://evil.example\r\n", 403);
    row("another port", "Host: localhost:8080\r\nOrigin: http://localhost:3000\r\n", 403);
    row("no page", "Host: localhost:8080\r\nOrigin: null\r\n", 403);
    row("a form", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", 403);
  }
  void pagesOfOtherSitesAreRefused() {
    QFETCH(QString, headers);
    QFETCH(int, status);
    const std::string request =
        "POST /invocations HTTP/1.1\r\nContent-Type: image/png\r\nContent-Length: 1\r\n" +
        headers.toStdString() + "\r\nx";
    auto client = local_->client();
    client.send(request);
    QCOMPARE(client.reply().status, status);
    auto another = open_->client();
    another.send(request);
    QCOMPARE(another.reply().status, 200);
  }

  void whoCannotServeSafelyDoesNot_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* options, const char* why) {
      QTest::newRow(name) << options << why;
    };
    row("open to others", "--bind 0.0.0.0", "others can reach this address");
    row("open to others by IPv6", "--bind ::", "others can reach this address");
    row("a name", "--bind example.org", "--bind example.org: is not an IP address");
    row("a name, open", "--bind example.org --no-token",
        "--bind example.org: is not an IP address");
    row("both", "--token-file own --no-token", "either --token-file or --no-token");
    row("missing", "--token-file missing", "no such file");
    row("readable", "--token-file readable", "other users can read it");
    row("writable", "--token-file writable", "chmod o-rw");
    row("no file", "--token-file .", "is not a regular file");
    row("short", "--token-file short", "16 characters");
    row("files", "--files missing", "--files missing");
    row("urls", "--allow-urls ftp://host/", "must be an http or https address");
    row("urls of a query", "--allow-urls http://host/get?bucket=a&key=", "without ? and #");
    row("urls of a fragment", "--allow-urls http://host/a/#b", "without ? and #");
    row("follow", "--follow --weights 4", "do not give --weights 4");
    row("nothing to follow", "--follow --set checkpoint.keep_best=false", "keeps no best");
    row("weights", "--weights 5", "5");
  }
  void whoCannotServeSafelyDoesNot() {
    QFETCH(QString, options);
    QFETCH(QString, why);
    ServeBench bench;
    const auto write = [&](const char* name, const char* token, mode_t mode) {
      std::ofstream(bench.engine().folder() / name) << token;
      ::chmod((bench.engine().folder() / name).c_str(), mode);
    };
    write("own", kToken, 0600);
    write("readable", kToken, 0644);
    write("writable", kToken, 0602);
    write("short", "secret", 0600);
    std::vector<std::string> arguments{"serve", "run", "--port", "0"};
    for (const QString& option : options.split(u' ')) arguments.push_back(option.toStdString());
    const auto result = bench.engine().run(arguments);
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, why.toStdString()), result.err.c_str());
  }

  void localhostIsThisMachine() {
    ServeBench bench;
    bench.start({"--bind", "localhost"});
    QCOMPARE(bench.client().get("/classes").status, 200);
  }

  void anotherUserOfThisMachineNeedsTheToken() {
    if (::geteuid() != 0) QSKIP("only root can ask as another user");
    if (!QFileInfo(kPython).isExecutable()) QSKIP("needs /usr/bin/python3");
    ServeBench bench;
    const fs::path temporary = bench.engine().folder() / "temporary";
    fs::create_directories(temporary);
    bench.engine().setVariable("TMPDIR", temporary.string());
    const std::string token = writeToken(bench, kToken);
    fs::permissions(bench.engine().folder(), fs::perms(0755));  // what is in it protects itself
    bench.start({"--token-file", token});
    const QStringList statuses = printedByNobody(
        R"(
import http.client, os, sys
port, token, file, temporary = sys.argv[1:]
for given in ["", "Bearer " + "0" * 32, "Bearer " + token]:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("POST", "/invocations", "x", {"Content-Type": "image/png", "Authorization": given})
    print(connection.getresponse().status)
def attempt(what):
    try: what()
    except PermissionError: return print("denied")
    print("done")
attempt(lambda: open(file).read())
for folder in os.listdir(temporary): attempt(lambda: os.listdir(os.path.join(temporary, folder)))
)",
        {QString::number(bench.port()), QString::fromLatin1(kToken), QString::fromStdString(token),
         QString::fromStdString(temporary.string())});
    QCOMPARE(statuses, (QString::fromLatin1("401 401 200 denied denied").split(u' ')));
  }

  void anAddressForOthersIsServedWhereThatIsMeant() {
    ServeBench bench;
    bench.start({"--bind", "0.0.0.0", "--no-token"});
    QCOMPARE(bench.detect("x").status, 200);
  }

 private:
  /// Serve with a token, with no option, and with --no-token.
  std::unique_ptr<ServeBench> guarded_, local_, open_;
};

LOCKSTEP_TEST(TstAuthorisation)
#include "tst_authorisation.moc"
