#include <QTest>
#include <set>

#include "app/runs/list/run_styles.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunStyles;

namespace {

RunStyles::Counts countsOf(std::initializer_list<int> styles) {
  RunStyles::Counts counts{};
  for (const int style : styles) ++counts[static_cast<std::size_t>(style)];
  return counts;
}

}  // namespace

class TstRunStyles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunGetsTheLeastUsedStyle() {
    RunStyles styles;
    QCOMPARE(styles.assign(QStringLiteral("/a"), countsOf({})), 0);
    QCOMPARE(styles.assign(QStringLiteral("/b"), countsOf({0})), 1);
    QCOMPARE(styles.assign(QStringLiteral("/c"), countsOf({0, 2})), 1);
    QCOMPARE(styles.assign(QStringLiteral("/a"), countsOf({0, 0, 0})), 0);  // kept
    QVERIFY(!styles.find(QStringLiteral("/d")));
  }

  void stylesAreSaved() {
    RunStyles before;
    before.assign(QStringLiteral("/runs/with a space"), countsOf({}));
    before.assign(QStringLiteral("/runs/b"), countsOf({0}));
    RunStyles after;
    after.restore(before.kept());
    after.restore({QStringLiteral("x"), QStringLiteral("99 /runs/c"), QStringLiteral("-1 /runs/d"),
                   QString()});
    QCOMPARE(after.kept(), before.kept());
    QCOMPARE(after.assign(QStringLiteral("/runs/b"), countsOf({1, 1})), 1);
    QCOMPARE(after.find(QStringLiteral("/runs/with a space")), std::optional(0));
  }

  void runsThatAreDrawnTogetherNeverLookAlike() {
    RunStyles styles;
    QStringList runs;
    for (int i = 0; i < RunStyles::kCount; ++i) {
      runs.append(QStringLiteral("/%1").arg(i));
      styles.assign(runs.back(), countsOf({}));  // all as if they were alone
    }
    const int current = *styles.find(runs.front());
    QVERIFY(styles.makeDistinct(runs));
    std::set<int> different;
    for (const QString& run : runs) different.insert(*styles.find(run));
    QCOMPARE(different.size(), std::size_t{RunStyles::kCount});
    QCOMPARE(*styles.find(runs.front()), current);
    QVERIFY(!styles.makeDistinct(runs));
    // One more than there are styles has to look like another.
    styles.assign(QStringLiteral("/more"), countsOf({}));
    QVERIFY(!styles.makeDistinct(runs + QStringList{QStringLiteral("/more")}));
  }

  void aRunThatIsDrawnLaterKeepsItsStyle() {
    RunStyles styles;
    for (const char* run : {"/a", "/b", "/c"})
      styles.assign(QString::fromLatin1(run), countsOf({}));
    styles.restore({QStringLiteral("1 /c")});
    QVERIFY(
        styles.makeDistinct({QStringLiteral("/a"), QStringLiteral("/b"), QStringLiteral("/c")}));
    QCOMPARE(styles.find(QStringLiteral("/c")), std::optional(1));
    QCOMPARE(styles.find(QStringLiteral("/b")), std::optional(2));
  }
};

LOCKSTEP_TEST(TstRunStyles)
#include "tst_run_styles.moc"
