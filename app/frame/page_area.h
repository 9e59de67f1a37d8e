#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

#include "app/controllers/shown_run.h"
#include "app/models/page.h"

class QStackedWidget;
class QTabBar;

namespace lockstep::widgets {
class Banner;
}

namespace lockstep::app {

class ConfigurePage;
class DocumentBanner;
class MonitorPage;
class PredictionsPage;
class RunBanner;

/// The centre of the window: the pages under their tabs, and the banners over them.
class PageArea : public QWidget {
  Q_OBJECT

 public:
  /// `draftFolder`: where unsaved edits are kept; empty: nowhere.
  explicit PageArea(const QString& draftFolder, QWidget* parent = nullptr);

  Page page() const;
  /// As its tab says it.
  QString title() const;
  /// The page in front shows what was asked for.
  bool isReady() const;
  /// Made when it is asked for.
  ConfigurePage* configurePage();
  PredictionsPage* predictionsPage();
  /// nullptr: not made yet.
  ConfigurePage* madeConfigurePage() const { return configure_; }
  MonitorPage* monitorPage() const { return monitor_; }
  RunBanner* runBanner() const { return runBanner_; }

  /// The first leads. `hasListed`: there are runs that could be shown.
  void showRuns(const std::vector<ShownRun>& runs, bool hasListed);
  void showFailure(const QString& title, const QString& detail);
  void showWarning(const QString& title, const QString& detail);
  void hideMessage();
  /// Takes one message away; false: there is none.
  bool dismissMessage();

 public Q_SLOTS:
  void showPage(lockstep::app::Page page);

 Q_SIGNALS:
  void readyChanged();
  void pageShown(lockstep::app::Page page);
  void configurePageMade(lockstep::app::ConfigurePage* page);

 private:
  void buildUi();
  void connectSignals();
  void showPredictionsAt(qint64 step);
  void showTools();

  QString draftFolder_;
  QPointer<RunController> leading_;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  ConfigurePage* configure_ = nullptr;  ///< made when it is shown for the first time
  MonitorPage* monitor_ = nullptr;
  PredictionsPage* predictions_ = nullptr;  ///< likewise
  widgets::Banner* message_ = nullptr;
  DocumentBanner* documentBanner_ = nullptr;
  RunBanner* runBanner_ = nullptr;
  QWidget* runPagesHead_ = nullptr;  ///< over the pages that show runs
};

}  // namespace lockstep::app
