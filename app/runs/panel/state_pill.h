#pragma once

#include <QString>
#include <QWidget>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"

namespace lockstep::app {

/// A run's state as a coloured label with a dot. Its width is the same for every state of ours; the
/// name of another program, shown instead, may be longer.
class StatePill : public QWidget {
  Q_OBJECT

 public:
  explicit StatePill(QWidget* parent = nullptr);
  void setState(const base::OpenEnum<protocol::RunState>& state);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int widthOf(const QString& text) const;
  base::OpenEnum<protocol::RunState> state_;  ///< empty: no run
};

}  // namespace lockstep::app
