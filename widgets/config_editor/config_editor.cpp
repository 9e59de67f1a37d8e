#include "widgets/config_editor/config_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QShortcut>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <exception>
#include <functional>

#include "engine/config/edit.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/difference_table.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/fault_list.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/empty_state.h"
#include "widgets/experiment/document_check.h"
#include "widgets/experiment/field_words.h"
#include "widgets/latest_job.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTypingPauseMilliseconds = 150;
const char* const kUnsavedName = "experiment.yaml";

using StatePointer = std::shared_ptr<const DocumentState>;

}  // namespace

struct ConfigEditor::Parts {
  explicit Parts(std::function<void(const StatePointer&)> take) : check(std::move(take)) {}

  QString filePath;
  bool hasDocument = false;
  bool isOpening = false;  ///< the text changes because a document is set
  bool wasReady = true;
  ImageCounts images;
  QString comparisonName;
  config::Experiment comparison;
  StatePointer state = std::make_shared<const DocumentState>();  ///< the last check: its faults
  StatePointer readable;  ///< the last of this document that is YAML: its values; null: none yet
  /// Whose facts are shown: the present one or, while it has errors of its lines, the last that had
  /// none at all; null: neither is there.
  StatePointer sound;
  LatestJob<StatePointer> check;
  QTimer pause;

  QStackedLayout* stack = nullptr;
  EmptyState* empty = nullptr;
  QWidget* page = nullptr;
  EditorHeader* header = nullptr;
  Banner* banner = nullptr;
  ConfigForm* form = nullptr;
  YamlText* text = nullptr;
  FaultList* faults = nullptr;
  QTabBar* lowerTabs = nullptr;
  QStackedLayout* lower = nullptr;
  FactsPanel* facts = nullptr;
  DifferenceTable* difference = nullptr;

  std::string fileForLoader() const {
    return filePath.isEmpty() ? kUnsavedName : filePath.toStdString();
  }
  int errors() const { return errorsOf(*state); }
  static int errorsOf(const DocumentState& checked) {
    return static_cast<int>(
        std::count_if(checked.faults.begin(), checked.faults.end(),
                      [](const DocumentFault& fault) { return fault.isError; }));
  }
  QWidget* buildPage();
  QWidget* buildTextSide();
  void checkNow();
  void forget();
  void show(const StatePointer& checked);
  QString whyUnreadable() const;
  void showFacts();
  void change(const std::function<std::string(const std::string&)>& edit);
  void mend(int fault);
  void goToFault(int fault);
  void updateUndo() { header->setUndo(text->isUndoAvailable(), text->isRedoAvailable()); }
  QString tipAt(std::size_t byte) const;
};

ConfigEditor::ConfigEditor(QWidget* parent)
    : QWidget(parent),
      parts_(std::make_unique<Parts>([this](const StatePointer& checked) { takeCheck(checked); })) {
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
  parts_->page = parts_->buildPage();
  parts_->stack = new QStackedLayout(this);
  parts_->stack->addWidget(parts_->empty);
  parts_->stack->addWidget(parts_->page);
  parts_->pause.setSingleShot(true);
  parts_->pause.setInterval(kTypingPauseMilliseconds);
}

QWidget* ConfigEditor::Parts::buildPage() {
  auto* widget = new QWidget;
  header = new EditorHeader;
  setRole(header, "panel");
  header->setAttribute(Qt::WA_StyledBackground);
  banner = new Banner;
  form = new ConfigForm;
  auto* split = new QSplitter(Qt::Horizontal);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(form);
  split->addWidget(buildTextSide());
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  split->setSizes({640, 560});
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(header);
  column->addWidget(banner);
  column->addWidget(split, 1);
  return widget;
}

QWidget* ConfigEditor::Parts::buildTextSide() {
  text = new YamlText;
  faults = new FaultList;
  facts = new FactsPanel;
  difference = new DifferenceTable;
  lowerTabs = new QTabBar;
  lowerTabs->addTab(tr("Facts"));
  lowerTabs->addTab(tr("Difference"));
  lowerTabs->setTabVisible(1, false);
  lowerTabs->setDrawBase(false);
  lowerTabs->setExpanding(false);
  setRole(lowerTabs, "small");
  lowerTabs->hide();
  auto* below = new QWidget;
  setRole(below, "panel");
  below->setAttribute(Qt::WA_StyledBackground);
  auto* pages = new QWidget;
  lower = new QStackedLayout(pages);
  lower->addWidget(facts);
  lower->addWidget(difference);
  auto* belowColumn = new QVBoxLayout(below);
  belowColumn->setContentsMargins(0, 0, 0, 0);
  belowColumn->setSpacing(0);
  belowColumn->addWidget(lowerTabs);
  belowColumn->addWidget(pages, 1);
  auto* upper = new QWidget;
  auto* upperColumn = new QVBoxLayout(upper);
  upperColumn->setContentsMargins(0, 0, 0, 0);
  upperColumn->setSpacing(0);
  upperColumn->addWidget(text, 1);
  auto* faultRow = new QHBoxLayout;
  faultRow->setContentsMargins(10, 0, 8, 0);
  faultRow->addWidget(faults);
  upperColumn->addLayout(faultRow);
  auto* split = new QSplitter(Qt::Vertical);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(upper);
  split->addWidget(below);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 0);
  return split;
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
    const auto given = parts->state->given.find(key.toStdString());
    if (given != parts->state->given.end()) parts->text->reveal(given->second.line);
  });
  connect(parts->text, &YamlText::mendRequested, this, [parts](int fault) { parts->mend(fault); });
  connect(parts->faults, &FaultList::mendRequested, this,
          [parts](int fault) { parts->mend(fault); });
  connect(parts->faults, &FaultList::faultChosen, this,
          [parts](int fault) { parts->goToFault(fault); });
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
    const std::string key = keyAt(*parts->state, parts->text->cursorByte());
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
  parts.forget();
  parts.filePath = filePath;
  parts.hasDocument = true;
  parts.isOpening = true;
  parts.text->setDocument(text);
  parts.isOpening = false;
  parts.header->setFile(filePath);
  parts.header->setModified(false);
  parts.header->setUnsaved(false);
  parts.updateUndo();
  parts.stack->setCurrentWidget(parts.page);
  parts.pause.stop();
  parts.checkNow();
}

void ConfigEditor::clear() {
  Parts& parts = *parts_;
  parts.forget();
  parts.hasDocument = false;
  parts.filePath.clear();
  parts.check.cancel();
  parts.isOpening = true;
  parts.text->setDocument({});
  parts.isOpening = false;
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
int ConfigEditor::errorCount() const { return parts_->errors(); }
const config::LoadedExperiment& ConfigEditor::loaded() const {
  return (parts_->readable ? parts_->readable : parts_->state)->loaded;
}

QString ConfigEditor::firstError() const {
  for (const DocumentFault& fault : parts_->state->faults) {
    if (!fault.isError) continue;
    const QString key = QString::fromStdString(fault.key);
    return key % (key.isEmpty() ? QString() : QStringLiteral(": ")) %
           QString::fromStdString(fault.text);
  }
  return {};
}

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

void ConfigEditor::goToFirstError() {
  const std::vector<DocumentFault>& faults = parts_->state->faults;
  const auto first = std::find_if(faults.begin(), faults.end(),
                                  [](const DocumentFault& fault) { return fault.isError; });
  parts_->goToFault(static_cast<int>(first - faults.begin()));
}

void ConfigEditor::undo() { parts_->text->undo(); }
void ConfigEditor::redo() { parts_->text->redo(); }
void ConfigEditor::focusSearch() { parts_->form->focusSearch(); }

/// From the form's editors, which leave undo and redo to the document.
void ConfigEditor::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return undo();
  if (event->matches(QKeySequence::Redo)) return redo();
  QWidget::keyPressEvent(event);
}

void ConfigEditor::Parts::checkNow() {
  pause.stop();
  check.request(
      [bytes = text->utf8(), file = fileForLoader()] { return checkDocument(bytes, file); });
}

void ConfigEditor::takeCheck(const std::shared_ptr<const DocumentState>& checked) {
  Parts& parts = *parts_;
  if (parts.pause.isActive()) return;  // the text has changed since: its places would be wrong
  parts.show(checked);
  Q_EMIT faultsChanged(parts.errors());
  if (parts.wasReady) return;
  parts.wasReady = true;
  Q_EMIT ready();
}

/// Nothing of the document before is shown of the next one.
void ConfigEditor::Parts::forget() {
  state = std::make_shared<const DocumentState>();
  readable.reset();
  sound.reset();
  images = {};
  wasReady = false;
  pause.stop();
  banner->hide();
  facts->clear();
  difference->clear();
}

void ConfigEditor::Parts::show(const StatePointer& checked) {
  state = checked;
  if (state->isReadable) readable = state;
  if (!state->loaded.hasErrors()) {
    sound = state;
  } else if (sound && errorsOf(*sound) > 0) {  // it lacked its data
    sound.reset();
  }
  text->setFaults(state->faults);
  if (state->isReadable || !readable)
    form->setState(*state, QString::fromStdString(fileForLoader()));
  form->setUnreadable(state->isReadable ? QString() : whyUnreadable());
  faults->setFaults(state->faults);
  const int errorCount = errors();
  header->setFaults(errorCount, static_cast<int>(state->faults.size()) - errorCount);
  facts->setStale(sound != nullptr && sound != state);
  showFacts();
}

/// Said above the form, whose values are then those of the last text that could be read.
QString ConfigEditor::Parts::whyUnreadable() const {
  const QString line =
      state->faults.empty() || state->faults.front().line == 0
          ? tr("The text is not YAML.")
          : tr("The text is not YAML from line %1 on.").arg(state->faults.front().line);
  return line % QLatin1Char(' ') %
         (readable ? tr("These are the values before; mend the line to edit them.")
                   : tr("Mend the line to see its values."));
}

void ConfigEditor::Parts::showFacts() {
  if (!sound) {
    facts->clear();
    return difference->clear();
  }
  facts->setExperiment(sound->loaded.experiment, images);
  if (comparisonName.isEmpty()) return;
  difference->setDifference(tr("this file"), comparisonName,
                            config::difference(sound->loaded.experiment, comparison));
}

/// One undoable change of the text; what cannot be done is said where it was asked for.
void ConfigEditor::Parts::change(const std::function<std::string(const std::string&)>& edit) {
  try {
    text->changeTo(edit(text->utf8()));
    banner->hide();
    if (pause.isActive()) checkNow();
  } catch (const std::exception& error) {
    banner->showMessage(Banner::Kind::Error, tr("The text cannot be edited by the form"),
                        QString::fromUtf8(error.what()));
  }
}

void ConfigEditor::Parts::mend(int fault) {
  const auto index = static_cast<std::size_t>(fault);
  // A check is on its way: the places of the faults may be old.
  if (pause.isActive() || !check.isIdle() || index >= state->faults.size()) return;
  const DocumentFault wanted = state->faults[index];
  if (wanted.proposal.empty()) return goToFault(fault);
  change([&](const std::string& bytes) { return applyProposal(bytes, wanted); });
}

void ConfigEditor::Parts::goToFault(int fault) {
  const auto index = static_cast<std::size_t>(fault);
  if (index >= state->faults.size()) return;
  const DocumentFault& wanted = state->faults[index];
  if (wanted.line < 1) return form->showKey(QString::fromStdString(wanted.key));
  text->goTo(wanted.line, 1);
  if (wanted.end > wanted.begin) text->selectBytes(wanted.begin, wanted.end);
  text->setFocus(Qt::OtherFocusReason);
}

QString ConfigEditor::Parts::tipAt(std::size_t byte) const {
  const std::string key = keyAt(*state, byte);
  const config::Field* field = config::findField(key);
  if (field == nullptr) return {};
  return QString::fromStdString(key) % QLatin1Char('\n') % QString::fromStdString(field->help) %
         QLatin1Char('\n') % factsOf(*field);
}

}  // namespace lockstep::widgets
