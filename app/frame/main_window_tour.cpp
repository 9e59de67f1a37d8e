// The tour of MainWindow.
#include <QSettings>

#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/top_bar.h"
#include "app/frame/tour.h"
#include "widgets/named_action.h"

namespace lockstep::app {
namespace {

constexpr const char* kShownKey = "tourShown";

}  // namespace

QAction* MainWindow::addTourAction() {
  return addEverywhere("window.tour", tr("Tour"), "", [this] {
    showTour();
    tour_->setFocus();
  });
}

/// At the first start, if there is nothing to open, and never again.
void MainWindow::offerTour() {
  const QString key = QLatin1String(kShownKey);
  QSettings settings;
  const bool isFirst = !settings.contains(key) && !settings.contains(QStringLiteral("geometry"));
  if (!options_.keepLayout || !options_.paths.isEmpty() || !isFirst) return;
  settings.setValue(key, true);
  showTour();
}

void MainWindow::showTour() {
  if (tour_) tour_->close();
  const auto placeOf = [this](const char* name) {
    return [this, name] {
      const auto* widget = topBar_->findChild<QWidget*>(QLatin1String(name));
      return QRect(widget->mapTo(this, QPoint()), widget->size());
    };
  };
  const auto tabOf = [this](Page page) {
    return [this, page] {
      const QRect tab = pages_->tabRect(page);
      return QRect(pages_->mapTo(this, tab.topLeft()), tab.size());
    };
  };
  const auto withKeys = [this](const char* id, const QString& text) {
    return text.arg(widgets::keysText(this, QLatin1String(id)));
  };
  tour_ = new Tour(
      this,
      {{tr("Begin"),
        withKeys(
            "experiment.new",
            tr("New experiment (%1), in this menu, begins from a folder of data, a template, a "
               "run, or synthetic data that a small model learns in minutes.")),
        placeOf("menuButton"), tr("Try it with synthetic data"),
        [this] { newExperiment(ExperimentOrigin::Scenes); }},
       {tr("Configure"),
        tr("The form and the YAML text are one file. Errors are listed with their lines, and the "
           "summary has what follows from the values."),
        tabOf(Page::Configure)},
       {tr("Train"),
        withKeys("experiment.train",
                 tr("Train (%1) starts a run of the open experiment. It continues when this window "
                    "is closed.")),
        placeOf("trainButton")},
       {tr("Watch"),
        tr("Training and validation losses, AP and the time of a step, live. The runs are listed "
           "on the left; select several to compare them."),
        tabOf(Page::Monitor)},
       {tr("Inspect"),
        withKeys("window.palette",
                 tr("Predicted boxes and masks beside the ground truth, at each evaluation. The "
                    "command palette (%1) finds everything else.")),
        tabOf(Page::Predictions)}});
}

}  // namespace lockstep::app
