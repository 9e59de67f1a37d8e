#include "widgets/config_editor/config_editor_impl.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <chrono>
#include <exception>
#include <set>
#include <utility>

#include "engine/config/edit.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/difference_table.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/issue_list.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/experiment/field_words.h"
#include "widgets/role.h"

namespace lockstep::widgets {
namespace {

constexpr int kCheckPauseMilliseconds = 150;
constexpr std::chrono::seconds kPatience{5};
const char* const kNotChecked =
    QT_TRANSLATE_NOOP("lockstep::widgets::ConfigEditor", "The experiment could not be checked yet");
const char* const kUnsavedName = "experiment.yaml";

QVBoxLayout* plainColumn(QWidget* widget) {
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  return column;
}

/// `name`: under which the window keeps its state.
QSplitter* thinSplitter(Qt::Orientation orientation, const QString& name) {
  auto* splitter = new QSplitter(orientation);
  splitter->setObjectName(name);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  return splitter;
}

}  // namespace

ConfigEditor::Impl::Impl(std::function<void(const Checked&)> onChecked)
    : check(std::move(onChecked), jobs::Kind::Disk) {
  pause.setSingleShot(true);
  pause.setInterval(kCheckPauseMilliseconds);
  overdue.setSingleShot(true);
  overdue.setInterval(kPatience);
}

void ConfigEditor::Impl::buildPage() {
  page = new QWidget;
  header = new EditorHeader;
  setRole(header, "panel");
  banner = new Banner;
  form = new ConfigForm;
  auto* split = thinSplitter(Qt::Horizontal, QStringLiteral("editorTextSplit"));
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

QWidget* ConfigEditor::Impl::buildTextSide() {
  text = new YamlText;
  issues = new IssueList;
  auto* upper = new QWidget;
  auto* upperColumn = plainColumn(upper);
  upperColumn->addWidget(text, 1);
  auto* issueRow = new QHBoxLayout;
  issueRow->setContentsMargins(10, 0, 8, 0);
  issueRow->addWidget(issues);
  upperColumn->addLayout(issueRow);
  auto* split = thinSplitter(Qt::Vertical, QStringLiteral("editorFactsSplit"));
  split->addWidget(upper);
  split->addWidget(buildLowerSide());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  return split;
}

QWidget* ConfigEditor::Impl::buildLowerSide() {
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
  endComparison = new QToolButton;
  endComparison->setObjectName(QStringLiteral("endComparison"));
  endComparison->setText(QStringLiteral("×"));
  endComparison->setToolTip(tr("End the comparison"));
  endComparison->setAccessibleName(endComparison->toolTip());
  setRole(endComparison, "icon");
  lowerTabs->setTabButton(1, QTabBar::RightSide, endComparison);
  auto* pages = new QWidget;
  lower = new QStackedLayout(pages);
  lower->addWidget(facts);
  lower->addWidget(difference);
  auto* side = new QWidget;
  setRole(side, "panel");
  auto* column = plainColumn(side);
  column->addWidget(lowerTabs);
  column->addWidget(pages, 1);
  return side;
}

std::string ConfigEditor::Impl::fileForLoader() const {
  return filePath.isEmpty() ? kUnsavedName : filePath.toStdString();
}

void ConfigEditor::Impl::open(const QString& path, const QString& wholeText) {
  if (hasDocument) earlier[filePath] = document;
  reset();
  filePath = path;
  hasDocument = true;
  isOpening = true;
  text->setDocument(wholeText);
  isOpening = false;
  const auto before = earlier.find(path);
  if (before == earlier.end()) return;
  document = before->second;
  if (document.hasValues()) form->setState(*document.lastReadable(), path);
}

void ConfigEditor::Impl::forgetAllBut(const std::set<QString>& paths) {
  std::erase_if(earlier, [&](const auto& each) { return !paths.contains(each.first); });
}

void ConfigEditor::Impl::checkNow() {
  pause.stop();
  if (!overdue.isActive()) overdue.start();
  check.request([bytes = text->utf8(), file = fileForLoader(), isPending = isDataPending] {
    return checkDocument(bytes, file, isPending);
  });
}

/// Clears everything that was shown of the previous document.
void ConfigEditor::Impl::reset() {
  document = {};
  images = {};
  survey = {};
  objects = {};
  wasReady = false;
  pause.stop();
  banner->hide();
  form->reset();
  facts->clear();
  difference->clear();
}

void ConfigEditor::Impl::showOverdue() {
  banner->showMessage(Banner::Kind::Warning, tr(kNotChecked),
                      tr("A disk with files of this experiment does not answer: %1")
                          .arg(QString::fromStdString(fileForLoader())));
}

void ConfigEditor::Impl::handleAnswer() {
  overdue.stop();
  if (banner->title() == tr(kNotChecked)) banner->hide();
}

void ConfigEditor::Impl::show(const Checked& checked) {
  document.update(checked);
  text->setIssues(checked->issues);
  if (checked->isReadable || !document.hasValues())
    form->setState(*checked, QString::fromStdString(fileForLoader()));
  form->setUnreadable(document.unreadableReason());
  issues->setIssues(checked->issues);
  const auto errors =
      static_cast<int>(std::ranges::count_if(checked->issues, &DocumentIssue::isError));
  header->setIssues(errors, static_cast<int>(checked->issues.size()) - errors);
  facts->setStale(document.isStale());
  showFacts();
}

void ConfigEditor::Impl::showFacts() {
  const DocumentState* valid = document.lastValid();
  if (!valid) {
    facts->clear();
    return showDifference({});
  }
  facts->setExperiment(valid->loaded.experiment, images, survey, objects);
  showDifference(comparisonName.isEmpty()
                     ? std::vector<config::ConfigDifference>()
                     : config::difference(valid->loaded.experiment, comparison));
}

/// In the table, at the rows of the form and at the lines of the text.
void ConfigEditor::Impl::showDifference(const std::vector<config::ConfigDifference>& differences) {
  std::set<std::string> keys;
  for (const config::ConfigDifference& each : differences) keys.insert(each.key);
  text->setLineMarks(lineMarks(document.state(), keys));
  form->setDifference(comparisonName, differences);
  difference->setDifference(tr("this file"), comparisonName, differences);
}

void ConfigEditor::Impl::change(const std::function<std::string(const std::string&)>& edit) {
  try {
    text->changeTo(edit(text->utf8()));
    banner->hide();
    if (pause.isActive()) checkNow();
  } catch (const std::exception& error) {
    banner->showMessage(Banner::Kind::Error, tr("The form cannot edit this text"),
                        QString::fromUtf8(error.what()));
  }
}

void ConfigEditor::Impl::applyFix(int issue) {
  const auto index = static_cast<std::size_t>(issue);
  const std::vector<DocumentIssue>& known = document.state().issues;
  // A check is pending: the positions of the issues may be outdated.
  if (pause.isActive() || !check.isIdle() || index >= known.size()) return;
  const DocumentIssue chosen = known[index];
  if (chosen.suggestion.empty()) return goToIssue(index);
  change([&](const std::string& bytes) { return applySuggestion(bytes, chosen); });
}

void ConfigEditor::Impl::goToIssue(std::size_t issue) {
  if (issue >= document.state().issues.size()) return;
  const DocumentIssue& target = document.state().issues[issue];
  if (target.line < 1) return form->showKey(QString::fromStdString(target.key));
  text->goTo(target.line, 1);
  if (target.end > target.begin) text->selectBytes(target.begin, target.end);
  text->setFocus(Qt::OtherFocusReason);
}

void ConfigEditor::Impl::resetKey() {
  if (text->hasFocus()) key = QString::fromStdString(keyAt(document.state(), text->cursorByte()));
  if (document.state().given.contains(key.toStdString())) {
    Q_EMIT form->valueRemoved(key);
  } else {
    banner->showMessage(
        Banner::Kind::Warning, tr("There is nothing to reset"),
        key.isEmpty()
            ? tr("Choose a key first: click its field or its line.")
            : tr("%1 is not set in this file: its value is inherited, or the default.").arg(key));
  }
}

/// As one edit.
void ConfigEditor::Impl::useBetterAnchors() {
  if (!objects.betterAnchors || !document.lastValid())
    return banner->showMessage(
        Banner::Kind::Info, tr("There are no better anchors to use"),
        tr("The current anchors cover the objects, or the data is unknown."));
  const config::AnchorConfig better = *objects.betterAnchors;
  const bool isRatioSame =
      better.aspectRatios == document.lastValid()->loaded.experiment.model.anchors.aspectRatios;
  change([&](const std::string& bytes) {
    const std::string sized =
        config::setValue(bytes, "model.anchors.sizes", config::writeNumbers(better.sizes));
    return isRatioSame ? sized
                       : config::setValue(sized, "model.anchors.aspect_ratios",
                                          config::writeNumbers(better.aspectRatios));
  });
}

void ConfigEditor::Impl::updateUndo() {
  header->setUndo(text->isUndoAvailable(), text->isRedoAvailable());
}

QString ConfigEditor::Impl::tipAt(std::size_t byte) const {
  const std::string pointedAt = keyAt(document.state(), byte);
  const config::Field* field = config::findField(pointedAt);
  if (field == nullptr) return {};
  const auto given = document.state().given.find(pointedAt);
  if (given == document.state().given.end() || pointedAt == "base") return helpOf(*field);
  return helpOf(*field) % QLatin1Char('\n') %
         replacedText(given->second.inherited, given->second.inheritedFrom, given->second.repeats);
}

}  // namespace lockstep::widgets
