// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/new_run_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/storage/catalogue.h"
#include "look/segments.h"
#include "runs/parameter_form.h"
#include "runs/program_form.h"
#include "runs/queue_form.h"
#include "session/shell_words.h"

namespace batchscope::desktop {
namespace {

constexpr int kAnyProgram = -1;

// Suggests a text for a field until a person writes something else.
void suggest(QLineEdit* field, const QString& text) {
  constexpr char kSuggested[] = "suggested";
  if (field->text() != field->property(kSuggested).toString()) return;
  field->setProperty(kSuggested, text);
  field->setText(text);
}

}  // namespace

NewRunDialog::NewRunDialog(NewRunOffer offer, QWidget* parent)
    : StartDialog(tr("Start the run"), parent),
      offer_(std::move(offer)),
      what_(new QComboBox(this)),
      when_(new Segments({tr("Start now"), tr("Add to the queue")}, this)),
      choice_(new CheckedForm(this)),
      start_(new CheckedForm(this)),
      about_(new CheckedForm(this)),
      name_(new QLineEdit(this)),
      replicas_(new QLineEdit(this)),
      group_(new QLineEdit(this)),
      tags_(new QLineEdit(this)),
      note_(new QLineEdit(this)),
      device_(new QComboBox(this)),
      devicesOfEach_(new QSpinBox(this)),
      oversubscribe_(new QCheckBox(tr("GPUs may be shared"), this)),
      queue_(new QueueForm(offer_.runs, this)),
      program_(new ProgramForm(this)) {
  setWindowTitle(tr("New run"));
  setMinimumHeight(420);
  for (const run::Recipe& recipe : offer_.recipes)
    what_->addItem(QString::fromStdString(recipe.title), what_->count());
  if (what_->count() > 0) what_->insertSeparator(what_->count());
  what_->addItem(tr("Any program …"), kAnyProgram);
  when_->at(0)->setToolTip(tr("On free devices; fails where there are too few"));
  when_->at(1)->setToolTip(
      tr("It starts once the queue has devices for it. The queue shares them among its runs by goodput."));
  fillForms();

  auto* content = new QWidget(this);
  column_ = vbox(content, {0, 0, 10, 0}, 12, {choice_, start_, queue_, program_, about_, rest()});
  layOut({{scrolledDown(content, this), 1}}, 760);

  connect(queue_, &QueueForm::edited, this, &NewRunDialog::validate);
  connect(program_, &ProgramForm::edited, this, [this] {
    suggest(name_, program_->name());
    validate();
  });
  connect(when_, &Segments::chosenByHand, this, [this](int segment) { setQueued(segment == 1); });
  connect(what_, &QComboBox::currentIndexChanged, this, [this] {
    cloned_.reset();
    showProgram({});
  });
  const auto first = std::ranges::find(offer_.recipes, offer_.first, &run::Recipe::name);
  if (first != offer_.recipes.end()) what_->setCurrentIndex(static_cast<int>(first - offer_.recipes.begin()));
  showProgram({});
  setQueued(false);
}

void NewRunDialog::fillForms() {
  device_->addItem(tr("Automatic"), QStringLiteral("auto"));
  device_->addItem(tr("CPU"), QStringLiteral("cpu"));
  if (!offer_.gpus.empty()) device_->addItem(tr("GPU, any"), QStringLiteral("cuda"));
  for (const std::string& gpu : offer_.gpus) {
    const QString name = QString::fromStdString(gpu);
    device_->addItem(tr("GPU %1").arg(name.section(QLatin1Char(':'), 1)), name);
  }
  devicesOfEach_->setRange(0, std::max<int>({1, offer_.devices, static_cast<int>(offer_.gpus.size())}));
  devicesOfEach_->setSpecialValueText(tr("Automatic"));
  devicesOfEach_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  oversubscribe_->setAccessibleName(oversubscribe_->text());

  choice_->add(tr("What to run"), what_);
  choice_->add(tr("When"), when_);
  start_->add(tr("Name"), name_);
  start_->add(tr("Replicas"), replicas_,
              tr("A number; or a range such as 1-4, or auto: the best goodput decides"));
  start_->add(tr("Device"), device_);
  start_->add(tr("Devices each"), devicesOfEach_,
              tr("GPUs or cores of each replica. Automatic: one GPU, or its share of the free cores"));
  start_->add({}, oversubscribe_);
  start_->setRowVisible(oversubscribe_, !offer_.gpus.empty());
  about_->add(tr("Group"), group_, tr("For runs that belong together; may be empty"));
  about_->add(tr("Tags"), tags_, tr("Words to find the run by, with commas between them"));
  about_->add(tr("Note"), note_);
  for (QLineEdit* field : {name_, replicas_, group_, tags_, note_})
    connect(field, &QLineEdit::textChanged, this, &NewRunDialog::validate);
  connect(device_, &QComboBox::currentIndexChanged, this, &NewRunDialog::validate);
  connect(devicesOfEach_, &QSpinBox::valueChanged, this, &NewRunDialog::validate);
  connect(oversubscribe_, &QCheckBox::toggled, this, &NewRunDialog::validate);
}

const run::Recipe* NewRunDialog::recipe() const {
  const int index = what_->currentData().toInt();
  return index == kAnyProgram ? nullptr : &offer_.recipes.at(static_cast<std::size_t>(index));
}

// The fields of what is chosen; a recipe's with these values.
void NewRunDialog::showProgram(const run::Recipe::Values& values) {
  delete parameters_;
  parameters_ = nullptr;
  const run::Recipe* const chosen = recipe();
  program_->setVisible(chosen == nullptr);
  choice_->setHint(what_, chosen == nullptr ? tr("An executable or a script of your own, with its arguments")
                                            : QString::fromStdString(chosen->description));
  CheckedForm* fields = program_;
  if (chosen != nullptr) {
    fields = parameters_ = new ParameterForm(*chosen, values, this);
    column_->insertWidget(column_->indexOf(program_), parameters_);
    connect(parameters_, &ParameterForm::edited, this, &NewRunDialog::validate);
    suggest(name_, QString::fromStdString(chosen->name));
    if (!cloned_) devicesOfEach_->setValue(chosen->devices_per_replica);
  }
  QWidget* last = when_->at(1);
  for (const CheckedForm* form : std::initializer_list<const CheckedForm*>{start_, queue_, fields, about_})
    last = form->tabAfter(last);
  tabAfter(last);
  suggestReplicas();
  validate();
}

void NewRunDialog::suggestReplicas() {
  const run::Recipe* const chosen = recipe();
  if (isQueued())
    suggest(replicas_, offer_.devices > 1 ? QStringLiteral("1-%1").arg(offer_.devices) : QStringLiteral("1"));
  else if (chosen != nullptr && chosen->auto_replicas)
    suggest(replicas_, QString::fromStdString(chosen->auto_replicas->text()));
  else
    suggest(replicas_, QString::number(std::min(chosen == nullptr ? 1 : chosen->replicas, offer_.devices)));
}

void NewRunDialog::setQueued(bool isQueued) {
  when_->choose(isQueued ? 1 : 0);
  queue_->setVisible(isQueued);
  setStartText(isQueued ? tr("Add to the queue") : tr("Start the run"));
  suggestReplicas();
  validate();
}

bool NewRunDialog::isQueued() const { return when_->chosen() == 1; }

void NewRunDialog::clone(const storage::Run& run) {
  const protocol::RunSpec& spec = run.spec;
  setWindowTitle(tr("Clone %1").arg(QString::fromStdString(run.name)));
  int item = what_->findData(kAnyProgram);
  run::Recipe::Values values;
  for (std::size_t i = 0; i < offer_.recipes.size(); ++i) {
    if (!offer_.recipes[i].made(spec)) continue;
    const auto found = offer_.recipes[i].values_of(spec.arguments);
    if (!found) continue;
    values = *found;
    item = what_->findData(static_cast<int>(i));
  }
  what_->setCurrentIndex(item);
  cloned_ = spec;
  // Settings that the queue and a lack of memory have added are that run's own.
  cloned_->environment.clear();
  cloned_->max_local_batch_size = 0;
  name_->setText(tr("%1 copy").arg(QString::fromStdString(run.name)));
  replicas_->setText(spec.auto_replicas ? QString::fromStdString(spec.auto_replicas->text())
                                        : QString::number(spec.replicas));
  if (device_->findData(QString::fromStdString(spec.device)) < 0)
    device_->addItem(QString::fromStdString(spec.device), QString::fromStdString(spec.device));
  device_->setCurrentIndex(device_->findData(QString::fromStdString(spec.device)));
  devicesOfEach_->setMaximum(std::max(devicesOfEach_->maximum(), spec.devices_per_replica));
  devicesOfEach_->setValue(spec.devices_per_replica);
  oversubscribe_->setChecked(spec.oversubscribe);
  group_->setText(QString::fromStdString(spec.group));
  QStringList tags;
  for (const std::string& tag : run.tags)
    if (!tag.starts_with(storage::kLessonTag)) tags << QString::fromStdString(tag);
  tags_->setText(tags.join(QStringLiteral(", ")));
  if (recipe() == nullptr) program_->take(spec);
  showProgram(values);
}

void NewRunDialog::validate() {
  checkFields();
  QStringList complaints = start_->complaints();
  if (isQueued()) complaints << queue_->complaints();
  complaints << (parameters_ != nullptr ? parameters_->complaints() : program_->complaints())
             << about_->complaints();
  QString line;
  if (complaints.isEmpty()) {
    try {
      line = command();  // such as a program that is not built
      if (offer_.check) offer_.check(newRun());
    } catch (const Error& error) {
      const QString refusal = QString::fromUtf8(error.what());
      if (error.kind() == ErrorKind::conflict)  // too few devices
        start_->setComplaint(replicas_, refusal);
      else
        choice_->setComplaint(what_, refusal);
    }
    complaints << choice_->complaints() << start_->complaints();
    const auto wanted = replicas().number.value_or(0);
    if (offer_.gpus.empty() && wanted > offer_.devices)
      start_->setWarning(
          replicas_, offer_.devices == 1
                         ? tr("The replicas share the one core of this machine: no faster than one replica.")
                         : tr("The replicas share the %1 cores of this machine: no faster than %1 replicas.")
                               .arg(offer_.devices));
  }
  if (!complaints.isEmpty()) complaints[0][0] = complaints[0][0].toUpper();
  judge(complaints, line);
}

void NewRunDialog::checkFields() {
  choice_->setComplaint(what_, {});
  start_->setComplaint(name_, complaintOf([&] { storage::check_name(name_->text().toStdString()); }));
  about_->setComplaint(group_, complaintOf([&] { storage::check_group(group_->text().toStdString()); }));
  about_->setComplaint(tags_, complaintOf([&] { storage::parse_tags(tags_->text().toStdString()); }));
  about_->setComplaint(note_, complaintOf([&] { storage::check_note(note_->text().toStdString()); }));
  const QString device = device_->currentData().toString();
  const bool isOneGpu = device.startsWith(QLatin1String("cuda:"));
  const bool isMissing =
      (isOneGpu && std::ranges::find(offer_.gpus, device.toStdString()) == offer_.gpus.end()) ||
      (device == QLatin1String("cuda") && offer_.gpus.empty());
  start_->setComplaint(device_, isMissing                ? tr("this machine does not have it; choose another")
                                : isQueued() && isOneGpu ? tr("the pool chooses the GPU: select \"GPU, any\"")
                                                         : QString());
  start_->setComplaint(replicas_, complaintOf([&] { replicas(); }));
}

protocol::ReplicaCount NewRunDialog::replicas() const {
  return protocol::ReplicaCount::parse(replicas_->text().trimmed().toStdString());
}

NewRun NewRunDialog::newRun() const {
  NewRun run;
  if (cloned_) run.spec = *cloned_;
  if (const run::Recipe* chosen = recipe(); chosen == nullptr) {
    program_->apply(run.spec);
  } else if (!cloned_) {
    run.spec = chosen->spec(parameters_->values());
  } else if (!cloned_->recipe.empty() || chosen->values_of(cloned_->arguments) != parameters_->values()) {
    run.spec.arguments = chosen->arguments(parameters_->values());
  }
  run.spec.name = name_->text().toStdString();
  run.spec.group = group_->text().toStdString();
  run.spec.device = device_->currentData().toString().toStdString();
  run.spec.devices_per_replica = devicesOfEach_->value();
  run.spec.oversubscribe = oversubscribe_->isChecked();
  const protocol::ReplicaCount count = replicas();
  run.spec.replicas = count.first(run.spec.replicas);
  run.spec.auto_replicas = count.automatic;
  run.tags = storage::parse_tags(tags_->text().toStdString());
  run.note = note_->text().toStdString();
  if (isQueued()) run.queued = queue_->options();
  return run;
}

QString NewRunDialog::command() const {
  const NewRun run = newRun();
  if (recipe() == nullptr || run.spec.recipe.empty()) return runCommand(run);
  return runCommand(run, recipe(), parameters_->changed());
}

}  // namespace batchscope::desktop
