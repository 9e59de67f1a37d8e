#include "app/predictions_page/inspected_instance.h"

#include <cmath>

#include "engine/coco/evaluation/params.h"
#include "widgets/curves/number_text.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
namespace {

/// `small (S)`
QString sizeText(double areaPx) {
  const QString name =
      QLatin1String(coco::kObjectSizeNames[static_cast<std::size_t>(coco::sizeOf(areaPx))]);
  return QStringLiteral("%1 (%2)").arg(name, name.left(1).toUpper());
}

QString boxText(const std::array<double, 4>& boxXywh) {
  QStringList texts;
  for (const double each : boxXywh) texts.append(QString::number(each, 'f', 1));
  return texts.join(QStringLiteral(", "));
}

}  // namespace

Inspected inspectedInstance(const widgets::PredictionsView& view) {
  const auto chosen = view.chosenInstance();
  const auto image = view.shownImage();
  Inspected thing{Inspected::tr("Instance"),
                  Inspected::tr("Click one on the image or in the table")};
  if (!chosen || !image) return thing;
  const widgets::InstanceFacts& facts = chosen->facts;
  thing.value = chosen->className;
  thing.add(Inspected::tr("Verdict"), widgets::verdictName(facts.verdict));
  thing.add(Inspected::tr("Error type"), widgets::errorName(facts));
  thing.add(Inspected::tr("Why missed"), chosen->whyMissed);
  if (std::isfinite(facts.score)) thing.add(Inspected::tr("Score"), widgets::rateText(facts.score));
  thing.add(
      facts.annotation >= 0 ? Inspected::tr("IoU with its object") : Inspected::tr("Highest IoU"),
      widgets::rateText(facts.iou));
  if (!chosen->objectName.isEmpty())
    thing.add(Inspected::tr("Object and IoU"),
              chosen->objectName % u' ' % widgets::rateText(facts.objectIou));
  thing.add(Inspected::tr("Area"),
            Inspected::tr("%1 px²").arg(widgets::countText(std::llround(facts.areaPx))));
  thing.add(Inspected::tr("Size"), sizeText(facts.areaPx));
  thing.add(Inspected::tr("Box x, y, w, h"), boxText(facts.boxXywh));
  thing.add(Inspected::tr("Category id"), QString::number(facts.category.value));
  thing.add(Inspected::tr("Image"), QString::fromStdString(image->fileName));
  thing.add(Inspected::tr("Image id"), QString::number(image->id.value));
  thing.add(Inspected::tr("Image size"),
            Inspected::tr("%1 × %2 px").arg(image->width).arg(image->height));
  thing.add(Inspected::tr("Step"), QString::number(view.currentCheckpoint()));
  return thing;
}

}  // namespace lockstep::app
