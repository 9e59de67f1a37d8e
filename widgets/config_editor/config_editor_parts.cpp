#include "widgets/config_editor/config_editor_parts.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QVBoxLayout>
#include <exception>
#include <utility>

#include "engine/config/load.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/difference_table.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/fault_list.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/experiment/field_words.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTypingPauseMilliseconds = 150;
const char* const kUnsavedName = "experiment.yaml";

QVBoxLayout* plainColumn(QWidget* widget) {
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  return column;
}

QSplitter* thinSplitter(Qt::Orientation orientation) {
  auto* splitter = new QSplitter(orientation);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  return splitter;
}

void makePanel(QWidget* widget) {
  setRole(widget, "panel");
  widget->setAttribute(Qt::WA_StyledBackground);
}

}  // namespace

ConfigEditor::Parts::Parts(std::function<void(const Checked&)> take) : check(std::move(take)) {
  pause.setSingleShot(true);
  pause.setInterval(kTypingPauseMilliseconds);
}

void ConfigEditor::Parts::buildPage() {
  page = new QWidget;
  header = new EditorHeader;
  makePanel(header);
  banner = new Banner;
  form = new ConfigForm;
  auto* split = thinSplitter(Qt::Horizontal);
  split->addWidget(form);
  split->addWidget(buildTextSide());
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  split->setSizes({640, 560});
  auto* column = plainColumn(page);
  column->addWidget(header);
  column->addWidget(banner);
  column->addWidget(split, 1);
}

QWidget* ConfigEditor::Parts::buildTextSide() {
  text = new YamlText;
  faults = new FaultList;
  auto* upper = new QWidget;
  auto* upperColumn = plainColumn(upper);
  upperColumn->addWidget(text, 1);
  auto* faultRow = new QHBoxLayout;
  faultRow->setContentsMargins(10, 0, 8, 0);
  faultRow->addWidget(faults);
  upperColumn->addLayout(faultRow);
  auto* split = thinSplitter(Qt::Vertical);
  split->addWidget(upper);
  split->addWidget(buildLowerSide());
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 0);
  return split;
}

QWidget* ConfigEditor::Parts::buildLowerSide() {
  facts = new FactsPanel;
  difference = new DifferenceTable;
  lowerTabs = new QTabBar;
  lowerTabs->addTab(tr("Summary"));
  lowerTabs->addTab(tr("Difference"));
  lowerTabs->setTabVisible(1, false);
  lowerTabs->setDrawBase(false);
  lowerTabs->setExpanding(false);
  setRole(lowerTabs, "small");
  lowerTabs->hide();
  auto* pages = new QWidget;
  lower = new QStackedLayout(pages);
  lower->addWidget(facts);
  lower->addWidget(difference);
  auto* side = new QWidget;
  makePanel(side);
  auto* column = plainColumn(side);
  column->addWidget(lowerTabs);
  column->addWidget(pages, 1);
  return side;
}

std::string ConfigEditor::Parts::fileForLoader() const {
  return filePath.isEmpty() ? kUnsavedName : filePath.toStdString();
}

void ConfigEditor::Parts::open(const QString& wholeText) {
  forget();
  isOpening = true;
  text->setDocument(wholeText);
  isOpening = false;
}

void ConfigEditor::Parts::checkNow() {
  pause.stop();
  check.request(
      [bytes = text->utf8(), file = fileForLoader()] { return checkDocument(bytes, file); });
}

/// Nothing of the document before is shown of the next one.
void ConfigEditor::Parts::forget() {
  document = {};
  images = {};
  wasReady = false;
  pause.stop();
  banner->hide();
  facts->clear();
  difference->clear();
}

void ConfigEditor::Parts::show(const Checked& checked) {
  document.take(checked);
  text->setFaults(checked->faults);
  if (checked->isReadable || !document.hasValues())
    form->setState(*checked, QString::fromStdString(fileForLoader()));
  form->setUnreadable(document.whyUnreadable());
  faults->setFaults(checked->faults);
  header->setFaults(document.errorCount(), document.warningCount());
  facts->setStale(document.isStale());
  showFacts();
}

void ConfigEditor::Parts::showFacts() {
  const DocumentState* sound = document.sound();
  if (!sound) {
    facts->clear();
    return difference->clear();
  }
  facts->setExperiment(sound->loaded.experiment, images);
  if (comparisonName.isEmpty()) return;
  difference->setDifference(tr("this file"), comparisonName,
                            config::difference(sound->loaded.experiment, comparison));
}

void ConfigEditor::Parts::change(const std::function<std::string(const std::string&)>& edit) {
  try {
    text->changeTo(edit(text->utf8()));
    banner->hide();
    if (pause.isActive()) checkNow();
  } catch (const std::exception& error) {
    banner->showMessage(Banner::Kind::Error, tr("The form cannot edit this text"),
                        QString::fromUtf8(error.what()));
  }
}

void ConfigEditor::Parts::applyFix(int fault) {
  const auto index = static_cast<std::size_t>(fault);
  const std::vector<DocumentFault>& known = document.state().faults;
  // A check is on its way: the places of the faults may be old.
  if (pause.isActive() || !check.isIdle() || index >= known.size()) return;
  const DocumentFault wanted = known[index];
  if (wanted.proposal.empty()) return goToFault(index);
  change([&](const std::string& bytes) { return applyProposal(bytes, wanted); });
}

void ConfigEditor::Parts::goToFault(std::size_t fault) {
  if (fault >= document.state().faults.size()) return;
  const DocumentFault& wanted = document.state().faults[fault];
  if (wanted.line < 1) return form->showKey(QString::fromStdString(wanted.key));
  text->goTo(wanted.line, 1);
  if (wanted.end > wanted.begin) text->selectBytes(wanted.begin, wanted.end);
  text->setFocus(Qt::OtherFocusReason);
}

void ConfigEditor::Parts::updateUndo() {
  header->setUndo(text->isUndoAvailable(), text->isRedoAvailable());
}

QString ConfigEditor::Parts::tipAt(std::size_t byte) const {
  const std::string key = keyAt(document.state(), byte);
  const config::Field* field = config::findField(key);
  return field == nullptr ? QString() : helpOf(*field);
}

}  // namespace lockstep::widgets
