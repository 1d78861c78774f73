# SPDX-License-Identifier: Apache-2.0
"""Reads what BatchScope has recorded, also while runs write it:

    for run in batchscope.runs(where="accuracy>0.97"):
        steps, losses, generations = run.series("loss")

The list of runs and their history come from the program `batchscope`, so filters are those of `batchscope ls --where`. Samples come
from the run's own file (storage/FORMAT.md), as numpy arrays. Reading never writes: an older or newer catalogue is refused. numpy and
pandas are imported when they are needed."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import math
import os
import pathlib
import sqlite3
import struct
import sys
import zlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _program
from ._program import StoreError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Checkpoint", "Event", "Generation", "Run", "Runs", "Series", "StoreError", "Stretch", "runs"]

StorePath = Union[str, "os.PathLike[str]", None]
_Record = TypeVar("_Record", "Event", "Generation", "Checkpoint", "Stretch", "Run")

# A file's application_id and the newest user_version that this module reads (storage/FORMAT.md).
_CATALOGUE = (0x42536361, 10)
_SAMPLES = (0x42537361, 1)

_PATIENCE = 10.0  # s, for a lock
_ROWS_AT_A_TIME = 64  # their steps are decoded at once: many more do not fit into a processor's cache
_NAN = struct.pack("<Q", 0x7FF8000000000000)
_ROW = "SELECT first_step, last_step, count, min, max, mean, checksum, data_checksum, steps, data"


class Series(NamedTuple):
    """Samples of a series, by generation and, within one, in ascending order of steps. A generation that began from a checkpoint
    repeats the steps after it."""

    steps: npt.NDArray[np.int64]  #: optimizer steps done
    values: npt.NDArray[np.float64]  #: may be NaN or infinite
    generations: npt.NDArray[np.int32]  #: restarts before each sample

    def to_pandas(self) -> Any:
        """Returns a DataFrame with a row for each sample and the columns step, value and generation."""
        pandas = importlib.import_module("pandas")
        return pandas.DataFrame({"step": self.steps, "value": self.values, "generation": self.generations})


@dataclasses.dataclass(frozen=True)
class Event:
    """A sentence of a run's history."""

    id: int  #: ascends over all runs of the store
    time: float  #: s since 1970
    level: str  #: info, warning or error
    generation: int
    step: int
    text: str


@dataclasses.dataclass(frozen=True)
class Generation:
    """One start of a run's replicas."""

    number: int
    replicas: int
    reason: str
    outcome: str  #: empty while it goes on
    started: float  #: s since 1970
    ended: Optional[float]
    first_step: int
    last_step: int
    checkpoint: str  #: the checkpoint that it began from; empty if none
    pause: Optional[float]  #: s between the last step before it and its first step
    pause_parts: Mapping[str, float]  #: the pause's parts, in s
    predicted_throughput: Optional[float]  #: samples/s; the model's, when the restart was asked for
    predicted_goodput: Optional[float]
    predicted_error: Optional[float]  #: in nine of ten cases obtained is within predicted / (1 + error) and predicted * (1 + error)
    obtained_throughput: Optional[float]  #: samples/s, measured
    obtained_goodput: Optional[float]


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A checkpoint on disk."""

    name: str
    time: float  #: s since 1970
    generation: int
    epoch: int
    step: int
    progress: float  #: scale-invariant iterations
    bytes: int
    seconds: float  #: time for writing it
    reason: str


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Samples of a dataset pass that were used: the positions from `begin` (inclusive) to `end` (exclusive) in the pass's order."""

    loader: str
    epoch: int
    number: int  #: the pass within the epoch
    begin: int
    end: int
    dataset_size: int  #: 0: a stream that was not read to its end
    padding: int  #: samples that were repeated so that all replicas have the same number
    generation: int
    step: int


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """A run as it was when it was read; `refresh()` reads it again. Its history (events, generations, ..) is read at the first
    access, series at each access."""

    id: str
    name: str
    state: str  #: as `batchscope ls` shows it: running, finished, failed, interrupted, ..
    message: str
    created: float  #: s since 1970
    ended: Optional[float]  #: None while the run goes on
    step: int
    epoch: int
    epochs: int  #: planned; 0: unknown
    fraction: float  #: progress from 0 to 1
    replicas: int
    restarts: int
    group: str
    tags: Sequence[str]
    note: str
    latest: Mapping[str, float] = dataclasses.field(repr=False)  #: the newest value of each series
    spec: Mapping[str, Any] = dataclasses.field(repr=False)  #: program, arguments, .. as in `batchscope show --json`
    folder: pathlib.Path = dataclasses.field(repr=False)
    _store: pathlib.Path = dataclasses.field(repr=False)
    _history: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def events(self) -> List[Event]:
        """The run's events, in order."""
        return [_record(Event, row) for row in self._read("events")]

    @property
    def generations(self) -> List[Generation]:
        """The starts of its replicas, one more than there were restarts."""
        return [_record(Generation, row) for row in self._read("generations")]

    @property
    def checkpoints(self) -> List[Checkpoint]:
        """The checkpoints that are still there, newest first."""
        return [_record(Checkpoint, row) for row in self._read("checkpoints")]

    @property
    def ledger(self) -> List[Stretch]:
        """The samples that were used, in order: they show that none was lost or repeated."""
        names = {"pass": "number", "from": "begin", "to": "end"}
        return [_record(Stretch, {names.get(name, name): value for name, value in row.items()}) for row in self._read("ledger")]

    @property
    def hyperparameters(self) -> Dict[str, str]:
        """The script's settings, as texts."""
        return dict(self._read("hyperparameters"))

    @property
    def series_names(self) -> List[str]:
        """The names that series() takes now."""
        with _samples(self) as connection:
            return [name for name, in connection.execute("SELECT DISTINCT series FROM track ORDER BY series")]

    def series(self, name: str, generation: Optional[int] = None) -> Series:
        """Returns the samples of a series, of all generations or of one. Throws StoreError(not_found) if the run has no such
        series, and StoreError(corrupt) if samples fail their check."""
        with _samples(self) as connection:
            tracks = connection.execute("SELECT id, generation, count FROM track WHERE series = ? ORDER BY generation",
                                        (name,)).fetchall()
            if not tracks:
                names = ", ".join(row[0] for row in connection.execute("SELECT DISTINCT series FROM track ORDER BY 1"))
                raise StoreError("not_found", f"run {self.id} has no series {name!r}; it has: {names or 'none yet'}")
            return _joined([(number, _track(connection, track, count, f"{self.folder}/samples.db: {name!r}, generation {number}"))
                            for track, number, count in tracks if generation in (None, number)])

    def to_pandas(self, *names: str) -> Any:
        """Returns a DataFrame with a column for each of these series (default: all) and a row for each generation and step, which
        are its index. Of several samples at one step the last one is kept."""
        pandas = importlib.import_module("pandas")
        columns = {}
        for name in names or self.series_names:
            series = self.series(name)
            index = pandas.MultiIndex.from_arrays([series.generations, series.steps], names=["generation", "step"])
            column = pandas.Series(series.values, index=index)
            columns[name] = column if index.is_unique else column[~index.duplicated(keep="last")]
        return pandas.DataFrame(columns)

    def refresh(self) -> Run:
        """Returns the run as it is now. Throws StoreError(not_found) if it was deleted."""
        return by_id(self.id, self._store)

    def rescale(self, replicas: Union[int, str]) -> None:
        """Restarts the run on another number of replicas, or on "auto[:MIN-MAX]". Returns once the restart has begun or was queued. Throws
        StoreError if the run's state does not allow it, ValueError for a wrong number."""
        _ask(self._store, "rescale", self.id, str(replicas))

    def pause(self) -> None:
        """Makes the run write a checkpoint and free its devices, until resume()."""
        _ask(self._store, "pause", self.id)

    def resume(self) -> None:
        """Continues the run after a pause, or after its end, in the background."""
        _ask(self._store, "resume", self.id, "--detach")

    def stop(self) -> None:
        """Makes the run write a checkpoint, and ends it."""
        _ask(self._store, "stop", self.id)

    def _repr_html_(self) -> str:
        """Returns the charts that a notebook shows; batchscope.show() redraws them while the run trains."""
        from . import _charts
        return _charts.of(self)

    def _read(self, what: str) -> Any:
        if not self._history:
            self._history.update(_ask(self._store, "show", self.id))
        return self._history[what]


class Runs(List[Run]):
    """A list of runs."""

    def to_pandas(self) -> Any:
        """Returns a DataFrame with a row for each run: its fields, and the newest value of each series by the series' name."""
        pandas = importlib.import_module("pandas")
        fields = ("name", "state", "created", "ended", "step", "epoch", "replicas", "restarts", "group")
        series = sorted({name for run in self for name in run.latest} - {*fields, "tags"})
        columns = {name: [getattr(run, name) for run in self] for name in fields}
        columns["tags"] = [", ".join(run.tags) for run in self]
        columns.update({name: [run.latest.get(name, math.nan) for run in self] for name in series})
        table = pandas.DataFrame(columns, index=pandas.Index([run.id for run in self], name="id"))
        for name in ("created", "ended"):
            table[name] = pandas.to_datetime(table[name], unit="s", utc=True)
        return table


def runs(where: str = "", *, store: StorePath = None, trash: bool = False) -> Runs:
    """Returns the runs that pass a filter, newest first; without a filter all runs.

    `where` is a filter of `batchscope ls --where`, such as "accuracy>0.97 and (tag=paper or name~digits)". `store` is the path of a
    catalogue (runs.db), by default the one that all commands use. `trash` lists the runs in the trash instead. Throws ValueError, with
    the fault, for a wrong filter, and StoreError."""
    path = _path(store)
    if not path.exists():
        return Runs()
    answer = _ask(path, "ls", *(["--where", where] if where else []), *(["--trash"] if trash else []))
    return Runs(_run(row, path) for row in answer["runs"])


def start(program: str, *arguments: object, name: str = "", replicas: Union[int, str] = "", options: Sequence[str] = (),
          store: StorePath = None) -> Run:
    """Starts a run; see batchscope.start()."""
    path = _path(store)
    flags = [*(["--name", name] if name else []), *(["--replicas", str(replicas)] if replicas else []), *options]
    environment = {"BATCHSCOPE_DB": str(path), "PYTHON": os.environ.get("PYTHON") or sys.executable}
    begun = _program.ask("run", "--detach", *flags, program, "--", *map(str, arguments), environment=environment)
    return by_id(begun["run"], path)


def by_id(run: str, store: StorePath = None) -> Run:
    """Returns the run with this id, or prefix of its id or name, or the "latest". Throws StoreError(not_found) if there is none."""
    path = _path(store)
    history = _ask(path, "show", run)
    return _run(history["run"], path, history)


def _path(store: StorePath) -> pathlib.Path:
    """Returns the catalogue's path, by the rule in protocol/paths.h."""
    if store is not None:
        path = pathlib.Path(store)
        return (path / "runs.db" if path.is_dir() else path).absolute()
    named = os.environ.get("BATCHSCOPE_DB")
    if named:
        return pathlib.Path(named).absolute()
    data = os.environ.get("XDG_DATA_HOME", "")
    base = pathlib.Path(data) if os.path.isabs(data) else pathlib.Path.home() / ".local/share"
    return base / "batchscope/runs.db"


def _ask(store: pathlib.Path, *arguments: str) -> Any:
    """Asks the program, after a check of the catalogue's version: the program would update an older one."""
    with _reading(store, *_CATALOGUE, "a run catalogue"):
        pass
    return _program.ask(*arguments, environment={"BATCHSCOPE_DB": str(store)})


def _number(value: Any) -> float:
    """Returns a number from the program's JSON, in which NaN and infinities are texts."""
    return math.nan if value is None else float(value)


def _record(kind: Type[_Record], row: Mapping[str, Any]) -> _Record:
    """Returns a row as a record of this kind. Fields of a newer program that this module does not know are ignored."""
    return kind(**{field.name: row[field.name] for field in dataclasses.fields(kind)})


def _run(row: Mapping[str, Any], store: pathlib.Path, history: Optional[Dict[str, Any]] = None) -> Run:
    return _record(Run, {**row, "latest": {name: _number(value) for name, value in row["latest"].items()},
                         "folder": store.parent / "runs" / row["id"], "_store": store, "_history": history or {}})


@contextlib.contextmanager
def _reading(file: pathlib.Path, application: int, newest: int, what: str) -> Iterator[sqlite3.Connection]:
    """Opens a file of the store for one read transaction, which sees the state of one moment. On a read-only medium SQLite cannot make
    shared memory beside the file, so the file is opened as immutable."""
    uri = file.absolute().as_uri()
    for options in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"{uri}?{options}", uri=True, timeout=_PATIENCE, isolation_level=None)
        try:
            with contextlib.closing(connection):
                try:
                    connection.execute("BEGIN")
                    tables, = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                except sqlite3.OperationalError:
                    if options == "mode=ro" and not os.access(file.parent, os.W_OK):
                        continue
                    raise
                if tables:
                    _check_version(connection, file, application, newest, what)
                yield connection
                return
        except sqlite3.Error as error:
            raise StoreError("corrupt" if isinstance(error, sqlite3.DatabaseError) and "malformed" in str(error) else "io",
                             f"{file}: {error}") from None


def _check_version(connection: sqlite3.Connection, file: pathlib.Path, application: int, newest: int, what: str) -> None:
    found, = connection.execute("PRAGMA application_id").fetchone()
    version, = connection.execute("PRAGMA user_version").fetchone()
    if found != application:
        raise StoreError("corrupt", f"{file} is a database, but not {what}: name another file")
    if version > newest:
        raise StoreError("version", f"{file} has version {version} of the layout, this package knows up to {newest}: use a newer "
                                    "BatchScope")
    if version < newest:
        raise StoreError("version", f"{file} has version {version} of the layout, and is only read here: `batchscope ls` brings it "
                                    f"up to version {newest}, with a copy of it beside it")


@contextlib.contextmanager
def _samples(run: Run) -> Iterator[sqlite3.Connection]:
    file = run.folder / "samples.db"
    if not file.exists():
        raise StoreError("not_found", f"run {run.id} has no samples yet: {file} is not there")
    with _reading(file, *_SAMPLES, "the samples of a run") as connection:
        yield connection


# Samples, as storage/FORMAT.md has them.

_Track = Tuple["npt.NDArray[np.int64]", "npt.NDArray[np.float64]"]


def _joined(tracks: Sequence[Tuple[int, _Track]]) -> Series:
    """Returns the tracks of a series as one."""
    import numpy as np
    if not tracks:
        return Series(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32))
    generations = np.repeat(np.array([number for number, _ in tracks], np.int32), [len(steps) for _, (steps, _) in tracks])
    if len(tracks) == 1:
        return Series(*tracks[0][1], generations)
    return Series(np.concatenate([steps for _, (steps, _) in tracks]), np.concatenate([values for _, (_, values) in tracks]),
                  generations)


def _track(connection: sqlite3.Connection, track: int, count: int, name: str) -> _Track:
    """Returns the steps and values of a series in one generation. Chunks are in order; the last one may be unfinished, and newer
    samples are in batches."""
    import numpy as np
    rows = connection.execute(f"{_ROW} FROM chunk WHERE track = ? ORDER BY number", (track,)).fetchall()
    if sum(row[2] for row in rows) != count:
        raise _damaged(name, "some samples are")
    rows += connection.execute(f"{_ROW} FROM batch WHERE track = ? ORDER BY id", (track,)).fetchall()
    if not rows:
        return np.empty(0, np.int64), np.empty(0)
    for row in rows:
        if not _is_sound(track, row):
            raise _damaged(name, f"the samples of steps {row[0]} to {row[1]} are")
    values = np.concatenate([np.frombuffer(row[9], "<f8") for row in rows]).astype(np.float64, copy=False)
    steps = np.empty(len(values), np.int64)
    end = 0
    for begin in range(0, len(rows), _ROWS_AT_A_TIME):
        some = _steps(rows[begin : begin + _ROWS_AT_A_TIME])
        steps[end : end + len(some)] = some
        end += len(some)
    if np.any(steps[1:] < steps[:-1]):
        order = np.argsort(steps, kind="stable")
        return steps[order], values[order]
    return steps, values


def _damaged(name: str, what: str) -> StoreError:
    return StoreError("corrupt", f"{name}: {what} damaged; `batchscope doctor --store` says more")


def _is_sound(track: int, row: Sequence[Any]) -> bool:
    """Returns whether the checksums of a chunk or batch fit its data and its heading."""
    first, last, count, least, most, mean, checksum, data_checksum, steps, data = row
    heading = struct.pack("<4q", track, first, last, count)
    heading += b"".join(_NAN if bound is None else struct.pack("<d", bound + 0.0) for bound in (least, most, mean))
    return bool(zlib.crc32(data, zlib.crc32(steps)) == data_checksum and len(data) == 8 * count and
                zlib.crc32(heading + struct.pack("<I", data_checksum)) == checksum)


def _steps(rows: Sequence[Sequence[Any]]) -> npt.NDArray[np.int64]:
    """Returns the steps of chunks and batches in one array. Each row has runs of consecutive steps as pairs of varints: the gap from
    the run before, and the length. All are decoded at once."""
    import numpy as np
    encoded = [row[8] or b"\0" + _varint(row[2]) for row in rows]
    numbers, ends = _varints(b"".join(encoded))
    gaps, lengths = numbers[0::2], numbers[1::2]
    before = np.searchsorted(ends, np.cumsum([0, *map(len, encoded[:-1])])) // 2  # runs before each row
    # A run begins after the gaps and the runs before it; the first run of a row begins with the row.
    begins = np.cumsum(gaps) + _sums_before(lengths - 1)
    firsts = np.array([row[0] for row in rows], np.int64)
    begins += np.repeat(firsts - begins[before], np.diff(np.append(before, len(gaps))))
    offsets: npt.NDArray[np.int64] = np.repeat(begins - _sums_before(lengths), lengths)
    return np.arange(len(offsets), dtype=np.int64) + offsets


def _sums_before(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns for each number the sum of those before it."""
    import numpy as np
    sums: npt.NDArray[np.int64] = np.cumsum(numbers)
    return sums - numbers


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _varints(encoded: bytes) -> Tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the numbers, and the position of the last byte of each."""
    import numpy as np
    data = np.frombuffer(encoded, np.uint8)
    ends = np.flatnonzero(data < 0x80)
    if len(ends) == len(data):
        return data.astype(np.int64), ends
    begins = np.append(0, ends[:-1] + 1)
    places = np.arange(len(data)) - np.repeat(begins, ends - begins + 1)
    numbers: npt.NDArray[np.int64] = np.add.reduceat((data & 0x7F).astype(np.int64) << (7 * places), begins)
    return numbers, ends
