#include "widgets/config_editor/section_list.h"

#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>

#include "widgets/experiment/field_words.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSectionRole = Qt::UserRole, kGivenRole = Qt::UserRole + 1,
              kErrorsRole = Qt::UserRole + 2;
constexpr int kRowPx = 26, kSubRowPx = 22;

class SectionDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return {100, scaledPx(isSubSection(index) ? kSubRowPx : kRowPx)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Theme& theme = currentTheme();
    const bool isChosen = option.state.testFlag(QStyle::State_Selected);
    const bool isSub = isSubSection(index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (isChosen || option.state.testFlag(QStyle::State_MouseOver)) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(isChosen ? theme.selection : theme.hover);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(4, 1, -4, -1), 5, 5);
    }
    const QRect inner = option.rect.adjusted(isSub ? 24 : 12, 0, -10, 0);
    painter->setFont(interfaceFont(isSub ? 12 : 13));
    painter->setPen(isChosen ? theme.text : theme.textMuted);
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
    const int given = index.data(kGivenRole).toInt(), errors = index.data(kErrorsRole).toInt();
    painter->setFont(monoFont(11));
    painter->setPen(errors > 0 ? theme.error : theme.accent);
    const QString count = errors > 0  ? QStringLiteral("! %1").arg(errors)
                          : given > 0 ? QString::number(given)
                                      : QString();
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, count);
    painter->restore();
  }

 private:
  static bool isSubSection(const QModelIndex& index) {
    return index.data(kSectionRole).toString().contains(QLatin1Char('.'));
  }
};

}  // namespace

SectionList::SectionList(QWidget* parent) : QListWidget(parent) {
  setItemDelegate(new SectionDelegate(this));
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFixedWidth(scaledPx(146));
  setAccessibleName(tr("Sections"));
  for (const std::string& section : allSections()) {
    auto* item = new QListWidgetItem(sectionTitle(section), this);
    item->setData(kSectionRole, QString::fromStdString(section));
    item->setToolTip(QString::fromStdString(config::sectionHelp(section)));
  }
  connect(this, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* now) {
    if (now != nullptr) Q_EMIT sectionChosen(now->data(kSectionRole).toString());
  });
  // A click on the current section scrolls to it again.
  connect(this, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) {
    Q_EMIT sectionChosen(item->data(kSectionRole).toString());
  });
}

void SectionList::setCounts(const std::map<std::string, SectionCounts>& counts) {
  for (int row = 0; row < count(); ++row) {
    const auto found = counts.find(item(row)->data(kSectionRole).toString().toStdString());
    item(row)->setData(kGivenRole, found == counts.end() ? 0 : found->second.given);
    item(row)->setData(kErrorsRole, found == counts.end() ? 0 : found->second.errors);
  }
}

void SectionList::hideErrors() {
  for (int row = 0; row < count(); ++row) item(row)->setData(kErrorsRole, 0);
}

void SectionList::showCurrent(const std::string& section) {
  const QSignalBlocker blocker(this);
  for (int row = 0; row < count(); ++row) {
    if (item(row)->data(kSectionRole).toString().toStdString() == section) setCurrentRow(row);
  }
}

}  // namespace lockstep::widgets
