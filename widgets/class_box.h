#pragma once

#include <QComboBox>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// Any class, or one of them. What is chosen stays wanted, by its name, also where there is no such
/// class.
class ClassBox : public QComboBox {
  Q_OBJECT

 public:
  struct Class {
    QString name;
    qint64 id;
  };

  /// `name`: of the box, for screen readers and as its tool tip.
  /// `any`: its first item, which stands for no class.
  explicit ClassBox(const QString& name, const QString& any = tr("Any class"),
                    QWidget* parent = nullptr);

  /// Emits nothing. Hidden where there is no choice.
  void setClasses(const std::vector<Class>& classes);
  /// Its id; std::nullopt: any.
  std::optional<qint64> chosen() const;
  /// Any where it is not there.
  void choose(std::optional<qint64> id);
  /// Empty: any.
  const QString& wanted() const { return wanted_; }
  void want(const QString& name);

 private:
  QString any_, wanted_;
};

}  // namespace lockstep::widgets
