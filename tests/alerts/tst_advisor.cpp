#include <QTest>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "engine/alerts/advisor.h"
#include "engine/config/learning_rate_schedule.h"
#include "engine/config/load.h"
#include "engine/events/tags.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::alerts;

namespace {

namespace tags = events::tags;
using Figure = std::function<double(std::int64_t)>;  // of a step
using Kinds = std::vector<std::string>;

Figure always(double value) {
  return [value](std::int64_t) { return value; };
}

/// The figures of a healthy training, and of one with a problem where a test changes them. The
/// learning rate warms up for 50 steps.
struct MadeRun {
  std::string experiment = "solver: {base_lr: 0.02, warmup_steps: 50, max_steps: 1000}\n";
  std::map<std::string, Figure> figures{
      {tags::kTrainTotalLoss, [](std::int64_t step) { return 4.0 / (1 + 0.01 * double(step)); }},
      {tags::kLearningRate, always(0.02)},
      {tags::kGradientNorm, [](std::int64_t step) { return step % 2 ? 4 : 5; }},
      {tags::kDataSeconds, always(0.01)},
      {tags::kStepSeconds, always(0.5)},
      {tags::kRpnRecall, always(0.97)},
      {"grad_norm/part/stem", always(0.5)},
      {"grad_norm/part/layer1", always(1)},
      {"grad_norm/part/box_head", always(2)},
      {"grad_norm/part/mask_head", always(1)},
      {"update_ratio/backbone.body.conv1.weight", always(0.001)},
      {"update_ratio/roi_heads.box_head.fc6.weight", always(0.002)},
      {"update_ratio/rpn.head.conv.0.0.weight", always(0.003)}};
  std::map<std::string, Figure> evaluated{{tags::kMaskAp, always(0.3)}};
  std::int64_t steps = 400;

  std::vector<protocol::Alert> alerts() const {
    Advisor advisor;
    std::vector<protocol::Alert> result;
    train(advisor, 1, steps, result);
    return result;
  }

  void train(Advisor& advisor, std::int64_t first, std::int64_t last,
             std::vector<protocol::Alert>& result) const {
    const auto add = [&](const protocol::Event& event) {
      for (protocol::Alert& alert : advisor.add(event)) result.push_back(std::move(alert));
    };
    if (!experiment.empty()) add(protocol::Config{.step = first - 1, .experiment = experiment});
    for (std::int64_t step = first; step <= last; ++step) {
      add(scalarsOf(figures, step));
      if (step % 100 == 0) add(scalarsOf(evaluated, step));
    }
  }

  static protocol::Scalars scalarsOf(const std::map<std::string, Figure>& figures,
                                     std::int64_t step) {
    protocol::Scalars scalars;
    scalars.step = step;
    for (const auto& [tag, figure] : figures)
      scalars.values.emplace_back(tag, static_cast<float>(figure(step)));
    return scalars;
  }
};

Kinds kindsOf(const std::vector<protocol::Alert>& alerts) {
  Kinds kinds;
  for (const protocol::Alert& alert : alerts) kinds.push_back(alert.kind.text());
  return kinds;
}

}  // namespace

class TstAdvisor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aHealthyRunGetsNoAdvice();
  void aNoisyRunGetsNoAdvice_data();
  void aNoisyRunGetsNoAdvice();
  void aRangeTestGetsNoAdvice();
  void imagesWithoutObjectsAreNoDeadPart();
  void eachProblemIsFound_data();
  void eachProblemIsFound();
  void eachIsFoundOnce();
  void theWeightOfTheMaskLossIsToBlameFirst();
  void anotherProgramsLogNeedsNoExperiment();
  void whatARunCannotSetIsNotAdvised();
  void aBrokenDownTrainingGetsOneAdvice();
  void aResumeForgetsWhatItDropped();
  void nothingIsSaidBeforeTheEndOfTheWarmup();
  void problemsAreFoundLateInALongRun_data();
  void problemsAreFoundLateInALongRun();
  void aForkWithAnotherExperimentIsAdvisedAnew();
};

void TstAdvisor::aHealthyRunGetsNoAdvice() {
  MadeRun run;
  for (const std::int64_t steps : {10, 100, 1000, 20'000}) {
    run.steps = steps;
    QCOMPARE(kindsOf(run.alerts()), Kinds());
  }
}

void TstAdvisor::aNoisyRunGetsNoAdvice_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<int>("steps");
  for (const int steps : {400, 3000, 30'000}) {
    const std::string length = "max_steps: " + std::to_string(steps) + ", ";
    const std::string milestones = "milestones: [" + std::to_string(steps * 2 / 3) + ", " +
                                   std::to_string(steps * 8 / 9) + "]";
    for (const std::string& schedule :
         {"schedule: step, " + milestones, std::string("schedule: cosine"),
          std::string("schedule: constant"), "schedule: step, optimizer: adamw, " + milestones})
      QTest::addRow("%d steps, %s", steps, schedule.c_str())
          << QString::fromStdString(length + schedule) << steps;
  }
}

/// A loss that falls with a power of the step, with noise of 40 % as of a small batch.
void TstAdvisor::aNoisyRunGetsNoAdvice() {
  QFETCH(QString, solver);
  QFETCH(int, steps);
  const std::string text =
      "solver: {base_lr: 0.02, warmup_steps: 50, " + solver.toStdString() + "}\n";
  const config::LoadedExperiment loaded = config::loadExperimentText(text, {});
  QVERIFY(!loaded.hasErrors());
  const config::LearningRateSchedule schedule(loaded.experiment.solver);
  for (unsigned seed = 1; seed <= (steps > 3000 ? 1 : 5); ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto noisy = [&](double value, double sigma) {
      return value * std::exp(sigma * normal(random));
    };
    MadeRun run;
    run.steps = steps;
    run.experiment = text;
    run.figures[tags::kTrainTotalLoss] = [&](std::int64_t step) {
      return noisy(8 * std::pow(double(step), -0.3), 0.4);
    };
    run.figures[tags::kLearningRate] = [&](std::int64_t step) {
      return schedule.learningRate(step);
    };
    run.figures[tags::kGradientNorm] = [&](std::int64_t) { return noisy(4, 0.4); };
    run.figures[tags::kRpnRecall] = [&](std::int64_t step) {
      return std::min(1.0, noisy(step < 100 ? 0.4 : 0.9, 0.2));
    };
    for (auto& [tag, figure] : run.figures) {
      if (tag.starts_with("grad_norm/"))
        figure = [&, usual = figure(1)](std::int64_t) { return noisy(usual, 0.5); };
      if (tag.starts_with(tags::kUpdateRatios))
        figure = [&](std::int64_t step) { return noisy(0.05 * schedule.learningRate(step), 0.5); };
    }
    double norm = 10;
    run.figures["weight_norm/backbone.body.conv1.weight"] = [&](std::int64_t step) {
      return norm += noisy(0.001 * schedule.learningRate(step), 0.5);
    };
    const auto alerts = run.alerts();
    QVERIFY2(alerts.empty(), alerts.empty() ? "" : alerts[0].text.c_str());
  }
}

void TstAdvisor::aRangeTestGetsNoAdvice() {
  MadeRun run;
  run.figures[tags::kFindLrLoss] = always(1);
  run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) { return step < 100 ? 2 : 1000; };
  QCOMPARE(kindsOf(run.alerts()), Kinds());
}

void TstAdvisor::imagesWithoutObjectsAreNoDeadPart() {
  MadeRun run;
  run.figures["grad_norm/part/mask_head"] = [](std::int64_t step) { return step % 5 < 3 ? 0 : 1; };
  QCOMPARE(kindsOf(run.alerts()), Kinds());
}

using Change = std::function<void(MadeRun&)>;
Q_DECLARE_METATYPE(Change)

void TstAdvisor::eachProblemIsFound_data() {
  QTest::addColumn<Change>("change");
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("key");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* kind, const char* key, const char* value, const char* text,
                      const Change& change) {
    QTest::addRow("%s %s", kind, value) << change << kind << key << value << text;
  };
  row("gradient_imbalance", "model.box_head.regression_weights", "[20, 20, 10, 10]",
      "The mask head's gradients are 3 times the box head's: median norm 6 against 2 in steps",
      [](MadeRun& run) { run.figures["grad_norm/part/mask_head"] = always(6); });
  row("lr_too_high", "solver.base_lr", "0.001",
      "The learning rate is too high: updates are 2 % of their weights, where 0.1 % is usual",
      [](MadeRun& run) {
        run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) {
          return 2 + 1e-4 * double(step);
        };
        for (auto& [tag, figure] : run.figures)
          if (tag.starts_with(tags::kUpdateRatios)) figure = always(0.02);
      });
  row("lr_too_high", "solver.base_lr", "0.002",
      "The learning rate is too high: the training loss is 10 in steps 21 to 40 (median), and was "
      "3",
      [](MadeRun& run) {
        run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) { return step <= 20 ? 3 : 10; };
      });
  row("lr_too_low", "solver.base_lr", "0.2",
      "The learning rate is too low: updates are 0.001 % of their weights", [](MadeRun& run) {
        for (auto& [tag, figure] : run.figures)
          if (tag.starts_with(tags::kUpdateRatios)) figure = always(1e-5);
      });
  row("short_warmup", "solver.warmup_steps", "200",
      "The warm-up is too short: after its end at step 50 the training loss rose from 2.01 to 4.2 "
      "and took up to step 150 to come down again.",
      [](MadeRun& run) {
        run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) {
          return step > 60 && step <= 80 ? 4.2 : 2 - 1e-3 * double(step - 50);
        };
      });
  row("plateau", "solver.milestones", "[360]",
      "The training loss hardly falls any more: 1.51 in steps", [](MadeRun& run) {
        run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) {
          return step < 50 ? 3 : 1.5 + 0.01 * double(step % 3);
        };
      });
  row("anchor_mismatch", "model.anchors.sizes", "[16, 32, 64, 128, 256]",
      "The RPN proposes only 30 % of the objects with an IoU of 0.5 or more", [](MadeRun& run) {
        run.figures[tags::kRpnRecall] = always(0.3);
        run.figures["rpn/matched/p2"] = always(20);
        run.figures["rpn/matched/p3"] = always(2);
      });
  row("class_not_found", "dataset.repeat_threshold", "0.1",
      "Never found: 1 of 2 classes (category id 7), with an AP of 0 at all of 3 evaluations, while "
      "the "
      "mask AP of all classes is 0.3.",
      [](MadeRun& run) {
        run.evaluated["eval/segm/AP/class/3"] = always(0.6);
        run.evaluated["eval/segm/AP/class/7"] = always(0);
      });
  row("class_not_found", "dataset.repeat_threshold", "0.1",
      "Never found: 1 of 2 classes (category id 7), with an AP of 0 at all of", [](MadeRun& run) {
        run.evaluated.clear();
        run.evaluated[tags::kBoxAp] = always(0.3);
        run.evaluated["eval/bbox/AP/class/3"] = always(0.6);
        run.evaluated["eval/bbox/AP/class/7"] = always(0);
      });
  row("data_starved", "dataset.loader_threads", "8",
      "Training waits for images for 40 % of its time: 0.2 s of 0.5 s per step", [](MadeRun& run) {
        run.experiment += "dataset: {loader_threads: 4}\n";
        run.figures[tags::kDataSeconds] = always(0.2);
      });
  row("data_starved", "dataset.cache", "ram",
      "Training waits for images for 40 % of its time: 0.2 s of 0.5 s",
      [](MadeRun& run) { run.figures[tags::kDataSeconds] = always(0.2); });
  row("data_starved", "", "", "Training waits for images for 40 % of its time: 0.2 s of 0.5 s",
      [](MadeRun& run) {
        run.experiment += "dataset: {cache: ram}\n";
        run.figures[tags::kDataSeconds] = always(0.2);
      });
  row("constant_clipping", "solver.clip_grad_norm", "10",
      "The gradients were clipped at 100 % of the steps 61 to 160: their median norm is 5, "
      "solver.clip_grad_norm 2. Set it to 10,",
      [](MadeRun& run) {
        run.experiment = "solver: {base_lr: 0.02, warmup_steps: 50, clip_grad_norm: 2}\n";
      });
  row("constant_clipping", "", "",
      "The gradients were clipped at 100 % of the steps 61 to 160: their median norm is 5, "
      "solver.clip_grad_norm 0.5. Set it to 10 and solver.base_lr to 0.002,",
      [](MadeRun& run) {
        run.experiment = "solver: {base_lr: 0.02, warmup_steps: 50, clip_grad_norm: 0.5}\n";
      });
  row("dead_part", "solver.base_lr", "0.002",
      "Part layer1 does not learn: its gradient norm is 0 at most in steps 51 to 100",
      [](MadeRun& run) { run.figures["grad_norm/part/layer1"] = always(0); });
  row("dead_part", "solver.loss_weights.loss_mask", "1", "Part mask_head does not learn",
      [](MadeRun& run) {
        run.experiment =
            "solver: {base_lr: 0.02, warmup_steps: 50, loss_weights: {loss_mask: 0}}\n";
        run.figures["grad_norm/part/mask_head"] = always(0);
      });
  row("exploding_part", "solver.clip_grad_norm", "10",
      "The gradients of part stem explode: their norm is 50 in steps", [](MadeRun& run) {
        run.figures["grad_norm/part/stem"] = [](std::int64_t step) {
          return step > 300 ? 50 : 0.5;
        };
      });
  row("weight_norm_jump", "solver.schedule", "cosine",
      "The weight norms of 1 of 1 parameter jump at step 200, where the learning rate falls",
      [](MadeRun& run) {
        run.experiment = "solver: {warmup_steps: 50, milestones: [200, 300], max_steps: 400}\n";
        run.figures[tags::kLearningRate] = [](std::int64_t step) {
          return step > 200 ? 0.002 : 0.02;
        };
        run.figures["weight_norm/backbone.body.conv1.weight"] = [](std::int64_t step) {
          return 10 + 1e-3 * double(step) + (step > 200 ? 2 : 0);
        };
      });
}

void TstAdvisor::eachProblemIsFound() {
  QFETCH(Change, change);
  QFETCH(QString, kind);
  QFETCH(QString, key);
  QFETCH(QString, value);
  QFETCH(QString, text);
  MadeRun run;
  change(run);
  const auto alerts = run.alerts();
  QCOMPARE(kindsOf(alerts), Kinds{kind.toStdString()});
  QCOMPARE(alerts[0].key, key.toStdString());
  QCOMPARE(alerts[0].value, value.toStdString());
  QVERIFY2(alerts[0].text.starts_with(text.toStdString()), alerts[0].text.c_str());
  QVERIFY(alerts[0].from >= 1 && alerts[0].from <= alerts[0].to && alerts[0].to <= run.steps);
  QVERIFY(!alerts[0].tags.empty());
  for (const std::string& tag : alerts[0].tags)
    QVERIFY2(
        run.figures.contains(tag) || run.evaluated.contains(tag) || tag.starts_with("rpn/matched/"),
        tag.c_str());
}

void TstAdvisor::eachIsFoundOnce() {
  MadeRun run;
  run.steps = 2000;
  run.figures["grad_norm/part/mask_head"] = always(6);
  run.figures[tags::kDataSeconds] = always(0.3);
  QCOMPARE(kindsOf(run.alerts()), (Kinds{"gradient_imbalance", "data_starved"}));
}

void TstAdvisor::theWeightOfTheMaskLossIsToBlameFirst() {
  MadeRun run;
  run.experiment = "solver: {base_lr: 0.02, warmup_steps: 50, loss_weights: {loss_mask: 10}}\n";
  run.figures["grad_norm/part/mask_head"] = always(6);
  const auto alerts = run.alerts();
  QCOMPARE(kindsOf(alerts), Kinds{"gradient_imbalance"});
  QCOMPARE(alerts[0].key, "solver.loss_weights.loss_mask");
  QCOMPARE(alerts[0].value, "1");
}

void TstAdvisor::anotherProgramsLogNeedsNoExperiment() {
  MadeRun run;
  run.experiment.clear();
  run.figures = {{tags::kTrainTotalLoss, [](std::int64_t step) { return step <= 20 ? 3 : 10; }}};
  const auto alerts = run.alerts();
  QCOMPARE(kindsOf(alerts), Kinds{"lr_too_high"});
  QCOMPARE(alerts[0].key, "");
}

void TstAdvisor::whatARunCannotSetIsNotAdvised() {
  MadeRun run;
  run.experiment = "key_of_another_version: 1\n";  // nothing can be set in it
  run.evaluated["eval/segm/AP/class/7"] = always(0);
  const auto alerts = run.alerts();
  QCOMPARE(kindsOf(alerts), Kinds{"class_not_found"});
  QVERIFY(alerts[0].text.find("repeat_threshold") == std::string::npos);
}

void TstAdvisor::aBrokenDownTrainingGetsOneAdvice() {
  MadeRun run;
  run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) {
    return step <= 20 ? 3 : step < 60 ? 500 : 1.4;
  };
  run.figures[tags::kRpnRecall] = always(0);
  run.figures["grad_norm/part/layer1"] = always(0);
  QCOMPARE(kindsOf(run.alerts()), Kinds{"lr_too_high"});
}

void TstAdvisor::aResumeForgetsWhatItDropped() {
  MadeRun healthy, starved;
  starved.figures[tags::kDataSeconds] = always(0.3);
  Advisor advisor;
  std::vector<protocol::Alert> alerts;
  starved.train(advisor, 1, 300, alerts);
  QCOMPARE(kindsOf(alerts), Kinds{"data_starved"});
  advisor.forgetFrom(11);
  alerts.clear();
  healthy.train(advisor, 11, 400, alerts);
  QCOMPARE(kindsOf(alerts), Kinds());
  starved.train(advisor, 401, 900, alerts);
  QCOMPARE(kindsOf(alerts), Kinds{"data_starved"});
}

void TstAdvisor::nothingIsSaidBeforeTheEndOfTheWarmup() {
  MadeRun run;
  run.experiment = "solver: {base_lr: 0.02, warmup_steps: 1000}\n";
  run.figures["grad_norm/part/mask_head"] = always(6);
  run.figures[tags::kDataSeconds] = always(0.3);
  QCOMPARE(kindsOf(run.alerts()), Kinds());
}

void TstAdvisor::problemsAreFoundLateInALongRun_data() {
  QTest::addColumn<QString>("tag");
  QTest::addColumn<double>("value");
  QTest::addColumn<QString>("kind");
  QTest::newRow("imbalance") << "grad_norm/part/mask_head" << 6.0 << "gradient_imbalance";
  QTest::newRow("explosion") << "grad_norm/part/stem" << 50.0 << "exploding_part";
  QTest::newRow("death") << "grad_norm/part/layer1" << 0.0 << "dead_part";
  QTest::newRow("starvation") << tags::kDataSeconds << 0.3 << "data_starved";
  QTest::newRow("clipping") << tags::kGradientNorm << 20.0 << "constant_clipping";
  QTest::newRow("divergence") << tags::kTrainTotalLoss << 40.0 << "lr_too_high";
}

/// The curves keep a bounded number of points.
void TstAdvisor::problemsAreFoundLateInALongRun() {
  QFETCH(QString, tag);
  QFETCH(double, value);
  QFETCH(QString, kind);
  constexpr std::int64_t kBegin = 70'000;
  MadeRun run;
  run.experiment =
      "solver: {warmup_steps: 50, clip_grad_norm: 10, max_steps: 90000, milestones: [60000]}\n";
  run.steps = kBegin + 500;
  Figure& figure = run.figures[tag.toStdString()];
  figure = [before = figure, value](std::int64_t step) {
    return step > kBegin ? value : before(step);
  };
  Advisor advisor;
  std::vector<protocol::Alert> alerts;
  run.train(advisor, 1, kBegin, alerts);
  QCOMPARE(kindsOf(alerts), Kinds());
  run.train(advisor, kBegin + 1, run.steps, alerts);
  QCOMPARE(kindsOf(alerts), Kinds{kind.toStdString()});
}

void TstAdvisor::aForkWithAnotherExperimentIsAdvisedAnew() {
  MadeRun run;
  run.figures[tags::kTrainTotalLoss] = [](std::int64_t step) { return step <= 20 ? 3 : 10; };
  Advisor advisor;
  std::vector<protocol::Alert> alerts;
  run.train(advisor, 1, 100, alerts);
  QCOMPARE(kindsOf(alerts), Kinds{"lr_too_high"});
  MadeRun fork;
  fork.experiment = "solver: {base_lr: 0.002, warmup_steps: 50, max_steps: 1000}\n";
  fork.figures[tags::kDataSeconds] = always(0.3);
  alerts.clear();
  fork.train(advisor, 101, 400, alerts);
  QCOMPARE(kindsOf(alerts), Kinds{"data_starved"});
  QVERIFY(alerts[0].from > 100);
}

LOCKSTEP_TEST(TstAdvisor)
#include "tst_advisor.moc"
