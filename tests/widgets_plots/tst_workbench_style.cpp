// The style of the controls: what they look like is measured in the pixels of a grabbed widget.
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSlider>
#include <QStackedWidget>
#include <QStyleOptionMenuItem>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include "tests/support/pixels.h"
#include "tests/support/test_main.h"
#include "tests/support/watched_fifo.h"
#include "widgets/literal_text.h"
#include "widgets/message_text.h"
#include "widgets/question_dialog.h"
#include "widgets/role.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;
using lockstep::tests::pixelsOf;

namespace {

/// At the middle of its height, just inside of its left border.
QColor insideOf(QWidget& widget) {
  const QImage image = widget.grab().toImage();
  return image.pixelColor(4, image.height() / 2);
}

QColor borderOf(QWidget& widget) {
  const QImage image = widget.grab().toImage();
  return image.pixelColor(0, image.height() / 2);
}

QColor textColorOf(const QWidget& widget) { return widget.palette().color(QPalette::WindowText); }

}  // namespace

class TstWorkbenchStyle : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { theme_.setMode(ThemeSwitch::Mode::Dark); }

  void aButtonShowsItsState() {
    const Theme& theme = darkTheme();
    QPushButton button(QStringLiteral("Train"));
    button.move(200, 200);  // not below the pointer
    button.show();
    QVERIFY(QTest::qWaitForWindowExposed(&button));
    button.clearFocus();
    QCOMPARE(insideOf(button), theme.card);
    QCOMPARE(borderOf(button), theme.cardBorder);
    QTest::mousePress(&button, Qt::LeftButton);
    QCOMPARE(insideOf(button), theme.selection);
    QTest::mouseRelease(&button, Qt::LeftButton);
    button.setFocus();
    QCOMPARE(borderOf(button), theme.accent);
    button.setEnabled(false);
    QCOMPARE(insideOf(button), theme.panel);
  }

  void aRoleChangesAButton() {
    QPushButton button(QStringLiteral("Train"));
    setRole(&button, "primary");
    QCOMPARE(insideOf(button), darkTheme().accent);
    QCOMPARE(button.font().weight(), QFont::DemiBold);
    const QSize primary = button.sizeHint();
    setRole(&button, "");
    QCOMPARE(insideOf(button), darkTheme().card);
    QCOMPARE(button.font().weight(), QFont::Normal);
    QVERIFY(button.sizeHint().width() < primary.width());
  }

  void aLabelTakesColourAndFontOfItsRole() {
    QLabel label(QStringLiteral("0.543"));
    setRole(&label, "section");
    QCOMPARE(textColorOf(label), darkTheme().textMuted);
    QCOMPARE(label.font().weight(), QFont::DemiBold);
    setRole(&label, "muted");
    QCOMPARE(label.font().weight(), QFont::Normal);
    setRole(&label, "error");
    QCOMPARE(textColorOf(label), darkTheme().error);
    setRole(&label, "");
    QCOMPARE(textColorOf(label), darkTheme().text);
  }

  void aRoleKeepsAFontOfTheWidgetsOwn() {
    QLabel label(QStringLiteral("step 380"));
    label.setFont(monoFont(13));
    setRole(&label, "muted");
    setRole(&label, "warning");
    QCOMPARE(label.font(), monoFont(13));
  }

  /// Shown and hidden ones, and those whose colour is a role's.
  void allWidgetsFollowTheTheme() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* button = new QPushButton(QStringLiteral("Stop"));
    auto* muted = new QLabel(QStringLiteral("muted"));
    setRole(muted, "muted");
    auto* hidden = new QLabel(QStringLiteral("hidden"));
    setRole(hidden, "error");
    auto* list = new QListWidget;
    list->addItem(QStringLiteral("droplets"));
    auto* panel = new QWidget;
    panel->setMinimumHeight(20);
    setRole(panel, "panel");
    for (QWidget* widget : std::initializer_list<QWidget*>{button, muted, hidden, list, panel})
      column->addWidget(widget);
    hidden->hide();
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    for (const auto& [mode, theme] : {std::pair{ThemeSwitch::Mode::Light, &lightTheme()},
                                      std::pair{ThemeSwitch::Mode::Dark, &darkTheme()}}) {
      theme_.setMode(mode);
      button->clearFocus();
      QCOMPARE(insideOf(*button), theme->card);
      QCOMPARE(textColorOf(*muted), theme->textMuted);
      QCOMPARE(insideOf(*panel), theme->panel);
      QCOMPARE(list->palette().color(QPalette::Base), theme->panel);
      hidden->show();
      QCOMPARE(textColorOf(*hidden), theme->error);
      hidden->hide();
      QCOMPARE(window.grab().toImage().pixelColor(1, 1), theme->window);
    }
  }

  /// An image in a text would make Qt read the file that it names, also before a label is shown.
  void aLabelShowsTextAsItIs() {
    QTemporaryDir folder;
    const lockstep::tests::WatchedFifo fifo(folder.filePath(QStringLiteral("fifo")).toStdString());
    const QString text = QString::fromStdString(fifo.image());
    QMessageBox message(QMessageBox::Warning, text, text);
    message.setInformativeText(text);
    QInputDialog question;
    question.setLabelText(text);
    QStackedWidget stack;  // asks for heights before sizes
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    stack.addWidget(label);
    QVERIFY(stack.heightForWidth(300) > 0);
    for (QWidget* window : std::initializer_list<QWidget*>{&message, &question, &stack}) {
      window->show();
      QVERIFY(QTest::qWaitForWindowExposed(window));
      window->grab();
      label->setText(QStringLiteral("<b>%1</b>").arg(text));
    }
    for (const bool again : {false, true}) {
      QToolTip::showText(QPoint(10, 10), again ? text + text : text, &stack);
      QCoreApplication::processEvents();
    }
    int tips = 0;
    for (const QWidget* widget : QApplication::allWidgets()) {
      const auto* each = qobject_cast<const QLabel*>(widget);
      tips += widget->inherits("QTipLabel");
      if (each && each->isVisible()) QCOMPARE(each->textFormat(), Qt::PlainText);
    }
    QCOMPARE(tips, 1);
    QToolTip::hideText();
    QVERIFY(!fifo.wasRead());
  }

  /// Characters that would turn text are shown like a space without a width.
  void noTextTurnsWhatFollows() {
    const QString turned = QStringLiteral("a\u202ebc (d) 0.5"),
                  inert = QStringLiteral("a\u200bbc (d) 0.5");
    QLabel label;
    QPushButton button;
    QToolButton tool;
    QListWidget list;
    list.addItem(QString());
    QMenu menu;
    QAction* action = menu.addAction(QString());
    QTabBar tabs;
    tabs.addTab(QString());
    MessageText message;
    const auto show = [&](const QString& text) {
      label.setText(text);
      button.setText(text);
      tool.setText(text);
      list.item(0)->setText(text);
      action->setText(text);
      tabs.setTabText(0, text);
      message.setMessage(text);
      QList<QImage> shown;
      for (QWidget* widget :
           std::initializer_list<QWidget*>{&label, &button, &tool, &list, &menu, &tabs, &message}) {
        widget->resize(200, 40);
        shown.append(widget->grab().toImage());
      }
      return shown;
    };
    const QList<QImage> expected = show(inert);
    QCOMPARE(show(turned), expected);
    for (const QImage& other : show(QStringLiteral("another text")))
      QVERIFY(!expected.contains(other));
  }

  void controlCharactersHaveNoEffect_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("inert");
    QTest::newRow("none") << QStringLiteral("a\u05d0 \u00e9\U0001F600")
                          << QStringLiteral("a\u05d0 \u00e9\U0001F600");
    QTest::newRow("override") << QStringLiteral("a\u202eb\u202c")
                              << QStringLiteral("a\u200bb\u200b");
    QTest::newRow("isolate") << QStringLiteral("\u2066a\u2069") << QStringLiteral("\u200ba\u200b");
    QTest::newRow("escape") << QStringLiteral("a\u001b[31m\u007f\u009b")
                            << QStringLiteral("a [31m  ");
    QTest::newRow("separators") << QStringLiteral("a\u2028b\u2029c\rd")
                                << QStringLiteral("a b c d");
    QTest::newRow("lines of ours") << QStringLiteral("a\n\tb") << QStringLiteral("a\n\tb");
  }
  void controlCharactersHaveNoEffect() {
    QFETCH(QString, text);
    QTEST(inertText(text), "inert");
  }

  void noMenuIsWiderThanTheScreen() {
    QMenu menu;
    menu.addAction(QString(5000, u'w'));
    QVERIFY2(menu.sizeHint().width() < 800, qPrintable(QString::number(menu.sizeHint().width())));
  }

  void noToolTipIsWiderThanTheScreen() {
    QWidget window;
    window.show();
    QToolTip::showText(QPoint(10, 10), QString(5000, u'w'), &window);
    int tips = 0;
    for (const QWidget* widget : QApplication::topLevelWidgets()) {
      if (!widget->inherits("QTipLabel")) continue;
      ++tips;
      QVERIFY(widget->width() <= widget->screen()->size().width());
    }
    QCOMPARE(tips, 1);
    QToolTip::hideText();
  }

  void noQuestionIsWiderThanTheScreen() {
    QuestionDialog question(QString(5000, u'w'), QString(5000, u'w'), nullptr);
    question.show();
    QVERIFY(question.width() <= question.screen()->size().width());
  }

  void aLabelMayAskForRichText() {
    QLabel label(QStringLiteral("<b>keys</b>"));
    label.setTextFormat(Qt::RichText);
    label.show();
    QCOMPARE(label.textFormat(), Qt::RichText);
  }

  void anInvalidInputHasTheErrorsColour() {
    QLineEdit line;
    QComboBox box;
    for (QWidget* input : std::initializer_list<QWidget*>{&line, &box}) {
      input->resize(120, 30);
      QCOMPARE(borderOf(*input), darkTheme().cardBorder);
      input->setProperty("invalid", true);
      QCOMPARE(borderOf(*input), darkTheme().error);
    }
  }

  void textOfAnInputIsInsideOfItsFrame() {
    QLineEdit line(QStringLiteral("mask_rcnn_r50_fpn.yaml"));
    line.resize(line.sizeHint());
    const QImage image = line.grab().toImage();
    for (int y = 0; y < image.height(); ++y)
      for (int x : {2, 4, 6}) QVERIFY(image.pixelColor(x, y) != darkTheme().text);
    QVERIFY(line.sizeHint().height() >= line.fontMetrics().height() + 10);
  }

  /// A list, not a menu over the box; its rows and the box have their texts one below the other.
  void aComboBoxOpensAListBelowIt() {
    QComboBox box;
    box.addItems({QStringLiteral("x: step"), QStringLiteral("x: relative time")});
    box.move(100, 100);
    box.show();
    QVERIFY(QTest::qWaitForWindowExposed(&box));
    QVERIFY(box.width() > box.fontMetrics().horizontalAdvance(box.itemText(1)) + 30);
    QTest::mouseClick(&box, Qt::LeftButton);
    QWidget* popup = box.view()->window();
    QTRY_VERIFY(popup->isVisible());
    QVERIFY(popup->y() >= box.y() + box.height() - 1);
    QVERIFY(box.view()->sizeHintForRow(0) >= box.fontMetrics().height() + 8);
    QCOMPARE(box.view()->palette().color(QPalette::Highlight), darkTheme().selection);
    box.hidePopup();
  }

  /// Tab bars without room have such buttons.
  void aButtonWithAnArrowIsNotBlank() {
    QTabBar tabs;
    for (int i = 0; i < 9; ++i) tabs.addTab(QStringLiteral("Predictions"));
    tabs.resize(200, 40);
    tabs.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tabs));
    int arrows = 0;
    for (auto* button : tabs.findChildren<QToolButton*>()) {
      QVERIFY(button->isVisible());
      const QImage grabbed = button->grab().toImage();
      const QImage inner = grabbed.copy(grabbed.rect().adjusted(2, 2, -2, -2));
      const int blank = pixelsOf(inner, inner.pixelColor(0, 0));
      QVERIFY2(blank < inner.width() * inner.height(), qPrintable(button->objectName()));
      ++arrows;
    }
    QCOMPARE(arrows, 2);
  }

  void aSliderFollowsItsHandle() {
    QSlider slider(Qt::Horizontal);
    slider.setRange(0, 100);
    slider.resize(200, slider.sizeHint().height());
    slider.show();
    QVERIFY(QTest::qWaitForWindowExposed(&slider));
    QTest::mousePress(&slider, Qt::LeftButton, {}, {6, slider.height() / 2});
    QTest::mouseMove(&slider, {100, slider.height() / 2});
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, {100, slider.height() / 2});
    QVERIFY2(std::abs(slider.value() - 50) <= 2, qPrintable(QString::number(slider.value())));
    const QImage image = slider.grab().toImage();
    QCOMPARE(image.pixelColor(40, image.height() / 2), darkTheme().accent);
    QCOMPARE(image.pixelColor(160, image.height() / 2), darkTheme().cardBorder);
  }

  void aScrollBarsHandleIsDraggedAndItsGroovePages() {
    QScrollBar bar(Qt::Vertical);
    bar.setRange(0, 900);
    bar.setPageStep(100);
    bar.resize(bar.sizeHint().width(), 300);
    bar.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bar));
    QCOMPARE(bar.width(), 10);
    QTest::mousePress(&bar, Qt::LeftButton, {}, {5, 10});
    QTest::mouseMove(&bar, {5, 145});
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {5, 145});
    QVERIFY2(std::abs(bar.value() - 450) <= 10, qPrintable(QString::number(bar.value())));
    QTest::mouseClick(&bar, Qt::LeftButton, {}, {5, 290});
    QVERIFY(bar.value() >= 540);
    bar.setRange(0, 2'000'000'000);  // a handle is never too small to be caught
    QVERIFY(pixelsOf(bar.grab().toImage(), darkTheme().cardBorder) +
                pixelsOf(bar.grab().toImage(), darkTheme().textFaint) >
            100);
  }

  void aMenusTextAndKeysDoNotMeet() {
    QMenu menu;
    QAction* action = menu.addAction(QStringLiteral("Add another folder of runs…"));
    action->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+O")));
    menu.addSeparator();
    menu.addAction(QStringLiteral("Train"))->setEnabled(false);
    menu.ensurePolished();
    const QFontMetrics metrics = menu.fontMetrics();
    QVERIFY(menu.sizeHint().width() >=
            metrics.horizontalAdvance(action->text()) +
                metrics.horizontalAdvance(QStringLiteral("Ctrl+Shift+O")) + 40);
    menu.popup({0, 0});
    QTRY_VERIFY(menu.isVisible());
    QTest::keyClick(&menu, Qt::Key_Down);
    QCOMPARE(menu.activeAction(), action);
    QVERIFY(pixelsOf(menu.grab().toImage(), darkTheme().selection) > 500);
    menu.close();
  }

  void aTabIsUnderlinedWhereSelected() {
    QTabBar tabs;
    tabs.addTab(QStringLiteral("Log"));
    tabs.addTab(QStringLiteral("Alerts"));
    tabs.setDrawBase(false);
    tabs.resize(tabs.sizeHint());
    const auto isUnderlined = [&](int tab) {
      const QImage image = tabs.grab().toImage();
      return image.pixelColor(tabs.tabRect(tab).center().x(), image.height() - 1) ==
             darkTheme().accent;
    };
    QVERIFY(isUnderlined(0) && !isUnderlined(1));
    const QSize before = tabs.sizeHint();
    tabs.setCurrentIndex(1);
    QVERIFY(!isUnderlined(0) && isUnderlined(1));
    QCOMPARE(tabs.sizeHint(), before);
  }

  void progressIsAThinLineOfItsShare() {
    QProgressBar bar;
    bar.setTextVisible(false);
    bar.setRange(0, 400);
    bar.setValue(100);
    bar.resize(200, bar.sizeHint().height());
    QCOMPARE(bar.height(), 4);
    const QImage image = bar.grab().toImage();
    QCOMPARE(image.pixelColor(25, 2), darkTheme().good);
    QCOMPARE(image.pixelColor(75, 2), darkTheme().cardBorder);
  }

 private:
  ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstWorkbenchStyle)
#include "tst_workbench_style.moc"
