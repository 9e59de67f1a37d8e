#include <QApplication>
#include <QLabel>
#include <QLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "app/frame/top_bar.h"
#include "tests/support/test_main.h"
#include "widgets/theme.h"

using namespace lockstep;
using app::TopBar;
using app::TopBarStatus;

namespace {

TopBarStatus statusOf(const char* state, qint64 step) {
  TopBarStatus status;
  status.name = QStringLiteral("run");
  status.state = base::OpenEnum<protocol::RunState>(state);
  status.step = step;
  status.maxSteps = 20000;
  status.secondsLeft = 4000;
  status.imagesPerSecond = 12.3;
  status.averagePrecision = 0.345;
  status.averagePrecisionName = QStringLiteral("mask AP");
  status.heldOutLoss = 1.234;
  status.isLive = true;
  return status;
}

}  // namespace

class TstTopBar : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLayoutIsStableWhenARunIsPausedOrGainsADigit() {
    TopBar bar;
    show(bar, 1280, statusOf("running", 99));
    const QRect stop = stopOf(bar), progress = progressOf(bar);
    bar.setStatus(statusOf("running", 10000));
    settle(bar);
    QCOMPARE(progressOf(bar), progress);
    bar.setStatus(statusOf("paused", 10000));
    settle(bar);
    QCOMPARE(stopOf(bar), stop);
  }

  void everyValueWithRoomIsShown() {
    for (int width = 1000; width <= 1800; width += 50) {
      TopBar bar;
      show(bar, width, statusOf("running", 5));
      const auto* progress = bar.findChild<QProgressBar*>();
      int right = progress->isVisible() ? progress->geometry().right() : 0;
      for (const QLabel* label : bar.findChildren<QLabel*>())
        if (label->isVisible()) right = std::max(right, label->geometry().right());
      const int room = menuOf(bar).left() - right;
      QVERIFY2(room >= 0, qPrintable(QString::number(width)));
      for (const QLabel* label : bar.findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly)) {
        const bool isBrand = label->objectName() == QStringLiteral("brand");
        if (label->isVisible() || label->text().isEmpty() || isBrand) continue;
        const int spare =
            room + (progress->isVisible() ? progress->width() - progress->minimumWidth() : 0);
        QVERIFY2(spare < label->sizeHint().width() + 70,
                 qPrintable(
                     QStringLiteral("%1: %2 px for %3").arg(width).arg(spare).arg(label->text())));
      }
    }
  }

  void aRunHiddenByTheFilterIsMarkedWithoutMovingTheLayout() {
    TopBar bar;
    TopBarStatus status = statusOf("running", 99);
    show(bar, 1000, status);
    bar.setStatus(status);  // its fonts are known once it is shown
    settle(bar);
    const QRect stop = stopOf(bar), progress = progressOf(bar);
    const auto isMarked = [&] {
      for (const QLabel* label : bar.findChildren<QLabel*>())
        if (label->text() == QStringLiteral("hidden by the filter")) return label->isVisible();
      return false;
    };
    QVERIFY(!isMarked());
    status.isHidden = true;
    bar.setStatus(status);
    settle(bar);
    QVERIFY(isMarked());
    QCOMPARE(stopOf(bar), stop);
    QCOMPARE(progressOf(bar), progress);
  }

  /// Logs of other programs have no last step.
  void aRunWithoutAnEndHasNoProgress() {
    TopBar bar;
    TopBarStatus status = statusOf("TensorBoard", 30);
    status.maxSteps = 0;
    show(bar, 1280, status);
    QVERIFY(!bar.findChild<QProgressBar*>()->isVisible());
    bar.setStatus(statusOf("running", 30));
    QVERIFY(bar.findChild<QProgressBar*>()->isVisible());
  }

  /// The worst case: the largest usual font, while others train.
  void aNarrowBarCutsNothing() {
    const QFont before = QApplication::font();
    const auto restored = qScopeGuard([&] { QApplication::setFont(before); });
    QFont large = before;
    large.setPointSize(14);
    QApplication::setFont(large);
    TopBar bar;
    bar.setBusy(QStringLiteral("somebody"));
    show(bar, 960, statusOf("running", 5));
    QVERIFY2(bar.layout()->minimumSize().width() <= 960,
             qPrintable(QString::number(bar.layout()->minimumSize().width())));
    for (const char* button : {"pauseButton", "stopButton"})
      QVERIFY(!bar.findChild<QPushButton*>(QLatin1String(button))->accessibleName().isEmpty());
  }

  void anAmpersandInAnExperimentsNameIsNoMnemonic() {
    TopBar bar;
    show(bar, 1280, statusOf("running", 5));
    bar.setExperiment(QStringLiteral("R&D"), true, {});
    const auto buttons = bar.findChildren<QPushButton*>();
    QVERIFY(std::ranges::any_of(buttons, [](const QPushButton* button) {
      return button->text().endsWith(QStringLiteral("Train R&&D")) &&
             button->accessibleName() == QStringLiteral("Train R&D");
    }));
  }

  void aStoppedRunCanBeResumed() {
    TopBar bar;
    TopBarStatus status = statusOf("stopped", 500);
    status.isLive = false;
    show(bar, 1280, status);
    auto* button = pauseOf(bar);
    QVERIFY(!button->isEnabled());
    QVERIFY(button->text().endsWith(QStringLiteral("Pause")));
    status.canResume = true;
    bar.setStatus(status);
    QVERIFY(button->isEnabled() && bar.canPauseOrResume() && !bar.canStop());
    QVERIFY(button->text().endsWith(QStringLiteral("Resume")));
    QSignalSpy resumed(&bar, &TopBar::resumeRequested);
    button->click();
    QCOMPARE(resumed.count(), 1);
    bar.setStarting(true);
    QVERIFY(!button->isEnabled());
  }

 private:
  static void settle(TopBar& bar) { bar.layout()->activate(); }
  static void show(TopBar& bar, int width, const TopBarStatus& status) {
    bar.resize(width, bar.height());
    bar.setStatus(status);
    bar.show();
    settle(bar);
  }
  static QPushButton* pauseOf(const TopBar& bar) {
    for (QPushButton* button : bar.findChildren<QPushButton*>())
      if (button->text().endsWith(QStringLiteral("Pause")) ||
          button->text().endsWith(QStringLiteral("Resume")))
        return button;
    return nullptr;
  }
  static QRect stopOf(const TopBar& bar) {
    return bar.findChild<QPushButton*>(QStringLiteral("stopButton"))->geometry();
  }
  static QRect progressOf(const TopBar& bar) { return bar.findChild<QProgressBar*>()->geometry(); }
  static QRect menuOf(const TopBar& bar) {
    return bar.findChild<QToolButton*>(QStringLiteral("menuButton"))->geometry();
  }

  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstTopBar)
#include "tst_top_bar.moc"
