# SPDX-License-Identifier: Apache-2.0
"""Provides the calls of MLflow's client that training scripts make, for `import batchscope.mlflow as mlflow`. Metrics become series,
parameters and tags hyperparameters, the experiment the run's group. Calls for artifacts, models, registry and server, which only MLflow
has, are accepted, do nothing, and are named once. As with MLflow, a run begins by itself if none was started."""

import os
import time
import types

from . import _logger, _recorder, _tensorboard

_experiment = ""
_tracking_uri = ""
_runs = []  # those that have begun, the innermost last
_last = None
_said = set()


def _leave_out(call):
    if call not in _said:
        _said.add(call)
        _logger.say(f"mlflow.{call}() does nothing here")


class ActiveRun:
    """The result of start_run(). Leaving its context ends the run. A nested run is recorded in the run around it, below its name."""

    def __init__(self, session, name, prefix):
        self.session, self.prefix = session, prefix
        self.info = types.SimpleNamespace(run_id=session.id, run_uuid=session.id, run_name=name or session.id, experiment_id="0",
                                          status="RUNNING", artifact_uri=session.folder, start_time=int(time.time() * 1000))
        self.data = types.SimpleNamespace(metrics={}, params={}, tags={})

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        end_run("FINISHED" if kind is None else "FAILED")


def start_run(run_id=None, experiment_id=None, run_name=None, nested=False, parent_run_id=None, tags=None, description=None, **_):
    """Begins a run, and returns it: the supervisor's, or the script's own."""
    if _runs and not nested:
        raise RuntimeError(f"run {_runs[-1].info.run_id} has not ended: call end_run() first, or start_run(nested=True)")
    name = run_name or os.environ.get("MLFLOW_RUN_NAME", "")
    if run_id:
        _logger.ignore("start_run", ["run_id"])
    if _runs:
        run = ActiveRun(_runs[-1].session, name, f"{_runs[-1].prefix}{name or f'nested-{len(_runs)}'}/")
    else:
        group = _experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME", "")
        run = ActiveRun(_logger.begin(name, group, (), description or ""), name, "")
    _runs.append(run)
    if tags:
        set_tags(tags)
    return run


def end_run(status="FINISHED"):
    global _last
    if _runs:
        _last = _runs.pop()
        _last.info.status = getattr(status, "name", str(status))
        if not _runs:
            _logger.end(int(_last.info.status not in ("FINISHED", "SCHEDULED", "RUNNING")))


def active_run():
    return _runs[-1] if _runs and _logger.current is _runs[-1].session else None


def last_active_run():
    return active_run() or _last


def _run():
    if _runs and _logger.current is not _runs[-1].session:  # ended from elsewhere
        _runs.clear()
    return _runs[-1] if _runs else start_run()


def log_metrics(metrics, step=None, synchronous=None, timestamp=None, run_id=None, **_):
    """Records metrics at a step. Without a step number, a step ends when a name comes again."""
    run = _run()
    if not run.session.is_recorded:
        return
    numbers = run.session.numbers({f"{run.prefix}{name}": value for name, value in metrics.items()})
    run.data.metrics.update({name[len(run.prefix):]: value for name, value in numbers.items()})
    series = {_tensorboard.series_of(name): value for name, value in numbers.items()}
    if step is None:
        _recorder.current().record(series)
    else:
        _recorder.current().log(series, _recorder.whole("log_metric(step=..)", step), False)


def log_metric(key, value, step=None, **more):
    log_metrics({key: value}, step, **more)


def log_params(params, **_):
    run = _run()
    run.data.params.update({name: str(value) for name, value in params.items()})
    run.session.hyperparameters({f"{run.prefix}{name}": value for name, value in params.items()})


def log_param(key, value, **_):
    log_params({key: value})
    return value


def set_tags(tags, **_):
    run = _run()
    run.data.tags.update(tags)
    run.session.hyperparameters({f"{run.prefix}{name}": value for name, value in tags.items()})


def set_tag(key, value, **_):
    set_tags({key: value})


def set_experiment(experiment_name=None, experiment_id=None, **_):
    """Names the group of the runs that begin from now on."""
    global _experiment
    _experiment = str(experiment_name or experiment_id or "")
    return types.SimpleNamespace(name=_experiment, experiment_id="0", artifact_location="", lifecycle_stage="active", tags={})


def create_experiment(name, *_, **__):
    set_experiment(name)
    return "0"


def get_experiment_by_name(name):
    return set_experiment(name) if name == _experiment else None


def get_experiment(experiment_id):
    return set_experiment(_experiment)


def set_tracking_uri(uri):
    global _tracking_uri
    _tracking_uri = str(uri)
    _leave_out("set_tracking_uri")


def get_tracking_uri():
    return _tracking_uri


def get_artifact_uri(artifact_path=None):
    folder = _run().session.folder
    return os.path.join(folder, artifact_path) if artifact_path else folder


def autolog(*_, disable=False, **__):
    """Records from now on what is written by TensorBoard's writer, also by Lightning and others."""
    if not disable:
        _tensorboard.start()


class _Flavour:
    """A module such as mlflow.pytorch or mlflow.sklearn: autolog() as above, and calls for models, which are not kept."""

    def __init__(self, name):
        self._name = name

    autolog = staticmethod(autolog)

    def __getattr__(self, name):
        return _nothing(f"{self._name}.{name}")


def _nothing(call):
    def take(*_, **__):
        _leave_out(call)

    if call.rpartition(".")[2] in ("load_model", "load_artifact"):
        def take(*_, **__):
            raise NotImplementedError(f"models and artifacts are not kept here, so mlflow.{call}() has none: load it from a file")
    return take


_FLAVOURS = ("pytorch", "sklearn", "tensorflow", "keras", "xgboost", "lightgbm", "catboost", "transformers", "pyfunc", "onnx",
             "statsmodels", "spark", "fastai", "models", "tracing")
_NOTHING = ("log_artifact", "log_artifacts", "log_dict", "log_text", "log_figure", "log_image", "log_table", "log_input",
            "log_inputs", "log_model", "register_model", "set_registry_uri", "enable_system_metrics_logging", "disable_system_metrics_logging",
            "set_system_metrics_sampling_interval", "login", "delete_tag", "load_model")


def __getattr__(name):
    if name in _FLAVOURS:
        return _Flavour(name)
    if name in _NOTHING:
        return _nothing(name)
    if name in ("MlflowClient", "tracking", "search_runs"):
        raise AttributeError(f"batchscope.mlflow has no {name}: batchscope.runs() reads what was recorded")
    raise AttributeError(f"module 'batchscope.mlflow' has no attribute {name!r}")
