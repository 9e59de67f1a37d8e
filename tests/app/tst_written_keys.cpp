#include <QAbstractButton>
#include <QAction>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QShortcut>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "app/main_window/configure_page.h"
#include "app/main_window/main_window.h"
#include "app/main_window/predictions_page.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::MainWindow;
using tests::optionsFor;

namespace {

/// A run with three held-out images.
QString makeRunWithImages(const QString& parent) {
  QByteArray images;
  for (int id = 1; id <= 3; ++id) {
    QImage image(32, 24, QImage::Format_RGB32);
    image.fill(Qt::gray);
    image.save(parent + QStringLiteral("/%1.png").arg(id));
    images += (id > 1 ? "," : "") + QByteArray("{\"id\":") + QByteArray::number(id) +
              ",\"file_name\":\"" + QByteArray::number(id) + ".png\",\"width\":32,\"height\":24}";
  }
  QFile file(parent + QStringLiteral("/val.json"));
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write("{\"images\":[" + images +
             "],\"annotations\":[],\"categories\":[{\"id\":1,\"name\":\"drop\"}]}");
  tests::MadeRun plan;
  plan.valImages = parent.toStdString();
  plan.valAnnotations = file.fileName().toStdString();
  return tests::makeRun(parent, plan);
}

/// What "(Ctrl+.)" in a tip and "\tCtrl+D" in a menu name.
void addNamedKeys(const QString& text, std::set<QString>& keys) {
  static const QRegularExpression pattern(
      QStringLiteral("\\(((?:Ctrl|Shift|Alt)\\+[^\\s)]+|F\\d+|[A-Z])[):]"));
  for (auto match = pattern.globalMatch(text); match.hasNext();)
    keys.insert(match.next().captured(1));
  const qsizetype tab = text.indexOf(QLatin1Char('\t'));
  if (tab >= 0) keys.insert(text.mid(tab + 1));
}

QString normal(const QString& keys) {
  return QKeySequence::fromString(keys, QKeySequence::PortableText).toString();
}

}  // namespace

class TstWrittenKeys : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKeyThatIsWrittenIsBound() {
    QTemporaryDir parent;
    MainWindow window(&theme_, optionsFor({makeRunWithImages(parent.path())}));
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.configurePage();
    window.predictionsPage();
    QTRY_VERIFY(window.isReady());
    std::set<QString> bound;
    for (const QShortcut* shortcut : window.findChildren<QShortcut*>())
      bound.insert(shortcut->key().toString());
    for (const QAction* action : window.actions()) bound.insert(action->shortcut().toString());
    // Of the document, wherever the keyboard is on the page.
    bound.insert(
        {QKeySequence(QKeySequence::Undo).toString(), normal(QStringLiteral("Ctrl+Shift+Z"))});

    std::set<QString> written;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      addNamedKeys(widget->toolTip(), written);
      addNamedKeys(widget->property("text").toString(), written);
    }
    for (const QAction* action : window.findChildren<QAction*>())
      addNamedKeys(action->text(), written);
    QTest::keyClick(&window, Qt::Key_F1);
    const auto* sheet = window.findChild<QWidget*>(QStringLiteral("shortcutSheet"));
    QVERIFY(sheet);
    static const QRegularExpression bold(QStringLiteral("<b>([^<]*)</b>"));
    for (auto match = bold.globalMatch(sheet->findChild<QLabel*>()->text()); match.hasNext();)
      for (const QString& keys : match.next().captured(1).split(QLatin1Char(' ')))
        written.insert(keys);
    QVERIFY(written.size() > 20);
    QVERIFY(written.contains(QStringLiteral("F10")) && written.contains(QStringLiteral("Ctrl+.")));
    for (const QString& keys : written) QVERIFY2(bound.contains(normal(keys)), qPrintable(keys));
  }

  void f10OpensTheMenu() {
    QTemporaryDir parent;
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F10);
    const QMenu* menu = nullptr;
    for (const QMenu* candidate : window.findChildren<QMenu*>())
      if (candidate->isVisible()) menu = candidate;
    QVERIFY(menu);
    QVERIFY(menu->activeAction());
    QVERIFY(window.screen()->geometry().contains(menu->geometry()));
  }

  void imagesAreTurnedByKeysWithoutAClick() {
    QTemporaryDir parent;
    MainWindow window(&theme_, optionsFor({makeRunWithImages(parent.path())}));
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY(window.isReady());
    QTest::keyClick(window.focusWidget(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.page(), MainWindow::Page::Predictions);
    QTRY_VERIFY(window.isReady());
    const widgets::PredictionsView* view = window.predictionsPage()->view();
    const ImageId first = view->currentImage();
    QTest::keyClick(window.focusWidget(), Qt::Key_D);
    QTRY_VERIFY(view->currentImage() != first);
    const ImageId second = view->currentImage();
    QTest::keyClick(window.focusWidget(), Qt::Key_Right);
    QTRY_VERIFY(view->currentImage() != second && view->currentImage() != first);
    QTest::keyClick(window.focusWidget(), Qt::Key_A);
    QTRY_VERIFY(view->currentImage() == second);
    QTest::keyClick(window.focusWidget(), Qt::Key_Left);
    QTRY_VERIFY(view->currentImage() == first);
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstWrittenKeys)
#include "tst_written_keys.moc"
