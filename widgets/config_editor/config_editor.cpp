#include "widgets/config_editor/config_editor.h"

#include <QKeyEvent>
#include <QShortcut>
#include <QStackedLayout>
#include <QTabBar>

#include "engine/config/edit.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_editor_parts.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/difference_table.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/config_editor/fault_list.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/empty_state.h"

namespace lockstep::widgets {

ConfigEditor::ConfigEditor(QWidget* parent)
    : QWidget(parent),
      parts_(
          std::make_unique<Parts>([this](const Parts::Checked& checked) { takeCheck(checked); })) {
  buildUi();
  connectSignals();
}

ConfigEditor::~ConfigEditor() = default;

void ConfigEditor::buildUi() {
  parts_->empty = new EmptyState;
  parts_->empty->setContent(
      tr("No experiment open"),
      tr("An experiment is a YAML file. It names its data, a folder of images and COCO "
         "annotations; every other key has a default."),
      tr("Open an experiment"));
  parts_->buildPage();
  parts_->stack = new QStackedLayout(this);
  parts_->stack->addWidget(parts_->empty);
  parts_->stack->addWidget(parts_->page);
}

void ConfigEditor::connectSignals() {
  Parts* parts = parts_.get();
  connect(parts->empty, &EmptyState::actionTriggered, this, &ConfigEditor::openRequested);
  connect(parts->header, &EditorHeader::undoRequested, this, &ConfigEditor::undo);
  connect(parts->header, &EditorHeader::redoRequested, this, &ConfigEditor::redo);
  connect(parts->header, &EditorHeader::saveRequested, this, &ConfigEditor::saveRequested);
  connect(parts->header, &EditorHeader::faultsClicked, this, [parts] { parts->goToFault(0); });
  connect(parts->form, &ConfigForm::valueEdited, this,
          [parts](const QString& key, const QString& yaml) {
            parts->change([&](const std::string& text) {
              return config::setValue(text, key.toStdString(), yaml.toStdString());
            });
          });
  connect(parts->form, &ConfigForm::valueRemoved, this, [parts](const QString& key) {
    parts->change(
        [&](const std::string& text) { return config::removeValue(text, key.toStdString()); });
  });
  connect(parts->form, &ConfigForm::keyFocused, this, [parts](const QString& key) {
    const auto& values = parts->document.state().given;
    const auto given = values.find(key.toStdString());
    if (given != values.end()) parts->text->reveal(given->second.line);
  });
  connect(parts->text, &YamlText::fixRequested, this,
          [parts](int fault) { parts->applyFix(fault); });
  connect(parts->faults, &FaultList::fixRequested, this,
          [parts](int fault) { parts->applyFix(fault); });
  connect(parts->faults, &FaultList::faultChosen, this,
          [parts](int fault) { parts->goToFault(static_cast<std::size_t>(fault)); });
  connect(parts->difference, &DifferenceTable::keyChosen, this, &ConfigEditor::goToKey);
  connect(parts->lowerTabs, &QTabBar::currentChanged, parts->lower,
          &QStackedLayout::setCurrentIndex);
  connect(&parts->pause, &QTimer::timeout, this, [parts] { parts->checkNow(); });
  connectText();
}

void ConfigEditor::connectText() {
  Parts* parts = parts_.get();
  connect(parts->text, &QsciScintilla::textChanged, this, [this, parts] {
    if (parts->isOpening) return;
    parts->wasReady = false;
    parts->banner->hide();  // it told of the text as it was
    parts->pause.start();
    parts->updateUndo();
    Q_EMIT textEdited();
  });
  connect(parts->text, &QsciScintilla::modificationChanged, this, [this, parts](bool modified) {
    parts->header->setModified(modified);
    Q_EMIT modifiedChanged(modified);
  });
  connect(parts->text, &YamlText::cursorMoved, this, [parts] {
    if (!parts->text->hasFocus()) return;
    const std::string key = keyAt(parts->document.state(), parts->text->cursorByte());
    parts->form->explain(key);
    parts->form->reveal(key);
  });
  parts->text->setTips([parts](std::size_t byte) { return parts->tipAt(byte); });
  const auto shortcut = [this](const QKeySequence& keys, void (ConfigEditor::*action)()) {
    auto* added = new QShortcut(keys, this);
    added->setContext(Qt::WidgetWithChildrenShortcut);
    connect(added, &QShortcut::activated, this, action);
  };
  shortcut(QKeySequence::Find, &ConfigEditor::focusSearch);
}

void ConfigEditor::setDocument(const QString& text, const QString& filePath) {
  Parts& parts = *parts_;
  parts.filePath = filePath;
  parts.hasDocument = true;
  parts.open(text);
  parts.header->setFile(filePath);
  parts.header->setModified(false);
  parts.header->setUnsaved(false);
  parts.updateUndo();
  parts.stack->setCurrentWidget(parts.page);
  parts.checkNow();
}

void ConfigEditor::clear() {
  Parts& parts = *parts_;
  parts.hasDocument = false;
  parts.filePath.clear();
  parts.check.cancel();
  parts.open({});
  parts.stack->setCurrentWidget(parts.empty);
}

void ConfigEditor::changeText(const QString& text) { parts_->text->changeTo(text.toStdString()); }
void ConfigEditor::setUnsaved(bool unsaved) { parts_->header->setUnsaved(unsaved); }
void ConfigEditor::finishTyping() { parts_->form->finishTyping(); }

void ConfigEditor::setSaved(const QString& filePath) {
  const bool moves = filePath != parts_->filePath;
  parts_->filePath = filePath;
  parts_->header->setFile(filePath);
  parts_->text->setModified(false);
  if (!moves) return;
  // Relative paths now begin elsewhere.
  parts_->wasReady = false;
  parts_->checkNow();
}

QString ConfigEditor::text() const { return parts_->text->text(); }
QString ConfigEditor::filePath() const { return parts_->filePath; }
bool ConfigEditor::isModified() const { return parts_->hasDocument && parts_->text->isModified(); }
bool ConfigEditor::hasDocument() const { return parts_->hasDocument; }
int ConfigEditor::errorCount() const { return parts_->document.errorCount(); }
QString ConfigEditor::firstError() const { return parts_->document.firstError(); }
const config::LoadedExperiment& ConfigEditor::loaded() const { return parts_->document.loaded(); }

bool ConfigEditor::isReady() const {
  return !parts_->hasDocument || (!parts_->pause.isActive() && parts_->check.isIdle());
}

void ConfigEditor::setImageCounts(std::int64_t trainImages, std::int64_t valImages) {
  if (parts_->images.train == trainImages && parts_->images.val == valImages) return;
  parts_->images = {trainImages, valImages};
  parts_->showFacts();
}

void ConfigEditor::setComparison(const QString& name, const config::Experiment& experiment) {
  parts_->comparisonName = name;
  parts_->comparison = experiment;
  parts_->lowerTabs->setTabVisible(1, !name.isEmpty());
  parts_->lowerTabs->setTabText(1, tr("Difference to %1").arg(name));
  parts_->lowerTabs->setVisible(!name.isEmpty());
  if (name.isEmpty()) parts_->lowerTabs->setCurrentIndex(0);
  parts_->showFacts();
}

void ConfigEditor::goToLine(int line, int column) {
  parts_->text->goTo(line, column);
  parts_->text->setFocus(Qt::OtherFocusReason);
}

void ConfigEditor::goToKey(const QString& key) { parts_->form->showKey(key); }

void ConfigEditor::goToFirstError() { parts_->goToFault(parts_->document.firstErrorIndex()); }

void ConfigEditor::undo() { parts_->text->undo(); }
void ConfigEditor::redo() { parts_->text->redo(); }
void ConfigEditor::focusSearch() { parts_->form->focusSearch(); }

/// From the form's editors, which leave undo and redo to the document.
void ConfigEditor::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return undo();
  if (event->matches(QKeySequence::Redo)) return redo();
  QWidget::keyPressEvent(event);
}

void ConfigEditor::takeCheck(const std::shared_ptr<const DocumentState>& checked) {
  Parts& parts = *parts_;
  if (parts.pause.isActive()) return;  // the text has changed since: its places would be wrong
  parts.show(checked);
  Q_EMIT faultsChanged(parts.document.errorCount());
  if (parts.wasReady) return;
  parts.wasReady = true;
  Q_EMIT ready();
}

}  // namespace lockstep::widgets
