#pragma once

#include <QPointer>
#include <QString>
#include <QVariantMap>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "app/frame/page.h"
#include "app/runs/open/shown_run.h"
#include "widgets/banner.h"

class QGridLayout;
class QStackedWidget;
class QTabBar;

namespace lockstep::coco {
struct Image;
}

namespace lockstep::widgets {
struct WantedInstance;
enum class ExportKind;
}  // namespace lockstep::widgets

namespace lockstep::app {

class ComparePage;
class ConfigurePage;
class DataPage;
class DocumentBanner;
class MonitorPage;
class PredictionsPage;
class PreparationBanner;
class RunBanner;

/// The centre of the window: tabs, banners and pages.
class PageArea : public QWidget {
  Q_OBJECT

 public:
  /// `draftFolder`: where unsaved edits are backed up; empty: nowhere.
  explicit PageArea(const QString& draftFolder, QWidget* parent = nullptr);

  Page page() const;
  /// Of a page's tab, in this widget's coordinates.
  QRect tabRect(Page page) const;
  /// Width at which the current page does not scroll sideways; the minimum width may be smaller.
  int pageWidth() const;
  /// Text of the current tab.
  QString title() const;
  /// The current page has loaded all that it shows.
  bool isReady() const;
  /// Created on first use.
  ConfigurePage* configurePage();
  PredictionsPage* predictionsPage();
  DataPage* dataPage();
  ComparePage* comparePage();
  /// ComparePage::viewState(), also before it is created.
  QVariantMap compareState() const;
  void restoreCompareState(const QVariantMap& state);
  /// PredictionsPage::viewState(), also for when it is created.
  QVariantMap predictionsState() const;
  void restorePredictions(const QVariantMap& state);
  /// nullptr: not created yet.
  ConfigurePage* existingConfigurePage() const { return configure_; }
  MonitorPage* monitorPage() const { return monitor_; }
  RunBanner* runBanner() const { return runBanner_; }

  /// The current run is first.
  void showRuns(const std::vector<ShownRun>& runs);
  /// `act` is called when the button `action` is pressed; an empty text shows no button.
  void showFailure(const QString& title, const QString& detail, const QString& action = {},
                   std::function<void()> act = {});
  void showWarning(const QString& title, const QString& detail, const QString& action = {},
                   std::function<void()> act = {});
  /// The same of the shown page alone: it does not follow to others.
  void showWarningOfPage(const QString& title, const QString& detail, const QString& action = {},
                         std::function<void()> act = {});
  void showNotice(const QString& title, const QString& detail, const QString& action,
                  std::function<void()> act);
  void hideMessage();
  /// Unless another one is shown.
  void hideMessage(const QString& title);
  /// Dismisses one message; false: there is none.
  bool dismissMessage();

 public Q_SLOTS:
  void showPage(lockstep::app::Page page);

 Q_SIGNALS:
  void readyChanged();
  void pageShown(lockstep::app::Page page);
  void configurePageCreated(lockstep::app::ConfigurePage* page);
  /// List and select this run.
  void runRequested(const QString& folder);
  /// Of the shown page: Predictions or Compare.
  void exportRequested(lockstep::widgets::ExportKind kind);
  /// What Predictions or Compare keep for the next start is another one.
  void viewStateChanged();
  /// Show this experiment file.
  void experimentRequested(const QString& file);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  void placeTools();
  void connectSignals();
  void showPredictionsAt(qint64 step);
  /// Of a run, which becomes the current one.
  void showInstance(const QString& folder, qint64 step, const coco::Image& image,
                    const widgets::WantedInstance& instance);
  void showTools();
  void showMessage(widgets::Banner::Kind kind, const QString& title, const QString& detail,
                   const QString& action, std::function<void()> act);
  void showDocument();
  void showDataOfDocument();
  void showRunOnDataPage();

  QString draftFolder_;
  QPointer<RunController> current_;
  std::vector<ShownRun> shown_;
  QGridLayout* head_ = nullptr;  ///< the tabs and the page's tools
  QTabBar* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  ConfigurePage* configure_ = nullptr;  ///< created when it is first shown
  MonitorPage* monitor_ = nullptr;
  PredictionsPage* predictions_ = nullptr;  ///< likewise
  QVariantMap predictionsState_;            ///< until then
  DataPage* data_ = nullptr;                ///< likewise
  ComparePage* compare_ = nullptr;          ///< likewise
  QVariantMap compareState_;                ///< of the last session, until the page is created
  widgets::Banner* message_ = nullptr;
  std::optional<Page> messageOf_;  ///< the only page that the message is of
  std::function<void()> messageAction_;
  DocumentBanner* documentBanner_ = nullptr;
  PreparationBanner* preparationBanner_ = nullptr;
  RunBanner* runBanner_ = nullptr;
  QWidget* runPagesHead_ = nullptr;  ///< above the pages that show runs
};

}  // namespace lockstep::app
