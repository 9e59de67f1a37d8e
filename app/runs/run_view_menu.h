#pragma once

#include <QMenu>
#include <QSet>
#include <QStringList>
#include <QVariantMap>

namespace lockstep::app {

class RunTree;

/// How the list of runs is shown: columns, order, groups, archived runs.
class RunViewMenu : public QMenu {
  Q_OBJECT

 public:
  explicit RunViewMenu(RunTree* tree, QWidget* parent = nullptr);

  bool showsArchived() const { return showsArchived_; }
  /// For the settings.
  QVariantMap state() const;
  void restore(const QVariantMap& state);

 Q_SIGNALS:
  void archivedToggled();

 private:
  void fill();
  void fillColumns(QMenu* menu);
  void fillOrder(QMenu* menu);
  void fillGroups(QMenu* menu);
  void setColumns(const QStringList& ids);
  QStringList columnIds() const;
  /// `by`: "", "folder", "state", "program", "tag", or "/regex/" over the name: its first group,
  /// else what it matches.
  void groupBy(const QString& by);
  void askForExpression();

  RunTree* tree_;
  QString grouping_;
  bool showsArchived_ = false;
};

}  // namespace lockstep::app
