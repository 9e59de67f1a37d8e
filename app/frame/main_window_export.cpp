// What MainWindow writes to files and the clipboard.
#include <QFileInfo>
#include <QPointer>
#include <QSettings>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "app/export/export_dialog.h"
#include "app/export/figure_export.h"
#include "app/export/results_export.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/status_strip.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

const QString kFolderKey = QStringLiteral("exportFolder");
constexpr int kExportedMs = 15000;

ExportFormat screenOf(QWidget* shown) {
  return screenFormat(
      [alive = QPointer(shown)] { return alive ? alive->grab().toImage() : QImage(); });
}

/// Why these results have nothing of a kind.
QString whyNoExport(const widgets::ShownResults& of, widgets::ExportKind kind) {
  if (of.predictions.empty())
    return MainWindow::tr("There are no predictions of this checkpoint yet: predict images first.");
  if (kind == widgets::ExportKind::Masks)
    return MainWindow::tr("The data have boxes, but no masks.");
  return MainWindow::tr("These images have no annotations to compare the predictions with.");
}

}  // namespace

void MainWindow::exportCurves(widgets::CurveCard* card) {
  MonitorPage* page = monitorPage();
  const std::vector<widgets::CurveCard*> shown = page->shownCards();
  if (shown.empty())
    return pages_->showWarningOfPage(tr("There is nothing to export"),
                                     tr("Select a run with curves in the list of runs."));
  const QString run = shownRuns_.front().name;
  const auto fileOf = [&run](const QString& what) {
    return fileNameOf(run + QLatin1Char(' ') + what);
  };
  std::vector<Exportable> choices;
  choices.push_back(figureExport(tr("The page: %n card(s)", "", static_cast<int>(shown.size())),
                                 fileOf(tr("curves")), [page](widgets::FigureContent content) {
                                   return page->figureOf(page->shownCards(), content);
                                 }));
  choices.back().formats.push_back(screenOf(page->cardArea()));
  for (widgets::CurveCard* each : shown) {
    choices.push_back(figureExport(
        each->title(), fileOf(each->title()),
        [page, alive = QPointer(each)](widgets::FigureContent content) {
          return page->figureOf(
              alive ? std::vector{alive.data()} : std::vector<widgets::CurveCard*>(), content);
        }));
    // Only what is in sight has been drawn.
    if (!each->visibleRegion().isEmpty()) choices.back().formats.push_back(screenOf(each));
  }
  const auto asked = std::ranges::find(shown, card);
  const auto chosen = asked == shown.end() ? 0 : asked - shown.begin() + 1;
  askForExport(std::move(choices), static_cast<int>(chosen));
}

void MainWindow::exportResults(widgets::ExportKind kind) {
  std::vector<widgets::ShownResults> shown;
  if (page() == Page::Compare) {
    shown = comparePage()->shown();
  } else if (auto own = predictionsPage()->view()->shown(); own && !shownRuns_.empty()) {
    own->name = tr("%1, %2").arg(shownRuns_.front().name, own->name);
    shown.push_back(*std::move(own));
  }
  if (shown.empty())
    return pages_->showWarningOfPage(tr("There is nothing to export"),
                                     tr("Select runs with predictions in the list of runs."));
  ResultsExports exports = resultsExports(shown);
  const auto first = exports.first.find(kind);
  if (first == exports.first.end()) {
    const bool canPredict = page() == Page::Predictions && shown.front().predictions.empty();
    return pages_->showWarningOfPage(tr("There is nothing to export"),
                                     whyNoExport(shown.front(), kind),
                                     canPredict ? tr("Predict all images") : QString(),
                                     [this] { predictionsPage()->view()->requestAllImages(); });
  }
  askForExport(std::move(exports.choices), first->second);
}

void MainWindow::askForExport(std::vector<Exportable> choices, int chosen) {
  const QString folder = options_.keepLayout ? QSettings().value(kFolderKey).toString() : QString();
  auto* dialog = new ExportDialog(std::move(choices), chosen,
                                  folder.isEmpty() ? runList_->parentFolder() : folder, this);
  connect(dialog, &ExportDialog::saved, this, [this](const QString& path) {
    status_->showMessage(tr("Exported to %1").arg(path), kExportedMs);
    if (options_.keepLayout) QSettings().setValue(kFolderKey, QFileInfo(path).path());
  });
  dialog->open();
}

}  // namespace lockstep::app
