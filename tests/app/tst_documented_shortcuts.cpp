#include <QAbstractButton>
#include <QAction>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "app/configure/configure_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/named_action.h"

using namespace lockstep;
using app::MainWindow;

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

/// The keys named by "(Ctrl+.)" in a tooltip and "\tCtrl+D" in a menu.
void addNamedKeys(const QString& text, std::set<QString>& keys) {
  static const QRegularExpression pattern(
      QStringLiteral("\\(((?:Ctrl|Shift|Alt)\\+[^\\s)]+|F\\d+|[A-Z])[):]"));
  for (auto match = pattern.globalMatch(text); match.hasNext();)
    keys.insert(match.next().captured(1));
  const qsizetype tab = text.indexOf(QLatin1Char('\t'));
  if (tab >= 0) keys.insert(text.mid(tab + 1));
}

/// The keys that the window binds, and the document's keys that its editors handle themselves.
std::set<QString> boundKeys(const MainWindow& window) {
  std::set<QString> bound;
  for (const QAction* action : widgets::namedActions(&window))
    for (const QKeySequence& keys : action->shortcuts()) bound.insert(keys.toString());
  for (const char* own : {"Ctrl+Space", "Alt+Return"}) bound.insert(QString::fromLatin1(own));
  bound.erase(QString());
  return bound;
}

/// The keys on the sheet of F1.
std::set<QString> keysOfSheet(MainWindow& window) {
  QTest::keyClick(&window, Qt::Key_F1);
  auto* sheet = window.findChild<QWidget*>(QStringLiteral("shortcutSheet"));
  if (!sheet) return {};
  static const QRegularExpression bold(QStringLiteral("<b>([^<]*)</b>"));
  std::set<QString> keys;
  for (const QLabel* column : sheet->findChildren<QLabel*>())
    for (auto match = bold.globalMatch(column->text()); match.hasNext();)
      for (const QString& each :
           match.next().captured(1).split(QLatin1Char(' '), Qt::SkipEmptyParts))
        keys.insert(each);
  sheet->close();
  return keys;
}

QString normal(const QString& keys) {
  return QKeySequence::fromString(keys, QKeySequence::PortableText).toString();
}

}  // namespace

class TstDocumentedShortcuts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { run_ = makeRunWithImages(folder_.path()); }

  void everyDocumentedKeyIsBound() {
    MainWindow& window = withAllPages();
    const std::set<QString> bound = boundKeys(window);
    std::set<QString> written;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      addNamedKeys(widget->toolTip(), written);
      addNamedKeys(widget->property("text").toString(), written);
    }
    for (const QAction* action : window.findChildren<QAction*>())
      addNamedKeys(action->text(), written);
    written.merge(keysOfSheet(window));
    QVERIFY(written.size() > 20);
    QVERIFY(written.contains(QStringLiteral("F10")) && written.contains(QStringLiteral("Ctrl+.")));
    for (const QString& keys : written) QVERIFY2(bound.contains(normal(keys)), qPrintable(keys));
  }

  void everyBoundKeyIsOnTheSheet() {
    MainWindow& window = withAllPages();
    std::set<QString> written;
    for (const QString& keys : keysOfSheet(window)) written.insert(normal(keys));
    for (const QString& keys : boundKeys(window))
      QVERIFY2(written.contains(keys), qPrintable(keys));
  }

  /// A text editor would otherwise handle Ctrl+D and duplicate the line.
  void noFieldHandlesAKeyOfTheWindow() {
    QTemporaryDir parent;
    QFile file(parent.filePath(QStringLiteral("a.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const MainWindow& window = window_.show({file.fileName()});
    QList<QKeySequence> keys;
    for (const QAction* action : window.actions()) keys += action->shortcuts();
    QVERIFY(keys.size() > 20);
    QWidgetList fields{window.findChild<widgets::YamlText*>()};
    for (auto* field : window.findChildren<QLineEdit*>())
      if (widgets::windowOf(field) == &window && field->isEnabled() && !field->isReadOnly())
        fields << field;
    QVERIFY(fields.size() > 20);
    for (QWidget* field : fields) {
      for (const QKeySequence& each : keys) {
        QKeyEvent asked(QEvent::ShortcutOverride, each[0].key(), each[0].keyboardModifiers());
        asked.ignore();
        QCoreApplication::sendEvent(field, &asked);
        const bool writes =
            each[0].keyboardModifiers() == Qt::NoModifier && each[0].key() < Qt::Key_Escape;
        QVERIFY2(asked.isAccepted() == writes,
                 qPrintable(each.toString() + QLatin1Char(' ') + field->objectName()));
      }
    }
  }

  void aCopyIsMadeFromWithinTheText() {
    MainWindow& window = window_.show({run_}, app::Page::Monitor);
    window.showPage(app::Page::Configure);
    QVERIFY(window.configurePage()->openCopyOfRun(window.runsPanel()->currentRun()));
    auto* text = window.findChild<widgets::YamlText*>();
    const QString copy = text->text();
    text->setFocus();
    QTest::keyClick(text, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(text->text(), copy);
    QVERIFY(!text->isUndoAvailable());
  }

  void f10OpensTheMenu() {
    MainWindow& window = window_.show({});
    QTest::keyClick(&window, Qt::Key_F10);
    QMenu* menu = nullptr;
    for (QMenu* candidate : window.findChildren<QMenu*>())
      if (candidate->isVisible()) menu = candidate;
    QVERIFY(menu);
    QVERIFY(menu->activeAction());
    QVERIFY(window.screen()->geometry().contains(menu->geometry()));
    QTest::keyClick(menu, Qt::Key_Escape);
  }

  void keysChangeTheImageWithoutAClick() {
    MainWindow& window = window_.show({run_});
    QTest::keyClick(window.focusWidget(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.page(), app::Page::Predictions);
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
  /// Pages are made when they are first shown.
  MainWindow& withAllPages() {
    MainWindow& window = window_.show({run_});
    window.configurePage();
    window.predictionsPage();
    window.dataPage();
    window.comparePage();
    return window;
  }

  QTemporaryDir folder_;
  QString run_;
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstDocumentedShortcuts)
#include "tst_documented_shortcuts.moc"
