// Predicts an opened image and chooses things on Predictions and Compare, says so, and goes on
// until it is killed. It runs in FOLDER, where the engine's answers are.
// usage: chosen_window FOLDER IMAGE RUN...
#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <QUrl>
#include <cstdio>

#include "app/compare/compare_page.h"
#include "app/predictions_page/predictions_page.h"
#include "tests/app/kept_window.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/image_view/class_filter.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/language.h"

using namespace lockstep;

namespace {

constexpr int kChoicePatienceMs = 60000;

bool isPredicted(const app::PredictionsPage& page, const QString& image) {
  const auto shown = page.view()->shownImage();
  const auto* stage = page.findChild<widgets::ImageStage*>();
  return shown && QString::fromStdString(shown->fileName) == image && page.isReady() &&
         stage->notice().isEmpty() && page.view()->currentCheckpoint() > 0;
}

/// "chosen", or what did not come.
const char* choose(app::MainWindow& window, const QString& image) {
  window.showPage(app::Page::Predictions);
  app::PredictionsPage* page = window.predictionsPage();
  const auto* all = page->findChild<QPushButton*>(QStringLiteral("predictAll"));
  const auto canPredict = [&] { return window.isReady() && all->isVisible() && all->isEnabled(); };
  if (!QTest::qWaitFor(canPredict, kChoicePatienceMs)) return "no engine to predict with";
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(image)});
  QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(page, &enter);
  QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(page, &drop);
  if (!QTest::qWaitFor([&] { return isPredicted(*page, image); }, kChoicePatienceMs))
    return "no prediction of the opened image";
  for (auto* button : page->findChild<widgets::ClassFilter*>()->findChildren<QPushButton*>())
    if (button->text() == QLatin1String("None")) button->click();
  window.showPage(app::Page::Compare);
  app::ComparePage* compare = window.comparePage();
  if (!QTest::qWaitFor([&] { return window.isReady(); }, kChoicePatienceMs)) return "no comparison";
  QTest::keyClick(compare->tables()->tabBar(), Qt::Key_Right);
  QTest::keyClick(compare, Qt::Key_V);
  return "chosen";
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  widgets::installLanguage();
  const QStringList arguments = QApplication::arguments();
  tests::keepSettingsBelow(arguments.at(1));
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, tests::keepingOptions(arguments.at(1), arguments.mid(3)));
  window.show();
  std::puts(choose(window, arguments.at(2)));
  std::fflush(stdout);
  return QApplication::exec();
}
