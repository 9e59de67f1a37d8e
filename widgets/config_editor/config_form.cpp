#include "widgets/config_editor/config_form.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
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
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Fits a name, a value of a few digits, the reset arrow and the scroll bar.
constexpr int kMinRowsPx = 372;
/// Fits a key and three lines of its help, so that few texts change the height of the strip.
constexpr int kMinHelpPx = 90;

}  // namespace

ConfigForm::ConfigForm(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

void ConfigForm::buildUi() {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search keys"));
  search_->setClearButtonEnabled(true);
  search_->setAccessibleName(tr("Search keys"));
  onlyGiven_ = new QToolButton;
  onlyGiven_->setText(tr("Overrides only"));
  onlyGiven_->setToolTip(tr("Only the keys set in this file"));
  onlyGiven_->setCheckable(true);
  setRole(onlyGiven_, "quiet");
  sections_ = new SectionList;
  scroll_ = new QScrollArea;
  scroll_->setAccessibleName(tr("Form"));
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setMinimumWidth(kMinRowsPx);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 8, 12, 4);
  top->addWidget(search_, 1);
  top->addWidget(onlyGiven_);
  unreadable_ = new QLabel;
  unreadable_->setWordWrap(true);
  unreadable_->setFont(interfaceFont(12));
  unreadable_->setContentsMargins(14, 2, 12, 6);
  setRole(unreadable_, "error");
  unreadable_->hide();
  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addLayout(top);
  right->addWidget(unreadable_);
  right->addWidget(scroll_, 1);
  right->addWidget(buildHelp());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(sections_);
  row->addLayout(right, 1);
}

/// Without the section list, which is hidden when there is no room for it.
QSize ConfigForm::minimumSizeHint() const {
  return {kMinRowsPx, QWidget::minimumSizeHint().height()};
}

void ConfigForm::resizeEvent(QResizeEvent* event) {
  sections_->setVisible(width() >= kMinRowsPx + sections_->minimumWidth());
  QWidget::resizeEvent(event);
}

QWidget* ConfigForm::buildHelp() {
  auto* strip = new QWidget;
  strip->setMinimumHeight(kMinHelpPx);
  setRole(strip, "panel");
  helpKey_ = new ElidedLabel(Qt::ElideMiddle);
  setRole(helpKey_, "mono");
  helpFacts_ = new ElidedLabel(Qt::ElideRight);
  helpFacts_->setFont(interfaceFont(11));
  setRole(helpFacts_, "faint");
  helpText_ = new QLabel(tr("Hover over a key to see what it does."));
  helpText_->setFont(interfaceFont(12));
  helpText_->setTextFormat(Qt::PlainText);
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
  auto* column = new QVBoxLayout(strip);
  column->setContentsMargins(14, 6, 12, 6);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(helpText_, 1);
  helpFacts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  return strip;
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
}

ConfigForm::Group ConfigForm::buildGroup(const std::string& section, QWidget* content) {
  Group group{section, new QWidget(content), {}};
  const bool isSub = section.find('.') != std::string::npos;
  auto* title = new QLabel(isSub ? sectionTitle(section.substr(0, section.find('.'))) %
                                       QStringLiteral(" › ") % sectionTitle(section)
                                 : sectionTitle(section),
                           group.box);
  title->setFont(interfaceFont(13, QFont::DemiBold));
  auto* help = new ElidedLabel(sectionHelpOf(section), Qt::ElideRight,
                               group.box);
  help->setFont(interfaceFont(11));
  help->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setRole(help, "faint");
  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 6, 4, 2);
  head->setSpacing(10);
  head->addWidget(title);
  head->addWidget(help, 1);
  auto* column = new QVBoxLayout(group.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  for (const config::Field& field : config::fields()) {
    if (sectionOf(field.key) != section) continue;
    group.rows.push_back(buildRow(field, group.box));
    column->addWidget(group.rows.back());
  }
  return group;
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
  connect(row, &FieldRow::focused, this, [this, key] { Q_EMIT keyFocused(key); });
  connect(row, &FieldRow::pointedAt, this, [this, &field] { explain(field.key); });
  return row;
}

void ConfigForm::connectSignals() {
  connect(search_, &QLineEdit::textChanged, this, &ConfigForm::applyFilter);
  connect(onlyGiven_, &QToolButton::toggled, this, &ConfigForm::applyFilter);
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
  if (onlyGiven_->isChecked()) applyFilter();
}

void ConfigForm::setUnreadable(const QString& reason) {
  unreadable_->setText(reason);
  unreadable_->setVisible(!reason.isEmpty());
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

void ConfigForm::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void ConfigForm::applyFilter() {
  const QStringList words = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  bool anyShown = false;
  for (const Group& group : groups_) {
    bool groupShown = false;
    for (FieldRow* row : group.rows) {
      const bool isShown = matchesWords(row->field(), words) &&
                           (!onlyGiven_->isChecked() || row->state().value.isGiven);
      row->setVisible(isShown);
      groupShown = groupShown || isShown;
    }
    group.box->setVisible(groupShown);
    anyShown = anyShown || groupShown;
  }
  if (nothingFound_ != nullptr) nothingFound_->setVisible(!anyShown);
  scroll_->widget()->layout()->activate();
  followScroll();
}

void ConfigForm::showSection(const std::string& section) {
  for (const Group& group : groups_) {
    if (group.section != section || group.box->isHidden()) continue;
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
