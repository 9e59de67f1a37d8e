#pragma once

#include <QMenu>
#include <QSet>
#include <QStringList>
#include <QVariantMap>
#include <functional>
#include <utility>

namespace lockstep::app {

class RunFacts;
class RunTree;

/// How the list of runs is shown: columns, order, groups, archived runs.
class RunViewMenu : public QMenu {
  Q_OBJECT

 public:
  RunViewMenu(RunTree* tree, const RunFacts* facts, QWidget* parent = nullptr);

  /// All entries as they are now, each submenu's after its title, for a palette.
  QList<std::pair<QString, QList<QAction*>>> entries();
  bool showsArchived() const { return showsArchived_; }
  void showArchived();
  /// Columns, groups or the open menu show what RunFacts reads.
  bool needsFacts() const;
  /// For the settings; without the groups, which are of a folder.
  QVariantMap state() const;
  void restore(const QVariantMap& state);
  /// `by`: "", "folder", "state", "program", "tag", a configuration key, or "/regex/" over the
  /// name: its first group, else what it matches.
  void groupBy(const QString& by);

 Q_SIGNALS:
  /// By a person.
  void groupingChosen(const QString& by);
  void archivedToggled();
  /// needsFacts() became true.
  void factsWanted();

 private:
  void fill();
  void fillColumns(QMenu* menu);
  void fillOrder(QMenu* menu);
  void fillGroups(QMenu* menu);
  /// A submenu of keys, filled when it is opened and again once facts are read.
  void addKeys(QMenu* menu, const QString& title, QStringList (RunViewMenu::*keys)() const,
               const std::function<void(QMenu*, const QString& key)>& add);
  QStringList configKeys() const;
  QStringList metricTags() const;
  void addColumnAction(QMenu* menu, const QString& title, const QString& id);
  void addGroupAction(QMenu* menu, const QString& title, const QString& by);
  void setColumns(const QStringList& ids);
  QStringList columnIds() const;
  void chooseGrouping(const QString& by);
  void askForExpression();

  RunTree* tree_;
  const RunFacts* facts_;
  QString grouping_;
  bool showsArchived_ = false;
  bool showsKeys_ = false;  ///< a submenu of keys has been opened
};

}  // namespace lockstep::app
