#pragma once

#include <QLineEdit>

namespace lockstep::widgets {

/// Finds classes by words of their names, above a table of them.
class ClassSearch : public QLineEdit {
  Q_OBJECT

 public:
  explicit ClassSearch(QWidget* parent = nullptr);

  /// Shown where there are more classes than can be read at a glance.
  void showFor(std::size_t classes);
  /// Whether a class of this name is one that is looked for.
  bool finds(const QString& name) const { return name.contains(words(), Qt::CaseInsensitive); }
  QString words() const { return text().trimmed(); }
};

}  // namespace lockstep::widgets
