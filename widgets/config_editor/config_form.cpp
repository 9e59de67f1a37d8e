#include "widgets/config_editor/config_form.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/config_editor/field_row.h"
#include "widgets/config_editor/section_list.h"
#include "widgets/elided_label.h"
#include "widgets/experiment/field_words.h"
#include "widgets/experiment/form_fields.h"
#include "widgets/fold_button.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Fits the beginning of a name, a value of a few digits, the reset arrow and the scroll bar.
constexpr int kMinRowsPx = 290;
/// The list of sections is shown beside rows of this width, in which a path can be read.
constexpr int kRoomyRowsPx = 450;
/// Fits a key and three lines of its help, so that few texts change the height of the strip; two
/// lines in a low form, which needs the room for its rows.
constexpr int kMinHelpPx = 90, kLowHelpPx = 60, kLowPx = 460;
constexpr const char *kAllKeys = "configure.all_keys", *kOnlyGiven = "configure.overrides_only";

}  // namespace

ConfigForm::ConfigForm(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

void ConfigForm::buildUi() {
  sections_ = new SectionList;
  scroll_ = new QScrollArea;
  scroll_->setAccessibleName(tr("Form"));
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setMinimumWidth(scaledPx(kMinRowsPx));

  unreadable_ = new QLabel;
  unreadable_->setWordWrap(true);
  unreadable_->setFont(interfaceFont(12));
  unreadable_->setContentsMargins(14, 2, 12, 6);
  setRole(unreadable_, "error");
  unreadable_->hide();
  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addLayout(buildTop());
  right->addWidget(unreadable_);
  right->addWidget(scroll_, 1);
  right->addWidget(buildHelp());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(sections_);
  row->addLayout(right, 1);
}

QLayout* ConfigForm::buildTop() {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search keys"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Search keys"));
  const auto button = [](const QString& text, const QString& tip, const char* action) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setCheckable(true);
    setRole(made, "quiet");
    showKeysOf(made, action);
    return made;
  };
  allKeys_ = button(tr("All keys"), tr("Also the keys that few experiments set"), kAllKeys);
  onlyGiven_ = button(tr("Overrides only"), tr("Only the keys set in this file"), kOnlyGiven);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 8, 12, 4);
  top->addWidget(search_, 1);
  top->addWidget(allKeys_);
  top->addWidget(onlyGiven_);
  return top;
}

/// Without the section list, which is hidden when there is no room for it.
QSize ConfigForm::minimumSizeHint() const {
  return {scaledPx(kMinRowsPx), QWidget::minimumSizeHint().height()};
}

void ConfigForm::resizeEvent(QResizeEvent* event) {
  sections_->setVisible(width() >= scaledPx(kRoomyRowsPx) + sections_->minimumWidth());
  helpStrip_->setMinimumHeight(scaledPx(height() < scaledPx(kLowPx) ? kLowHelpPx : kMinHelpPx));
  QWidget::resizeEvent(event);
}

QWidget* ConfigForm::buildHelp() {
  helpStrip_ = new QWidget;
  setRole(helpStrip_, "panel");
  helpKey_ = new ElidedLabel(Qt::ElideMiddle);
  setRole(helpKey_, "mono");
  helpFacts_ = new ElidedLabel(Qt::ElideRight);
  helpFacts_->setFont(interfaceFont(11));
  setRole(helpFacts_, "faint");
  helpText_ = new QLabel(tr("Hover over a key to see what it does."));
  helpText_->setFont(interfaceFont(12));
  helpText_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  helpText_->setWordWrap(true);
  QSizePolicy wraps(QSizePolicy::Ignored, QSizePolicy::Preferred);
  wraps.setHeightForWidth(true);
  helpText_->setSizePolicy(wraps);
  setRole(helpText_, "muted");
  auto* line = new QHBoxLayout;
  line->setSpacing(10);
  line->addWidget(helpKey_);
  line->addWidget(helpFacts_, 1);
  auto* column = new QVBoxLayout(helpStrip_);
  column->setContentsMargins(14, 6, 12, 6);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(helpText_, 1);
  helpFacts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  return helpStrip_;
}

/// Built with the first document, so that an empty page starts without a hundred editors.
void ConfigForm::buildGroups() {
  // Each widget is created in its final parent: reparenting would style it and its children again.
  // Hidden until complete, so that it is laid out once.
  auto* content = new QWidget(scroll_->viewport());
  content->hide();
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 2, 8, 12);
  column->setSpacing(10);
  for (const std::string& section : allSections()) {
    groups_.push_back(buildGroup(section, content));
    column->addWidget(groups_.back().box);
  }
  nothingFound_ = new QLabel(tr("No matching keys."), content);
  nothingFound_->setAlignment(Qt::AlignCenter);
  setRole(nothingFound_, "muted");
  nothingFound_->hide();
  column->addWidget(nothingFound_);
  column->addStretch();
  scroll_->setWidget(content);
  chainTabs();
}

bool ConfigForm::isTabStop(const QWidget* widget) const {
  const bool isInPopup = widget->window() != window();  // such as a combo box's list
  return !isInPopup && (widget->focusPolicy() & Qt::TabFocus) != 0 && !widget->focusProxy();
}

/// Tab goes from the view to the rows as they stand: they are the last widgets of the window to be
/// made.
void ConfigForm::chainTabs() {
  QWidget* previous = scroll_;
  const auto add = [&previous](QWidget* next) {
    setTabOrder(previous, next);
    previous = next;
  };
  for (const Group& group : groups_) {
    if (group.more != nullptr) add(group.more);
    for (const FieldRow* row : group.rows)
      for (QWidget* stop : row->findChildren<QWidget*>())
        if (isTabStop(stop)) add(stop);
  }
}

ConfigForm::Group ConfigForm::buildGroup(const std::string& section, QWidget* content) {
  Group group{section, new QWidget(content), nullptr, {}};
  const std::vector<const config::Field*> fields = fieldsOf(section);
  const auto folded =
      std::ranges::count_if(fields, [](const auto* field) { return !isCommon(field->key); });
  auto* column = new QVBoxLayout(group.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(buildHead(group, static_cast<int>(folded)));
  for (const config::Field* field : fields) {
    group.rows.push_back(buildRow(*field, group.box));
    column->addWidget(group.rows.back());
  }
  return group;
}

/// `folded`: number of keys that are not common.
QLayout* ConfigForm::buildHead(Group& group, int folded) {
  const std::string& section = group.section;
  const bool isSub = section.find('.') != std::string::npos;
  auto* title = new QLabel(isSub ? sectionTitle(section.substr(0, section.find('.'))) %
                                       QStringLiteral(" › ") % sectionTitle(section)
                                 : sectionTitle(section),
                           group.box);
  title->setFont(interfaceFont(13, QFont::DemiBold));
  auto* help = new ElidedLabel(sectionHelpOf(section), Qt::ElideRight, group.box);
  help->setFont(interfaceFont(11));
  help->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setRole(help, "faint");
  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 6, 4, 2);
  head->setSpacing(10);
  head->addWidget(title);
  head->addWidget(help, 1);
  if (folded == 0) return head;
  group.more = new FoldButton(group.box);
  group.more->setTitle(folded == static_cast<int>(fieldsOf(section).size())
                           ? tr("%n key(s)", "", folded)
                           : tr("%n more key(s)", "", folded));
  setRole(group.more, "small");
  group.more->setAccessibleName(group.more->text() % QLatin1Char(' ') % title->text());
  connect(group.more, &FoldButton::openChanged, this, &ConfigForm::applyFilter);
  head->addWidget(group.more);
  return head;
}

FieldRow* ConfigForm::buildRow(const config::Field& field, QWidget* box) {
  auto* row = new FieldRow(
      field, [this] { return QFileInfo(file_).absolutePath(); }, box);
  rows_[field.key] = row;
  const QString key = QString::fromStdString(field.key);
  connect(row, &FieldRow::edited, this, [this, &field, key](const QString& typed) {
    if (typed.isEmpty()) {
      Q_EMIT valueRemoved(key);
    } else {
      Q_EMIT valueEdited(key, QString::fromStdString(yamlOf(field, typed)));
    }
  });
  connect(row, &FieldRow::resetRequested, this, [this, key] { Q_EMIT valueRemoved(key); });
  connect(row, &FieldRow::otherTaken, this, [this, key] {
    Q_EMIT valueEdited(key, QString::fromStdString(others_.at(key.toStdString())));
  });
  connect(row, &FieldRow::focused, this, [this, key] { Q_EMIT keyFocused(key); });
  connect(row, &FieldRow::pointedAt, this, [this, &field] { explain(field.key); });
  return row;
}

void ConfigForm::connectSignals() {
  connect(search_, &QLineEdit::textChanged, this, &ConfigForm::applyFilter);
  search_->installEventFilter(this);
  connect(onlyGiven_, &QToolButton::toggled, this, &ConfigForm::applyFilter);
  connect(allKeys_, &QToolButton::toggled, this, &ConfigForm::unfoldAll);
  addNamedAction(this, ActionPlace::Configure, kAllKeys, tr("Show or fold the rare keys"), {},
                 [this] { allKeys_->toggle(); });
  addNamedAction(this, ActionPlace::Configure, kOnlyGiven, tr("Only the keys set in this file"), {},
                 [this] { onlyGiven_->toggle(); });
  connect(sections_, &SectionList::sectionChosen, this,
          [this](const QString& section) { showSection(section.toStdString()); });
  connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, this, &ConfigForm::followScroll);
}

void ConfigForm::setState(const DocumentState& state, const QString& file) {
  if (groups_.empty()) buildGroups();
  file_ = file;
  for (const Group& group : groups_)
    for (FieldRow* row : group.rows) row->setState(fieldState(row->field(), state, file));
  sections_->setCounts(sectionCounts(state));
  noteReasons();
  applyFilter();
}

void ConfigForm::setDifference(const QString& name,
                               const std::vector<config::ConfigDifference>& differences) {
  others_.clear();
  for (const config::ConfigDifference& each : differences) others_[each.key] = each.right;
  for (const auto& [key, row] : rows_) {
    const auto other = others_.find(key);
    row->setOther(other == others_.end()
                      ? QString()
                      : tr("%1: %2").arg(name, QString::fromStdString(other->second)));
  }
  noteReasons();
  if (!groups_.empty()) applyFilter();
}

void ConfigForm::reset() {
  kept_.clear();
  for (const auto& [key, row] : rows_) row->editor()->forgetTyping();
}

void ConfigForm::noteReasons() {
  for (const auto& [key, row] : rows_)
    if ((row->state().value.isGiven && !row->state().repeats) || !row->state().error.isEmpty() ||
        row->isOther())
      kept_.insert(key);
}

void ConfigForm::unfoldAll(bool isOpen) {
  for (const Group& group : groups_)
    if (group.more != nullptr) group.more->setOpen(isOpen);
  applyFilter();
}

void ConfigForm::setUnreadable(const QString& reason) {
  unreadable_->setText(reason);
  unreadable_->setVisible(!reason.isEmpty());
  if (!reason.isEmpty()) sections_->hideErrors();  // they were of an earlier text
  scroll_->widget()->setEnabled(reason.isEmpty());
}

void ConfigForm::finishTyping() {
  for (const auto& [key, row] : rows_) row->editor()->finishTyping();
}

FieldRow* ConfigForm::row(const std::string& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : found->second;
}

void ConfigForm::showKey(const QString& key) {
  FieldRow* target = row(key.toStdString());
  if (target == nullptr) return;
  if (target->isHidden()) {
    onlyGiven_->setChecked(false);
    search_->clear();
    kept_.insert(target->field().key);
    applyFilter();
  }
  scroll_->ensureWidgetVisible(target, 0, 80);
  target->editor()->setFocus(Qt::OtherFocusReason);
  target->flash();
}

void ConfigForm::reveal(const std::string& key) {
  FieldRow* target = row(key);
  if (target == nullptr || target->isHidden()) return;
  scroll_->ensureWidgetVisible(target, 0, 60);
}

void ConfigForm::explain(const std::string& key) {
  const config::Field* field = config::findField(key);
  if (field == nullptr) {
    if (key.empty() || !config::isSection(key)) return;
    helpKey_->setText(QString::fromStdString(key));
    helpFacts_->setText(tr("section"));
    helpText_->setText(sectionHelpOf(key));
    return;
  }
  helpKey_->setText(QString::fromStdString(key));
  helpFacts_->setText(factsOf(*field));
  helpText_->setText(fieldHelpOf(*field));
}

void ConfigForm::focusRows() { scroll_->setFocus(Qt::OtherFocusReason); }

void ConfigForm::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

/// Return and Down go from the search to what it found.
bool ConfigForm::eventFilter(QObject* watched, QEvent* event) {
  if (watched == search_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool goesOn = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Down;
    if (goesOn && focusFirstRow()) return true;
  }
  return QWidget::eventFilter(watched, event);
}

/// False if no row can take it.
bool ConfigForm::focusFirstRow() {
  for (const Group& group : groups_) {
    for (FieldRow* row : group.rows) {
      if (row->isHidden() || group.box->isHidden() || !row->editor()->isEnabled()) continue;
      scroll_->ensureWidgetVisible(row, 0, 60);
      row->editor()->setFocus(Qt::TabFocusReason);
      return true;
    }
  }
  return false;
}

void ConfigForm::applyFilter() {
  if (groups_.empty()) return;  // there is no document yet
  const QStringList words = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  bool anyShown = false;
  for (const Group& group : groups_) {
    bool groupShown = false;
    for (FieldRow* row : group.rows) {
      const bool rowShown = isShown(group, *row, words);
      row->setVisible(rowShown);
      groupShown = groupShown || rowShown;
    }
    const bool isWhole = words.isEmpty() && !onlyGiven_->isChecked();
    if (group.more != nullptr) group.more->setVisible(isWhole);
    groupShown = groupShown || isWhole;
    group.box->setVisible(groupShown);
    anyShown = anyShown || groupShown;
  }
  if (nothingFound_ != nullptr) nothingFound_->setVisible(!anyShown);
  scroll_->widget()->layout()->activate();
  followScroll();
}

/// A search finds folded keys too.
bool ConfigForm::isShown(const Group& group, const FieldRow& row, const QStringList& words) const {
  const config::Field& field = row.field();
  if (onlyGiven_->isChecked() && !row.state().value.isGiven) return false;
  if (!words.isEmpty()) return matchesWords(field, words);
  return onlyGiven_->isChecked() || isCommon(field.key) || kept_.contains(field.key) ||
         (group.more != nullptr && group.more->isOpen());
}

void ConfigForm::showSection(const std::string& section) {
  for (const Group& group : groups_) {
    if (group.section != section || group.box->isHidden()) continue;
    if (std::ranges::all_of(group.rows, &FieldRow::isHidden) && group.more != nullptr) {
      group.more->setOpen(true);
      applyFilter();
    }
    isJumping_ = true;
    scroll_->verticalScrollBar()->setValue(group.box->y());
    isJumping_ = false;
    explain(section);
  }
}

/// Makes the section at the top of the view the current one.
void ConfigForm::followScroll() {
  if (isJumping_ || groups_.empty()) return;
  const int top = scroll_->verticalScrollBar()->value() + 8;
  for (const Group& group : groups_) {
    if (group.box->isHidden() || group.box->geometry().bottom() < top) continue;
    return sections_->showCurrent(group.section);
  }
}

}  // namespace lockstep::widgets
