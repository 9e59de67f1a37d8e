#include "app/main_window/monitor_cards.h"

namespace lockstep::app {
namespace {

CardPlan lossCard(const QString& title, const char* head, int row, int column) {
  const std::string name = std::string("loss_") + head;
  CardPlan card;
  card.title = title;
  card.curves = {{"train/" + name, QStringLiteral("train")},
                 {"eval/" + name, QStringLiteral("held-out"), true, false, false, true, false}};
  card.row = row;
  card.column = column;
  card.emptyText = QStringLiteral("No step yet");
  return card;
}

CardPlan plainCard(const QString& title, std::vector<CardCurve> curves, int row, int column) {
  CardPlan card;
  card.title = title;
  card.curves = std::move(curves);
  card.row = row;
  card.column = column;
  card.yLeast = 0;
  card.emptyText = QStringLiteral("No step yet");
  return card;
}

}  // namespace

std::vector<CardPlan> monitorCards() {
  std::vector<CardPlan> cards;
  cards.push_back(lossCard(QStringLiteral("Loss: training and held-out"), "total", 0, 0));
  cards.back().rowSpan = 2;
  cards.back().columnSpan = 3;
  cards.back().curves.back().markLowest = true;
  cards.back().emptyText = QStringLiteral("The first step has not come yet");

  cards.push_back(
      plainCard(QStringLiteral("AP"),
                {{"eval/segm/AP", QStringLiteral("mask"), true, true, false, false, false},
                 {"eval/bbox/AP", QStringLiteral("box"), true, false, false, false, false}},
                0, 3));
  cards.back().ignoreOutliers = false;
  cards.back().emptyText = QStringLiteral("AP was not due yet: evaluation.ap_every");
  cards.push_back(
      plainCard(QStringLiteral("Learning rate"),
                {{"solver/lr", QStringLiteral("lr"), false, false, false, false, false}}, 1, 3));
  cards.back().ignoreOutliers = false;

  cards.push_back(lossCard(QStringLiteral("Mask"), "mask", 2, 0));
  cards.push_back(lossCard(QStringLiteral("Box regression"), "box_reg", 2, 1));
  cards.push_back(lossCard(QStringLiteral("Classifier"), "classifier", 2, 2));
  cards.push_back(lossCard(QStringLiteral("Objectness"), "objectness", 2, 3));
  cards.push_back(lossCard(QStringLiteral("RPN box regression"), "rpn_box_reg", 3, 0));
  cards.push_back(plainCard(QStringLiteral("Time per step"),
                            {{"time/step_seconds", QStringLiteral("step")},
                             {"time/data_seconds", QStringLiteral("data")}},
                            3, 1));
  cards.push_back(plainCard(QStringLiteral("Images per second"),
                            {{"time/images_per_second", QStringLiteral("images/s")}}, 3, 2));
  cards.push_back(plainCard(QStringLiteral("Gradient norm"),
                            {{"solver/grad_norm", QStringLiteral("norm")}}, 3, 3));
  return cards;
}

}  // namespace lockstep::app
