#include "widgets/role.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QFrame>
#include <QHeaderView>
#include <QMenu>
#include <QPalette>
#include <QVariant>
#include <algorithm>
#include <array>
#include <optional>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSmallPx = 12;

struct TextRole {
  const char* name;
  QColor Theme::*color;
  QFont (*font)();  ///< nullptr: as it is
};

constexpr std::array<TextRole, 9> kTextRoles{{
    {"heading", &Theme::text, [] { return interfaceFont(13, QFont::DemiBold); }},
    {"section", &Theme::textMuted, [] { return interfaceFont(kSmallPx, QFont::DemiBold); }},
    {"given", &Theme::text, [] { return interfaceFont(13, QFont::DemiBold); }},
    {"muted", &Theme::textMuted, nullptr},
    {"faint", &Theme::textFaint, nullptr},
    {"mono", &Theme::text, [] { return monoFont(kSmallPx); }},
    {"error", &Theme::error, nullptr},
    {"warning", &Theme::warning, nullptr},
    {"good", &Theme::good, nullptr},
}};

/// For text of the widget, faint while it is disabled.
void setTextColor(QPalette& palette, const QColor& color) {
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(role, color);
    palette.setColor(QPalette::Disabled, role, currentTheme().textFaint);
  }
}

const TextRole* textRole(const QString& role) {
  const auto found = std::ranges::find_if(
      kTextRoles, [&](const TextRole& text) { return role == QLatin1String(text.name); });
  return found == kTextRoles.end() ? nullptr : &*found;
}

/// nullopt: as it is.
std::optional<QFont> buttonFont(const QString& role) {
  if (role == QLatin1String("primary")) return interfaceFont(13, QFont::DemiBold);
  if (role == QLatin1String("small")) return interfaceFont(kSmallPx);
  return std::nullopt;
}

void applyToText(QWidget* widget, const TextRole& role) {
  QPalette palette;
  setTextColor(palette, currentTheme().*role.color);
  widget->setPalette(palette);
  if (role.font) widget->setFont(role.font());
}

/// What a role has given.
void takeRole(QWidget* widget, const QString& role) {
  const bool isButton = qobject_cast<QAbstractButton*>(widget) != nullptr;
  const TextRole* text = isButton ? nullptr : textRole(role);
  if (text) widget->setPalette(QPalette());
  if ((text && text->font) || (isButton && buttonFont(role))) widget->setFont(QFont());
}

void applyToView(QAbstractItemView* view) {
  const Theme& theme = currentTheme();
  const bool isPopup = view->window()->windowType() == Qt::Popup;
  QPalette palette;
  palette.setColor(QPalette::Base, isPopup ? theme.card : theme.panel);
  palette.setColor(QPalette::Highlight, theme.selection);
  palette.setColor(QPalette::HighlightedText, theme.text);
  if (qobject_cast<QHeaderView*>(view)) setTextColor(palette, theme.textMuted);
  view->setPalette(palette);
}

}  // namespace

void applyRole(QWidget* widget) {
  const Theme& theme = currentTheme();
  const QString role = widget->property("role").toString();
  if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
    if (const auto font = buttonFont(role)) button->setFont(*font);
  } else if (auto* view = qobject_cast<QAbstractItemView*>(widget)) {
    applyToView(view);
  } else if (qobject_cast<QMenu*>(widget)) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.card);
    widget->setPalette(palette);
  } else if (role == QLatin1String("divider")) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.divider);
    widget->setPalette(palette);
    widget->setAutoFillBackground(true);
  } else if (const TextRole* text = textRole(role)) {
    applyToText(widget, *text);
  }
}

void setRole(QWidget* widget, const char* role) {
  takeRole(widget, widget->property("role").toString());
  widget->setProperty("role", QString::fromLatin1(role));
  if (auto* frame = qobject_cast<QFrame*>(widget); frame && (qstrcmp(role, "card") == 0)) {
    frame->setFrameShape(QFrame::StyledPanel);
  }
  if (qstrcmp(role, "panel") == 0) widget->setAttribute(Qt::WA_StyledBackground);
  applyRole(widget);
  widget->update();
}

}  // namespace lockstep::widgets
