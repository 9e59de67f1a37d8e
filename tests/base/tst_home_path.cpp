#include <pwd.h>
#include <unistd.h>

#include <QTest>

#include "engine/base/home_path.h"
#include "tests/support/test_main.h"

using lockstep::base::expandHome;

class TstHomePath : public QObject {
  Q_OBJECT

 private:
  QByteArray home_;

 private Q_SLOTS:
  void init() {
    home_ = qgetenv("HOME");
    qputenv("HOME", "/somewhere/else");
  }
  void cleanup() { qputenv("HOME", home_); }

  void aTildeExpandsToHome() {
    QCOMPARE(expandHome("~"), std::optional<std::string>("/somewhere/else"));
    QCOMPARE(expandHome("~/a/b.json"), std::optional<std::string>("/somewhere/else/a/b.json"));
  }

  void aUserNameExpandsToThatUsersHome() {
    const passwd* self = ::getpwuid(::getuid());
    if (self == nullptr) QSKIP("this user has no name");
    const std::string name = self->pw_name, folder = self->pw_dir;
    QCOMPARE(expandHome("~" + name), std::optional<std::string>(folder));
    QCOMPARE(expandHome("~" + name + "/a"), std::optional<std::string>(folder + "/a"));
    qunsetenv("HOME");
    QCOMPARE(expandHome("~/a"), std::optional<std::string>(folder + "/a"));
  }

  void anUnknownUserIsNullopt() {
    QCOMPARE(expandHome("~no.such.user/a"), std::optional<std::string>());
  }

  void otherPathsAreUnchanged() {
    for (const char* path : {"", "/a/~", "a~b", "./~/a", "../~"}) {
      QCOMPARE(expandHome(path), std::optional<std::string>(path));
    }
  }
};

LOCKSTEP_TEST(TstHomePath)

#include "tst_home_path.moc"
