#include "app/frame/page_area.h"

#include <QGridLayout>
#include <QHelpEvent>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "app/compare/compare_page.h"
#include "app/configure/configure_page.h"
#include "app/configure/document_banner.h"
#include "app/configure/preparation_banner.h"
#include "app/data/data_page.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/panel/run_banner.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/named_action.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

struct PageTab {
  const char *title, *action;
};

/// In the order of Page.
constexpr std::array kTabs{
    PageTab{QT_TRANSLATE_NOOP("lockstep::app::PageArea", "Configure"), "page.configure"},
    PageTab{QT_TRANSLATE_NOOP("lockstep::app::PageArea", "Monitor"), "page.monitor"},
    PageTab{QT_TRANSLATE_NOOP("lockstep::app::PageArea", "Predictions"), "page.predictions"},
    PageTab{QT_TRANSLATE_NOOP("lockstep::app::PageArea", "Data"), "page.data"},
    PageTab{QT_TRANSLATE_NOOP("lockstep::app::PageArea", "Compare"), "page.compare"}};

constexpr int kHeadPx = 12;

/// Scroll area around a page, for windows that are smaller than the page.
class PageScroll : public QScrollArea {
 public:
  explicit PageScroll(QWidget* page) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidgetResizable(true);
    setWidget(page);
  }

  /// Width at which the page does not scroll.
  int pageWidth() const {
    return widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
  }
  QSize minimumSizeHint() const override {
    return {std::min(pageWidth(), kMinWidthPx), kMinHeightPx};
  }

 private:
  static constexpr int kMinHeightPx = 60, kMinWidthPx = 420;
};

/// Replaces the placeholder of a page that is created when it is first shown.
void replacePage(QStackedWidget* pages, Page place, QWidget* page) {
  QWidget* empty = pages->widget(static_cast<int>(place));
  pages->insertWidget(static_cast<int>(place), new PageScroll(page));
  pages->removeWidget(empty);
  delete empty;
}

}  // namespace

PageArea::PageArea(const QString& draftFolder, QWidget* parent)
    : QWidget(parent), draftFolder_(draftFolder) {
  buildUi();
  connectSignals();
}

void PageArea::buildUi() {
  setObjectName(QStringLiteral("pages"));
  tabs_ = new QTabBar;
  tabs_->setObjectName(QStringLiteral("pageTabs"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(false);
  tabs_->setElideMode(Qt::ElideRight);
  tabs_->installEventFilter(this);
  monitor_ = new MonitorPage;
  pages_ = new QStackedWidget;
  // The others are created when they are first shown, so that the window opens fast.
  for (const PageTab& tab : kTabs) {
    const bool isMonitor = tabs_->addTab(tr(tab.title)) == static_cast<int>(Page::Monitor);
    pages_->addWidget(isMonitor ? static_cast<QWidget*>(monitor_) : new QWidget);
  }
  tabs_->setCurrentIndex(static_cast<int>(Page::Monitor));
  pages_->setCurrentIndex(static_cast<int>(Page::Monitor));
  message_ = new widgets::Banner;
  documentBanner_ = new DocumentBanner;
  preparationBanner_ = new PreparationBanner;
  runBanner_ = new RunBanner;
  runPagesHead_ = new QWidget;
  auto* runPagesColumn = new QVBoxLayout(runPagesHead_);
  runPagesColumn->setContentsMargins(0, 0, 0, 0);
  runPagesColumn->addWidget(runBanner_);

  head_ = new QGridLayout;
  head_->setContentsMargins(kHeadPx, 4, 0, 0);
  head_->addWidget(tabs_, 0, 0);
  head_->setColumnStretch(1, 1);
  head_->addWidget(monitor_->tools(), 0, 2);
  auto* line = new QFrame;
  line->setFixedHeight(1);
  widgets::setRole(line, "divider");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head_);
  column->addWidget(line);
  column->addWidget(message_);
  column->addWidget(preparationBanner_);
  column->addWidget(documentBanner_);
  column->addWidget(runPagesHead_);
  column->addWidget(pages_, 1);
}

/// Puts the tools beside the tabs, or below if one of them would be cut.
void PageArea::placeTools() {
  CurveTools* tools = monitor_->tools();
  const int all = width() - kHeadPx;
  const int beside = all - tabs_->sizeHint().width() - 2 * head_->horizontalSpacing();
  const bool isBeside = tools->fit(beside);
  if (!isBeside) tools->fit(all);
  head_->addWidget(tools, isBeside ? 0 : 1, isBeside ? 2 : 0, 1, isBeside ? 1 : 3,
                   isBeside ? Qt::Alignment() : Qt::AlignRight);
}

void PageArea::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) placeTools();
}

/// A tab's tooltip is the keys of its action, as they are now.
bool PageArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched != tabs_ || event->type() != QEvent::ToolTip)
    return QWidget::eventFilter(watched, event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int tab = tabs_->tabAt(help->pos());
  const QString keys =
      tab < 0 ? QString()
              : widgets::keysText(window(),
                                  QLatin1String(kTabs.at(static_cast<std::size_t>(tab)).action));
  QToolTip::showText(help->globalPos(), keys, tabs_);
  return true;
}

void PageArea::connectSignals() {
  connect(tabs_, &QTabBar::currentChanged, this,
          [this](int page) { showPage(static_cast<Page>(page)); });
  // That of the open page gives it the focus, which its keys need.
  connect(tabs_, &QTabBar::tabBarClicked, this, [this](int tab) {
    if (tab == tabs_->currentIndex()) showPage(static_cast<Page>(tab));
  });
  connect(monitor_, &MonitorPage::readyChanged, this, &PageArea::readyChanged);
  connect(monitor_, &MonitorPage::predictionsRequested, this, &PageArea::showPredictionsAt);
  connect(message_, &widgets::Banner::actionTriggered, this, [this] {
    message_->hide();
    if (const auto act = std::exchange(messageAction_, nullptr)) act();
  });
  connect(documentBanner_, &DocumentBanner::documentRequested, this,
          [this] { showPage(Page::Configure); });
}

ConfigurePage* PageArea::configurePage() {
  if (configure_) return configure_;
  configure_ = new ConfigurePage(draftFolder_);
  replacePage(pages_, Page::Configure, configure_);
  connect(configure_, &ConfigurePage::failed, this,
          [this](const QString& title, const QString& detail) { showFailure(title, detail); });
  connect(configure_, &ConfigurePage::readyChanged, this, &PageArea::readyChanged);
  connect(configure_, &ConfigurePage::documentChanged, this, &PageArea::showDocument);
  documentBanner_->setDocument(configure_->document());
  Q_EMIT configurePageCreated(configure_);
  return configure_;
}

PredictionsPage* PageArea::predictionsPage() {
  if (predictions_) return predictions_;
  predictions_ = new PredictionsPage(KeptAnswers::beside(draftFolder_));
  replacePage(pages_, Page::Predictions, predictions_);
  connect(predictions_, &PredictionsPage::readyChanged, this, &PageArea::readyChanged);
  connect(predictions_, &PredictionsPage::configureRequested, this,
          [this] { showPage(Page::Configure); });
  connect(predictions_, &PredictionsPage::runRequested, this, &PageArea::runRequested);
  connect(predictions_, &PredictionsPage::comparisonRequested, this,
          [this](const QString& folder, qint64 step) {
            showPage(Page::Compare);
            compare_->compareCheckpoint(folder, step);
          });
  connect(predictions_, &PredictionsPage::exportRequested, this, &PageArea::exportRequested);
  connect(predictions_, &PredictionsPage::viewStateChanged, this, &PageArea::viewStateChanged);
  connect(predictions_, &PredictionsPage::checkpointChosen, monitor_, &MonitorPage::showStep);
  connect(monitor_, &MonitorPage::cursorMoved, predictions_, &PredictionsPage::followCursor);
  predictions_->restoreViewState(predictionsState_);
  predictions_->setRun(current_);
  return predictions_;
}

QVariantMap PageArea::predictionsState() const {
  return predictions_ ? predictions_->viewState() : predictionsState_;
}

void PageArea::restorePredictions(const QVariantMap& state) {
  predictionsState_ = state;
  if (predictions_) predictions_->restoreViewState(state);
}

DataPage* PageArea::dataPage() {
  if (data_) return data_;
  data_ = new DataPage;
  replacePage(pages_, Page::Data, data_);
  connect(data_, &DataPage::readyChanged, this, &PageArea::readyChanged);
  connect(data_, &DataPage::configureRequested, this, [this] { showPage(Page::Configure); });
  connect(data_, &DataPage::failed, this,
          [this](const QString& title, const QString& detail) { showFailure(title, detail); });
  connect(data_, &DataPage::cleaned, this, [this](const QString& file, const QString& summary) {
    showNotice(tr("Cleaned annotations were written"), file % u'\n' % summary,
               tr("Open the experiment"), [this, file] { Q_EMIT experimentRequested(file); });
  });
  showRunOnDataPage();
  showDataOfDocument();
  return data_;
}

void PageArea::showRunOnDataPage() {
  data_->setRun(current_, shown_.empty() ? QString() : shown_.front().name);
}

void PageArea::showDocument() {
  preparationBanner_->setPreparation(configure_->preparation(), configure_->trainName());
  showDataOfDocument();
}

void PageArea::showDataOfDocument() {
  if (!data_) return;
  if (!configure_ || !configure_->hasDocument()) return data_->setExperiment(std::nullopt);
  data_->setExperiment(OpenExperiment{configure_->documentName(),
                                      configure_->editor()->loaded().experiment,
                                      configure_->preparation().text()});
}

ComparePage* PageArea::comparePage() {
  if (compare_) return compare_;
  compare_ = new ComparePage;
  replacePage(pages_, Page::Compare, compare_);
  connect(compare_, &ComparePage::readyChanged, this, &PageArea::readyChanged);
  connect(compare_, &ComparePage::exportRequested, this, &PageArea::exportRequested);
  connect(compare_, &ComparePage::viewStateChanged, this, &PageArea::viewStateChanged);
  connect(compare_, &ComparePage::predictionsRequested, this, &PageArea::showInstance);
  compare_->restoreViewState(compareState_);
  compare_->setRuns(shown_);
  return compare_;
}

QVariantMap PageArea::compareState() const {
  return compare_ ? compare_->viewState() : compareState_;
}

void PageArea::restoreCompareState(const QVariantMap& state) {
  compareState_ = state;
  if (compare_) compare_->restoreViewState(state);
}

void PageArea::showInstance(const QString& folder, qint64 step, const coco::Image& image,
                            const widgets::WantedInstance& instance) {
  showPage(Page::Predictions);
  predictions_->showInstance(folder, step, image, instance);
  Q_EMIT runRequested(folder);
}

void PageArea::showPredictionsAt(qint64 step) {
  predictionsPage()->showStep(step);
  showPage(Page::Predictions);
}

void PageArea::showPage(Page page) {
  if (page == Page::Configure) configurePage();
  if (page == Page::Predictions) predictionsPage();
  if (page == Page::Data) dataPage();
  if (page == Page::Compare) comparePage();
  const QSignalBlocker blocker(tabs_);
  tabs_->setCurrentIndex(static_cast<int>(page));
  pages_->setCurrentIndex(static_cast<int>(page));
  runPagesHead_->setVisible(page != Page::Configure);
  if (messageOf_ && *messageOf_ != page) hideMessage();
  showTools();
  documentBanner_->setOnDocumentPage(page == Page::Configure);
  Q_EMIT pageShown(page);
}

Page PageArea::page() const { return static_cast<Page>(tabs_->currentIndex()); }

QRect PageArea::tabRect(Page page) const {
  const QRect tab = tabs_->tabRect(static_cast<int>(page));
  return {tabs_->mapTo(this, tab.topLeft()), tab.size()};
}

int PageArea::pageWidth() const {
  const auto* scroll = dynamic_cast<const PageScroll*>(pages_->currentWidget());
  return scroll ? scroll->pageWidth() : pages_->currentWidget()->minimumSizeHint().width();
}

QString PageArea::title() const { return tabs_->tabText(tabs_->currentIndex()); }

void PageArea::showTools() { monitor_->tools()->setVisible(page() == Page::Monitor && current_); }

void PageArea::showRuns(const std::vector<ShownRun>& runs) {
  shown_ = runs;
  current_ = runs.empty() ? nullptr : runs.front().run.data();
  monitor_->setRuns(runs);
  showTools();
  if (predictions_) predictions_->setRun(current_);
  if (data_) showRunOnDataPage();
  if (compare_) compare_->setRuns(runs);
}

void PageArea::showMessage(widgets::Banner::Kind kind, const QString& title, const QString& detail,
                           const QString& action, std::function<void()> act) {
  messageOf_.reset();
  messageAction_ = std::move(act);
  message_->showMessage(kind, title, detail, action);
}

void PageArea::showFailure(const QString& title, const QString& detail, const QString& action,
                           std::function<void()> act) {
  showMessage(widgets::Banner::Kind::Error, title, detail, action, std::move(act));
}

void PageArea::showWarning(const QString& title, const QString& detail, const QString& action,
                           std::function<void()> act) {
  showMessage(widgets::Banner::Kind::Warning, title, detail, action, std::move(act));
}

void PageArea::showWarningOfPage(const QString& title, const QString& detail, const QString& action,
                                 std::function<void()> act) {
  showWarning(title, detail, action, std::move(act));
  messageOf_ = page();
}

void PageArea::showNotice(const QString& title, const QString& detail, const QString& action,
                          std::function<void()> act) {
  showMessage(widgets::Banner::Kind::Info, title, detail, action, std::move(act));
}

void PageArea::hideMessage() { message_->hide(); }

void PageArea::hideMessage(const QString& title) {
  if (message_->title() == title) message_->hide();
}

bool PageArea::dismissMessage() {
  for (widgets::Banner* banner : {message_, static_cast<widgets::Banner*>(runBanner_)}) {
    if (!banner->isVisible()) continue;
    banner->dismiss();
    return true;
  }
  return false;
}

bool PageArea::isReady() const {
  switch (page()) {
    case Page::Configure:
      return configure_->isReady();
    case Page::Monitor:
      return monitor_->isReady();
    case Page::Predictions:
      return predictions_->isReady();
    case Page::Data:
      return data_->isReady();
    case Page::Compare:
      return compare_->isReady();
  }
  return true;
}

}  // namespace lockstep::app
