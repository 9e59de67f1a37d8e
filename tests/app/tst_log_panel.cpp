// The log and the alerts below the pages: what is read of them, and where they lead.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QToolTip>
#include <memory>

#include "app/monitor/log_list.h"
#include "app/monitor/log_panel.h"
#include "tests/support/test_main.h"

using lockstep::app::LogEntry;
using lockstep::app::LogList;
using lockstep::app::LogPanel;
using lockstep::protocol::Alert;
using Level = LogEntry::Level;

namespace {

const std::string kLongText =
    "All ranks wait for rank 15: a step takes it 0.46 s, the others 0.32 s. It waits 0.15 s for "
    "images: check its disk, or raise dataset.loader_threads. The last word is remedy";

Alert alert(std::int64_t seq, std::int64_t step, const std::string& text) {
  return {seq,
          step,
          1.8e9,
          lockstep::protocol::AlertKind::LossJump,
          lockstep::protocol::Severity::Warning,
          text};
}

}  // namespace

class TstLogPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    window_ = std::make_unique<QWidget>();
    panel_ = new LogPanel(window_.get());
    panel_->head()->setParent(window_.get());
    panel_->head()->setGeometry(0, 0, 700, 36);
    panel_->setGeometry(0, 40, 700, 120);
    window_->resize(700, 160);
    window_->show();
    log_ = alerts_ = nullptr;
    for (auto* list : panel_->findChildren<LogList*>())
      (list->accessibleName() == QStringLiteral("Log") ? log_ : alerts_) = list;
    QVERIFY(log_ && alerts_ && QTest::qWaitForWindowActive(window_.get()));
  }
  void cleanup() { window_.reset(); }

  /// What the panel shows: filtered, while lines come and go.
  void thePanelsModelsPassQtsModelTester() {
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (const LogList* list : {log_, alerts_})
      testers.push_back(std::make_unique<QAbstractItemModelTester>(
          list->model(), QAbstractItemModelTester::FailureReportingMode::QtTest));
    QLineEdit* filter = words();
    panel_->setLog({entry(1, "an apple"), entry(2, "b"), entry(3, "apples")});
    QTest::keyClicks(filter, QStringLiteral("APPLE"));
    QCOMPARE(log_->model()->rowCount(), 2);
    panel_->setLog({entry(1, "an apple"), entry(2, "b"), entry(3, "apples"), entry(4, "apple c")});
    QCOMPARE(log_->model()->rowCount(), 3);
    panel_->setLog({entry(1, "an apple"), entry(2, "pear")});
    QCOMPARE(log_->model()->rowCount(), 1);
    filter->clear();
    QCOMPARE(log_->model()->rowCount(), 2);
    panel_->setAlerts({Alert{1, 1, 1}, Alert{2, 2, 2}}, {});
    panel_->setAlerts({Alert{1, 1, 1}}, {});
    panel_->setLog({});
    QCOMPARE(log_->model()->rowCount(), 0);
  }

  /// Every word of it has its own room, however narrow the panel is.
  void anAlertIsReadWhole() {
    panel_->setAlerts({alert(1, 5, "short"), alert(2, 9, kLongText)}, {});
    panel_->showAlerts();
    const auto heightOf = [this](int row) {
      return alerts_->visualRect(alerts_->model()->index(row, 0)).height();
    };
    QTRY_VERIFY(heightOf(1) > heightOf(0));
    const int wide = heightOf(1);
    panel_->resize(350, 120);
    QTRY_VERIFY(heightOf(1) > wide);
    // The last line of the text is painted: without its words the row's lower end is empty.
    const int line = heightOf(0);
    const auto inkAtEnd = [&] {
      alerts_->scrollToBottom();
      const QRect row = alerts_->visualRect(alerts_->model()->index(1, 0));
      const QRect last(row.left() + 80, row.bottom() - line + 1, row.width() - 90, line);
      const QImage picture =
          alerts_->grab().toImage().copy(last.translated(alerts_->viewport()->pos()));
      int ink = 0;
      for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
          ink += picture.pixel(x, y) != picture.pixel(0, 0) ? 1 : 0;
      return ink;
    };
    QVERIFY(inkAtEnd() > 20);
  }

  /// A low window leaves little room for it.
  void theTextOfNoAlertsIsNotCut() {
    panel_->showAlerts();
    const auto* empty = alerts_->findChild<QLabel*>(QStringLiteral("empty"));
    const auto isWhole = [&] {
      return empty->isVisible() && empty->heightForWidth(empty->width()) <= empty->height();
    };
    QVERIFY(isWhole() && empty->text().contains(QStringLiteral("loss spikes")));
    panel_->resize(300, 50);
    QTRY_VERIFY(isWhole() && empty->text() == QStringLiteral("No alerts."));
    QVERIFY(alerts_->viewport()->toolTip().contains(QStringLiteral("loss spikes")));
    panel_->resize(700, 120);
    QTRY_VERIFY(isWhole() && empty->text().contains(QStringLiteral("loss spikes")));
    QVERIFY(alerts_->viewport()->toolTip().isEmpty());
  }

  /// Scrolling moves what the viewport contains.
  void theTextOfNoAlertsIsSeenAfterScrolledOnes() {
    std::vector<Alert> alerts;
    for (int i = 0; i < 9; ++i) alerts.push_back(alert(i, i, kLongText));
    panel_->setAlerts(alerts, {});
    panel_->showAlerts();
    QTRY_VERIFY(alerts_->verticalScrollBar()->value() > 0);
    panel_->setAlerts({}, {});
    QTRY_COMPARE(alerts_->verticalScrollBar()->maximum(), 0);
    const auto* empty = alerts_->findChild<QLabel*>(QStringLiteral("empty"));
    QVERIFY(empty->isVisible());
    QCOMPARE(empty->mapTo(alerts_, QPoint()), alerts_->viewport()->pos());
  }

  void anAlertSaysWhatMendsIt() {
    Alert overfitting = alert(1, 300, "validation loss rose");
    overfitting.key = "solver.max_steps";
    overfitting.value = "260";
    const auto shown = [&](const std::vector<std::int64_t>& checkpoints) {
      panel_->setAlerts({overfitting}, checkpoints);
      return alerts_->model()->index(0, 0).data().toString();
    };
    QVERIFY(shown({100, 200})
                .endsWith(QStringLiteral(
                    "step 300: validation loss rose Fork with solver.max_steps=260.")));
    QVERIFY(shown({}).endsWith(  // as its card on Monitor: there is nothing to fork from
        QStringLiteral("step 300: validation loss rose Edit a copy with solver.max_steps=260.")));
  }

  void aClickOnAnAlertLeadsToIt() {
    panel_->setAlerts({alert(7, 5, "first"), alert(8, 9, "second")}, {});
    panel_->showAlerts();
    QSignalSpy chosen(panel_, &LogPanel::alertChosen);
    QTest::mouseClick(alerts_->viewport(), Qt::LeftButton, {},
                      alerts_->visualRect(alerts_->model()->index(1, 0)).center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].value<Alert>().seq, std::int64_t{8});
    alerts_->setFocus();
    QTest::keyClick(alerts_, Qt::Key_Home);
    QTest::keyClick(alerts_, Qt::Key_Return);
    QCOMPARE(chosen.last()[0].value<Alert>().seq, std::int64_t{7});
  }

  void linesAreFilteredByLevelAndByRegularExpression() {
    panel_->setLog({line(1, "progress", Level::Progress), line(2, "one", Level::Info),
                    line(3, "careful", Level::Warning), line(4, "broken", Level::Error)});
    auto* level = window_->findChild<QComboBox*>(QStringLiteral("logLevel"));
    for (int least = 0; least < 4; ++least) {
      QCOMPARE(log_->model()->rowCount(), 4 - least);
      level->setFocus();
      QTest::keyClick(level, Qt::Key_Down);
    }
    level->setCurrentIndex(0);
    QTest::keyClicks(words(), QStringLiteral("/^(one|brok)/"));
    QCOMPARE(log_->model()->rowCount(), 2);
  }

  void aFilterThatHidesAllSaysSo() {
    const auto* empty = log_->findChild<QLabel*>(QStringLiteral("empty"));
    QVERIFY(empty->isVisible() && empty->text().contains(QStringLiteral("empty")));
    panel_->setLog({line(1, "one", Level::Info)});
    QVERIFY(!empty->isVisible());
    QTest::keyClicks(words(), QStringLiteral("nowhere"));
    QVERIFY(empty->isVisible());
    QVERIFY2(empty->text().contains(QStringLiteral("No line matches")), qPrintable(empty->text()));
    panel_->setLog({line(1, "one", Level::Info), line(2, "nowhere", Level::Info)});
    QVERIFY(!empty->isVisible());
  }

  void theEndIsFollowedUntilAPersonScrollsUp() {
    QScrollBar* bar = log_->verticalScrollBar();
    panel_->setLog(lines(50));
    QTRY_VERIFY(bar->maximum() > 0 && bar->value() == bar->maximum());
    panel_->setLog(lines(60));
    QTRY_COMPARE(bar->value(), bar->maximum());
    panel_->resize(700, 80);  // the dock gets smaller
    QTRY_COMPARE(bar->value(), bar->maximum());
    const QPoint middle = log_->viewport()->rect().center();
    QWheelEvent up(middle, log_->viewport()->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                   Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(log_->viewport(), &up);
    const int scrolled = bar->value();
    QVERIFY(scrolled < bar->maximum());
    panel_->setLog(lines(70));
    QCoreApplication::processEvents();
    QCOMPARE(bar->value(), scrolled);
    log_->setFocus();
    QTest::keyClick(log_, Qt::Key_End);
    panel_->setLog(lines(80));
    QTRY_COMPARE(bar->value(), bar->maximum());
  }

  void theLogOfAnotherRunBeginsAtItsEnd() {
    QScrollBar* bar = log_->verticalScrollBar();
    panel_->setLog(lines(50));
    QTRY_VERIFY(bar->maximum() > 0);
    bar->setValue(0);
    std::vector<LogEntry> others = lines(90);
    for (LogEntry& each : others) each.text += " of another";
    panel_->setLog(others);
    QTRY_COMPARE(bar->value(), bar->maximum());
  }

  void selectedLinesAreCopiedInTheirOrder() {
    panel_->setLog(lines(3));
    const auto click = [this](int row, Qt::KeyboardModifiers keys) {
      QTest::mouseClick(log_->viewport(), Qt::LeftButton, keys,
                        log_->visualRect(log_->model()->index(row, 0)).center());
    };
    click(2, Qt::NoModifier);
    click(0, Qt::ControlModifier);
    QTest::keyClick(log_, Qt::Key_C, Qt::ControlModifier);
    const QStringList copied = QGuiApplication::clipboard()->text().split(u'\n');
    QCOMPARE(copied.size(), 2);
    QVERIFY(copied[0].endsWith(QStringLiteral(" line 0")));
    QVERIFY(copied[1].endsWith(QStringLiteral(" line 2")));
  }

  void aLineThatIsCutHasATooltip() {
    panel_->setLog({line(1, "short", Level::Info), line(2, kLongText, Level::Info)});
    const auto tipOf = [this](int row) {
      QToolTip::hideText();
      const QPoint at = log_->visualRect(log_->model()->index(row, 0)).center();
      QHelpEvent help(QEvent::ToolTip, at, log_->viewport()->mapToGlobal(at));
      QCoreApplication::sendEvent(log_->viewport(), &help);
      return QToolTip::isVisible() ? QToolTip::text() : QString();
    };
    QCOMPARE(tipOf(1), QString::fromStdString(kLongText));
    QVERIFY(tipOf(0) != QStringLiteral("short"));
  }

 private:
  QLineEdit* words() const { return window_->findChild<QLineEdit*>(QStringLiteral("logFilter")); }
  static LogEntry line(std::int64_t seq, const std::string& text, Level level) {
    return {seq, seq, 1.8e9 + static_cast<double>(seq), level, text};
  }
  static LogEntry entry(std::int64_t seq, const char* text) { return line(seq, text, Level::Info); }
  static std::vector<LogEntry> lines(int count) {
    std::vector<LogEntry> all;
    for (int i = 0; i < count; ++i)
      all.push_back(line(i, "line " + std::to_string(i), Level::Info));
    return all;
  }

  std::unique_ptr<QWidget> window_;
  LogPanel* panel_ = nullptr;
  LogList *log_ = nullptr, *alerts_ = nullptr;
};

LOCKSTEP_TEST(TstLogPanel)
#include "tst_log_panel.moc"
