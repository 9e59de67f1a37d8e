#include "widgets/config_editor/config_editor.h"

#include <QKeyEvent>
#include <QStackedLayout>
#include <QTabBar>
#include <QToolButton>
#include <set>
#include <utility>

#include "engine/config/edit.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_editor_impl.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/difference_table.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/issue_list.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/empty_state.h"
#include "widgets/literal_text.h"
#include "widgets/named_action.h"

namespace lockstep::widgets {

ConfigEditor::ConfigEditor(QWidget* parent)
    : QWidget(parent),
      impl_(
          std::make_unique<Impl>([this](const Impl::Checked& checked) { handleCheck(checked); })) {
  buildUi();
  connectSignals();
}

/// A line of the form that has the focus commits what is typed when it is destroyed: by then,
/// other parts are gone.
ConfigEditor::~ConfigEditor() { impl_->form->disconnect(this); }

void ConfigEditor::buildUi() {
  impl_->empty = new EmptyState;
  impl_->empty->setContent(
      tr("No experiment open"),
      tr("An experiment is a YAML file. It names its data, a folder of images and COCO "
         "annotations; every other key has a default."),
      tr("New experiment…"), tr("Open an experiment"));
  impl_->buildPage();
  impl_->stack = new QStackedLayout(this);
  impl_->stack->addWidget(impl_->empty);
  impl_->stack->addWidget(impl_->page);
}

void ConfigEditor::connectSignals() {
  Impl* impl = impl_.get();
  connect(impl->empty, &EmptyState::actionTriggered, this, &ConfigEditor::newRequested);
  connect(impl->empty, &EmptyState::otherActionTriggered, this, &ConfigEditor::openRequested);
  connect(impl->header, &EditorHeader::fileChosen, this, &ConfigEditor::fileChosen);
  connect(impl->header, &EditorHeader::closeRequested, this, &ConfigEditor::closeRequested);
  connect(impl->facts, &FactsPanel::rangeTestRequested, this, &ConfigEditor::rangeTestRequested);
  connect(impl->facts, &FactsPanel::betterAnchorsChosen, this,
          [impl] { impl->useBetterAnchors(); });
  connect(impl->header, &EditorHeader::comparisonRequested, this,
          &ConfigEditor::comparisonRequested);
  connect(impl->endComparison, &QToolButton::clicked, this, [this] { setComparison({}, {}); });
  connect(impl->header, &EditorHeader::undoRequested, this, &ConfigEditor::undo);
  connect(impl->header, &EditorHeader::redoRequested, this, &ConfigEditor::redo);
  connect(impl->header, &EditorHeader::saveRequested, this, &ConfigEditor::saveRequested);
  connect(impl->header, &EditorHeader::issuesClicked, this, [impl] { impl->goToIssue(0); });
  connect(impl->form, &ConfigForm::valueEdited, this,
          [impl](const QString& key, const QString& yaml) {
            impl->change([&](const std::string& text) {
              return config::setValue(text, key.toStdString(), yaml.toStdString());
            });
          });
  connect(impl->form, &ConfigForm::valueRemoved, this, [impl](const QString& key) {
    impl->change(
        [&](const std::string& text) { return config::removeValue(text, key.toStdString()); });
  });
  connect(impl->form, &ConfigForm::keyFocused, this, [impl](const QString& key) {
    impl->key = key;
    const auto& values = impl->document.state().given;
    const auto given = values.find(key.toStdString());
    if (given != values.end()) impl->text->reveal(given->second.line);
  });
  connect(impl->text, &YamlText::fixRequested, this, [impl](int issue) { impl->applyFix(issue); });
  connect(impl->issues, &IssueList::fixRequested, this,
          [impl](int issue) { impl->applyFix(issue); });
  connect(impl->issues, &IssueList::emptied, impl->text, qOverload<>(&QWidget::setFocus));
  connect(impl->issues, &IssueList::issueChosen, this,
          [impl](int issue) { impl->goToIssue(static_cast<std::size_t>(issue)); });
  connect(impl->difference, &DifferenceTable::keyChosen, this, &ConfigEditor::goToKey);
  connect(impl->difference, &DifferenceTable::taken, impl->form, &ConfigForm::valueEdited);
  connect(impl->lowerTabs, &QTabBar::currentChanged, impl->lower, &QStackedLayout::setCurrentIndex);
  connect(&impl->pause, &QTimer::timeout, this, [impl] { impl->checkNow(); });
  connect(&impl->overdue, &QTimer::timeout, this, [impl] { impl->showOverdue(); });
  connectText();
}

void ConfigEditor::connectText() {
  Impl* impl = impl_.get();
  connect(impl->text, &QsciScintilla::textChanged, this, [this, impl] {
    if (impl->isOpening) return;
    impl->wasReady = false;
    impl->banner->hide();  // its message is about the text before the edit
    impl->pause.start();
    impl->updateUndo();
    Q_EMIT textEdited();
  });
  connect(impl->text, &QsciScintilla::modificationChanged, this, [this, impl](bool modified) {
    impl->header->setModified(modified);
    Q_EMIT modifiedChanged(modified);
  });
  connect(impl->text, &YamlText::cursorMoved, this, [impl] {
    if (!impl->text->hasFocus()) return;
    const std::string key = keyAt(impl->document.state(), impl->text->cursorByte());
    impl->key = QString::fromStdString(key);
    impl->form->explain(key);
    impl->form->reveal(key);
  });
  impl->text->setTips([impl](std::size_t byte) { return impl->tipAt(byte); });
  addNamedAction(this, ActionPlace::Configure, "configure.search", tr("Search keys"),
                 {QKeySequence::Find}, [this] { focusSearch(); });
  addNamedAction(this, ActionPlace::Configure, "configure.undo", tr("Undo"), {Qt::CTRL | Qt::Key_Z},
                 [this] { undo(); });
  addNamedAction(this, ActionPlace::Configure, "configure.redo", tr("Redo"),
                 {Qt::CTRL | Qt::SHIFT | Qt::Key_Z, Qt::CTRL | Qt::Key_Y}, [this] { redo(); });
  addNamedAction(this, ActionPlace::Configure, "configure.compare", tr("Compare with…"), {},
                 [this] { Q_EMIT comparisonRequested(); });
  addNamedAction(this, ActionPlace::Configure, "configure.end_comparison", tr("End the comparison"),
                 {}, [this] { setComparison({}, {}); });
  addNamedAction(this, ActionPlace::Configure, "configure.use_anchors",
                 tr("Use the anchors that fit the data better"), {},
                 [impl] { impl->useBetterAnchors(); });
  addNamedAction(this, ActionPlace::Configure, "configure.reset",
                 tr("Reset the key to its inherited value"), {}, [impl] { impl->resetKey(); });
}

void ConfigEditor::setDocument(const QString& text, const QString& filePath) {
  Impl& impl = *impl_;
  impl.open(filePath, text);
  impl.header->setFile(filePath);
  impl.header->setModified(false);
  impl.header->setUnsaved(false);
  impl.header->setDiffersFromFile(false);
  impl.updateUndo();
  impl.stack->setCurrentWidget(impl.page);
  impl.checkNow();
}

void ConfigEditor::clear() {
  Impl& impl = *impl_;
  impl.check.cancel();
  impl.overdue.stop();
  impl.open({}, {});
  impl.hasDocument = false;
  impl.earlier.clear();
  impl.stack->setCurrentWidget(impl.empty);
}

void ConfigEditor::changeText(const QString& text) { impl_->text->changeTo(text.toStdString()); }
void ConfigEditor::setUnsaved(bool unsaved) { impl_->header->setUnsaved(unsaved); }
void ConfigEditor::setDiffersFromFile(bool differs) { impl_->header->setDiffersFromFile(differs); }
void ConfigEditor::setOpenFiles(const QList<OpenFile>& files, int shown) {
  impl_->header->setOpenFiles(files, shown);
  std::set<QString> paths;
  for (const OpenFile& file : files) paths.insert(file.path);
  impl_->forgetAllBut(paths);
}

void ConfigEditor::setValue(const QString& key, const QString& yaml) {
  impl_->change([&](const std::string& text) {
    return config::setValue(text, key.toStdString(), yaml.toStdString());
  });
  goToKey(key);
}

void ConfigEditor::finishTyping() { impl_->form->finishTyping(); }

void ConfigEditor::setSaved(const QString& filePath) {
  const bool moves = filePath != impl_->filePath;
  impl_->filePath = filePath;
  impl_->header->setFile(filePath);
  impl_->text->setModified(false);
  if (!moves) return;
  // Relative paths now resolve from another folder.
  impl_->wasReady = false;
  impl_->checkNow();
}

QString ConfigEditor::text() const { return impl_->text->wholeText(); }
QString ConfigEditor::filePath() const { return impl_->filePath; }
bool ConfigEditor::isModified() const { return impl_->hasDocument && impl_->text->isModified(); }
bool ConfigEditor::hasDocument() const { return impl_->hasDocument; }
int ConfigEditor::errorCount() const { return impl_->document.errorCount(); }
QString ConfigEditor::firstError() const { return impl_->document.firstError(); }
const config::LoadedExperiment& ConfigEditor::loaded() const { return impl_->document.loaded(); }

bool ConfigEditor::isReady() const {
  return !impl_->hasDocument || (!impl_->pause.isActive() && impl_->check.isIdle());
}

bool ConfigEditor::setDataPending(bool isPending) {
  if (std::exchange(impl_->isDataPending, isPending) == isPending) return false;
  impl_->facts->setRangeTestEnabled(!isPending);
  recheck();
  return true;
}

void ConfigEditor::setImageCounts(std::int64_t drawsPerEpoch, std::int64_t valImages) {
  if (impl_->images.drawsPerEpoch == drawsPerEpoch && impl_->images.val == valImages) return;
  impl_->images = {drawsPerEpoch, valImages};
  impl_->showFacts();
}

void ConfigEditor::setSurvey(const QList<std::pair<QString, QString>>& facts,
                             const KnownObjects& objects) {
  impl_->survey = facts;
  impl_->objects = objects;
  impl_->showFacts();
}

void ConfigEditor::setFound(const QString& messages) {
  // While the text is edited they are about an earlier one.
  if (!hasDocument() || impl_->pause.isActive() || !impl_->check.isIdle()) return;
  impl_->show(withFound(impl_->document.state(), messages.toStdString(), impl_->text->utf8()));
}

void ConfigEditor::setComparison(const QString& name, const config::Experiment& experiment) {
  impl_->comparisonName = name;
  impl_->comparison = experiment;
  impl_->lowerTabs->setTabVisible(1, !name.isEmpty());
  impl_->lowerTabs->setTabText(1, tr("Difference to %1").arg(literalText(name)));
  impl_->lowerTabs->setVisible(!name.isEmpty());
  impl_->lowerTabs->setCurrentIndex(name.isEmpty() ? 0 : 1);
  impl_->showFacts();
}

void ConfigEditor::goToLine(int line, int column) {
  impl_->text->goTo(line, column);
  impl_->text->setFocus(Qt::OtherFocusReason);
}

void ConfigEditor::goToKey(const QString& key) { impl_->form->showKey(key); }

void ConfigEditor::goToFirstError() { impl_->goToIssue(impl_->document.firstErrorIndex()); }

void ConfigEditor::undo() { impl_->text->undo(); }
void ConfigEditor::redo() { impl_->text->redo(); }
void ConfigEditor::focusForm() {
  impl_->hasDocument ? impl_->form->focusRows() : setFocus(Qt::OtherFocusReason);
}
void ConfigEditor::recheck() {
  if (impl_->hasDocument && !impl_->pause.isActive()) impl_->checkNow();
}
void ConfigEditor::focusSearch() { impl_->form->focusSearch(); }

/// The form's editors pass undo and redo on to the document.
void ConfigEditor::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return undo();
  if (event->matches(QKeySequence::Redo)) return redo();
  QWidget::keyPressEvent(event);
}

void ConfigEditor::handleCheck(const std::shared_ptr<const DocumentState>& checked) {
  Impl& impl = *impl_;
  impl.handleAnswer();
  if (impl.pause.isActive()) return;  // the text has changed since: the positions are outdated
  impl.show(checked);
  Q_EMIT issuesChanged(impl.document.errorCount());
  if (impl.wasReady) return;
  impl.wasReady = true;
  Q_EMIT ready();
}

}  // namespace lockstep::widgets
