# SPDX-License-Identifier: Apache-2.0
"""Provides the calls of W&B's client that training scripts make, for `import batchscope as wandb`. They record by the rule in _logger.py.
Images, tables, artifacts and code, which only W&B keeps, are accepted and left out, and named once."""

import collections.abc
import fnmatch
import os
import secrets
import tempfile
import time
import typing

from . import _logger, _recorder, _tensorboard

_SUMMARIES = {"min": min, "max": max}


class Attributes(collections.abc.MutableMapping):
    """A dict whose items are attributes too."""

    def __init__(self, changed=lambda values: None):
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_changed", changed)

    def __getitem__(self, name):
        return self._values[name]

    def __setitem__(self, name, value):
        self._values[name] = value
        self._changed({name: value})

    def __delitem__(self, name):
        del self._values[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are: {', '.join(map(str, self._values)) or 'none'}") from None

    __setattr__ = __setitem__

    def __repr__(self):
        return repr(self._values)

    def update(self, values=None, /, allow_val_change=None, **named):
        values = {**_logger.mapping(values), **named}
        self._values.update(values)
        self._changed(values)

    def setdefaults(self, values):
        self.update({name: value for name, value in _logger.mapping(values).items() if name not in self._values})

    def as_dict(self):
        return dict(self._values)


def _tell_config(values):
    if _logger.current:
        _logger.current.hyperparameters(values)


def _tell_summary(values):
    if _logger.current:
        for name, value in values.items():
            if value is not None:
                _logger.current.record_between(name, value)


class Run:
    """The result of init(), and the attribute `run` of the module until finish()."""

    def __init__(self, session, name, project, group, tags, notes, config, summary):
        self._session = session
        self.id = session.id or secrets.token_hex(4)
        self.name = name or self.id
        self.project, self.group, self.tags, self.notes = project, group, tuple(tags), notes
        self.config, self.summary = config, summary
        self.disabled = not session.is_recorded
        self.mode = "disabled" if self.disabled else "offline"
        self.resumed = session.restarts > 0
        self.start_time = time.time()
        self.entity = self.url = ""
        self.path = f"{project}/{self.id}"
        self._folder = session.folder
        self._defined = []  # what define_metric said, as (pattern, what the summary keeps)
        self._rules = {}  # the same by name

    @property
    def dir(self):
        """A folder for the script's own files."""
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="batchscope-")
        return self._folder

    @property
    def step(self):
        return _recorder.current().steps

    def log(self, data, step=None, commit=None, sync=None):
        """Records a dict at the next step, or at `step`. With a `step` and without `commit` the step stays open until another step, or a
        call without a step, comes."""
        if not hasattr(data, "items"):
            raise TypeError(f"log(): give values as a dict, as in log({{'loss': 0.7}}); {data!r:.60} is not a dict")
        if step is not None:
            step = _recorder.whole("log(step=..)", step)
        is_whole = step is None if commit is None else bool(commit)
        numbers = self._session.record(data, step, is_whole)
        summary = self.summary._values
        if not self._defined:
            summary.update(numbers)
            return
        for name, value in numbers.items():
            keep = self._rule_of(name) if name in summary else None
            summary[name] = keep(value, summary[name]) if keep else value

    def _rule_of(self, name):
        """Returns min or max if the summary keeps that of a metric; else None."""
        if name not in self._rules:
            how = next((how for pattern, how in self._defined if fnmatch.fnmatchcase(name, pattern)), None)
            self._rules[name] = _SUMMARIES.get(how)
        return self._rules[name]

    def define_metric(self, name, step_metric=None, summary=None, **_):
        """Sets what the summary keeps of a metric: its `min`, `max` or last value. The metric's steps stay those of log()."""
        if summary:
            self._defined.insert(0, (name, summary))
            self._rules.clear()

    def finish(self, exit_code=None, quiet=None):
        if _logger.current is self._session:
            finish(exit_code)

    def alert(self, title, text="", level="INFO", wait_duration=None):
        level = {"WARN": "warning", "WARNING": "warning", "ERROR": "error"}.get(getattr(level, "value", str(level)).upper(), "info")
        if not self.disabled:
            _recorder.current().notice(level, f"{title}: {text}" if text else str(title))

    def _leave_out(self, call):
        if not self.disabled:
            self._session.leave_out(call, self)

    def watch(self, *_, **__):
        """Accepts a model. Its gradients are not recorded: batchscope.torch records their norms and noise."""
        return []

    unwatch = watch

    def save(self, *_, **__):
        return []

    log_code = save

    def log_artifact(self, artifact=None, *_, **__):
        return artifact

    log_model = link_artifact = link_model = log_artifact

    def use_artifact(self, name, *_, **__):
        raise NotImplementedError(f"artifacts are not kept here: load {name!r} from a file")

    def get_url(self):
        return ""

    def project_name(self):
        return self.project

    def mark_preempting(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.finish(0 if kind is None else 1)


class Media:
    """A value that is shown and is not a number: image, table, histogram. It is accepted, and not recorded."""

    def __init__(self, *_, **__):
        pass

    def _take(self, *_, **__):
        return self

    add_data = add_column = add_row = _take


class Artifact:
    """Files under a name. They are not kept."""

    def __init__(self, name, type=None, description=None, metadata=None, **_):
        self.name, self.type, self.description, self.metadata = name, type, description, dict(metadata or {})

    def _take(self, *_, **__):
        return self

    add_file = add_dir = add_reference = add = save = wait = _take


class Settings:
    def __init__(self, *_, **named):
        self.__dict__.update(named)


run = None
config = Attributes(_tell_config)
summary = Attributes(_tell_summary)


def _set_in(name):
    return os.environ.get(name) or None


def init(project=None, name=None, config=None, tags=None, group=None, notes=None, mode=None, id=None, resume=None,
         sync_tensorboard=None, reinit=None, **more):
    """Begins a run, and returns it: the supervisor's, or the script's own. A run that was begun and not finished is continued.
    mode="disabled", or WANDB_MODE=disabled, records nothing. `resume` continues the newest run of this `id` that has not finished."""
    global run
    if run is not None:
        if not reinit:
            run.config.update(config)
            return run
        finish()
    mode = mode or _set_in("WANDB_MODE") or ("disabled" if _set_in("WANDB_DISABLED") in ("true", "True", "1") else None)
    is_recorded = mode != "disabled"
    if is_recorded:
        _logger.ignore("init", [*(argument for argument, value in more.items() if value is not None),
                                *(["mode"] if mode not in (None, "online") else []), *(["resume"] if resume and not id else [])])
    project, group = project or _set_in("WANDB_PROJECT") or "", group or _set_in("WANDB_RUN_GROUP") or ""
    tags = [tags] if isinstance(tags, str) else list(tags or (_set_in("WANDB_TAGS") or "").split(","))
    name, notes = name or _set_in("WANDB_NAME") or id or "", notes or _set_in("WANDB_NOTES") or ""
    named = _logger.as_tag(f"id:{id}") if id else ""
    session = _logger.begin(str(name), str(group or project), [*tags, named], str(notes), is_recorded,
                            named if resume and resume != "never" else "")
    before = globals()["config"].as_dict()  # set before init
    run = Run(session, name, project, group, [tag for tag in tags if tag], notes, globals()["config"], summary)
    globals()["config"].update({**before, **_logger.mapping(config)})
    if sync_tensorboard and session.is_recorded:
        _tensorboard.start()
    return run


def _begun(call):
    if run is None:
        raise RuntimeError(f"{call}() before init(): call init() first; it begins the run")
    return run


def log(data, step=None, commit=None, sync=None):
    """Records a dict, as run.log does."""
    _begun("log").log(data, step, commit, sync)


def finish(exit_code=None, quiet=None):
    """Ends the run; with an exit code other than 0 it has failed."""
    global run
    if run is not None:
        run = None
        _logger.end(exit_code or 0)
        config._values.clear()
        summary._values.clear()


def define_metric(name, step_metric=None, summary=None, **more):
    return _begun("define_metric").define_metric(name, step_metric, summary, **more)


def alert(title, text="", level="INFO", wait_duration=None):
    _begun("alert").alert(title, text, level, wait_duration)


def watch(*models, **more):
    return _begun("watch").watch(*models, **more)


def unwatch(*models):
    return []


def save(*arguments, **more):
    return _begun("save").save(*arguments, **more)


def log_artifact(artifact=None, *arguments, **more):
    return _begun("log_artifact").log_artifact(artifact, *arguments, **more)


def use_artifact(name, *arguments, **more):
    return _begun("use_artifact").use_artifact(name, *arguments, **more)


def login(*_, **__):
    return True


def setup(*_, **__):
    return None


require = setup

# Names that the package passes on, besides `run`, `config` and `summary`.
CALLS = ("init", "log", "finish", "define_metric", "alert", "watch", "unwatch", "save", "log_artifact", "use_artifact", "login",
         "setup", "require", "Settings", "Artifact")
MEDIA = {name: type(name, (Media,), {}) for name in (
    "Image", "Table", "Histogram", "Video", "Audio", "Html", "Object3D", "Molecule", "Plotly", "Graph", "Bokeh", "JoinedTable")}


class _Plots:
    """Accepts wandb.plot.line and the like, which make pictures."""

    def __getattr__(self, name):
        return Media


class _Util:
    @staticmethod
    def generate_id(length=8):
        return secrets.token_hex(length)[:length]


plot = _Plots()
util = _Util
ELSEWHERE = {"Api": "batchscope.runs() reads what was recorded", "sweep": "`batchscope sweep run FILE` searches hyperparameters",
             "agent": "`batchscope sweep run FILE` searches hyperparameters", "controller": "`batchscope sweep run FILE` does it"}


def attribute(name: str) -> typing.Any:
    """Returns the attribute of this name for `import batchscope as wandb`. Throws AttributeError."""
    if name in ("run", "config", "summary", "plot", "util") or name in CALLS:
        return globals()[name]
    if name in MEDIA:
        return MEDIA[name]
    if name in ELSEWHERE:
        raise AttributeError(f"batchscope has no {name}: {ELSEWHERE[name]}")
    raise AttributeError(f"module 'batchscope' has no attribute {name!r}")
