"""Takes in what others did to the files: the owner's edits are recorded, merged where they must be, never lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, DocumentError, NolaError, StorageError
from nola.state import conflicts, contract, past, patch, paths, sync
from nola.state.draft import bare
from nola.state.history import Recorded, new_id
from nola.state.listing import LOCK_FILE
from nola.state.loaded import PARENTS, Turned, digest_of, file_of, problem
from nola.state.merge import Merged, three_way
from nola.state.orphans import RESCUED
from nola.state.past import EDITOR
from nola.state.places import Place, changed_places, lasting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from nola.clock import Clock
    from nola.flow import Problem
    from nola.settings import StateSettings
    from nola.state.history import History
    from nola.state.loaded import Late
    from nola.state.shelf import Shelf
    from nola.types import ChangeId, Json

__all__ = ["EDITOR", "OWNER", "Intake"]

OWNER = "owner"
_KEPT = {
    "corrupt": "its bytes had gone bad; the last good copy was put back",
    RESCUED: "you saved it while Nola was saving, and she was stopped before she could join the two",
}
# An edit that changes more places than this is one change of the whole module.
_MOST_PLACES = 200
_NOLA = "nola"
# Looking waits less for another writer than a write does: what is owed is recorded at the next look.
_LOOK_WAIT_S = 1.0


class Intake:
    """Looks at the files of one state folder. Not thread-safe: its owner holds the lock.

    Args:
        folder: The state folder.
        shelf: Its documents.
        history: Where every change is recorded.
        clock: Tells the time.
        settings: Waits.
    """

    def __init__(self, folder: Path, shelf: Shelf, history: History, *, clock: Clock, settings: StateSettings) -> None:
        self._folder = folder
        self._shelf = shelf
        self._history = history
        self._clock = clock
        self._wait_s = min(_LOOK_WAIT_S, settings.lock_timeout)
        self._owed: dict[str, Turned] = {}
        self._trouble: tuple[Problem, ...] = ()
        self._late: list[Late] = []
        self._newest: ChangeId | None = None
        self._counts: Counter[str] = Counter()
        self.edits: dict[str, list[tuple[str, ...]]] = {}
        shelf.is_recorded = history.tells_of
        shelf.caught_up = lambda name, base: past.caught_up(name, base, history.recent()) or base

    def look(self) -> dict[str, Turned]:
        """Look at all files and take in what is new; return the documents that are not what they were.

        Afterwards `edits` tells which places of which modules the owner changed since the look before.
        """
        turned = _joined(self._owed, self._shelf.look())
        late = self._late = [*self._late, *self._shelf.late()]
        self.edits = {}
        if not turned and not late and not self._shelf.rotten():
            return {}
        try:
            if late or self._shelf.rotten() or any(change.foreign for change in turned.values()):
                with files.locked(self._folder / LOCK_FILE, timeout_s=self._wait_s):
                    turned = _joined(turned, self._shelf.look())
                    is_restored = self._is_restored()
                    outdated = {} if is_restored else self._outdated(turned)
                    turned = self._taken(turned, is_restored=is_restored)
                    self._carry_over(outdated)
                    turned = {**turned, **self._merged_late(late)}
                    self._restore_rotten()
            self._owed, self._late, self._trouble = {}, [], ()
        except (ConflictError, StorageError, DocumentError) as error:
            # Reading goes on; what is not recorded yet is recorded at a later look.
            self._owed = {name: change for name, change in turned.items() if change.foreign}
            self._trouble = (problem(".", f"a change by hand could not be recorded yet: {error}", "warning"),)
        self._note_edits()
        return {name: change for name, change in turned.items() if change.foreign or self._is_new(change)}

    def begin(self) -> None:
        """Do what a start has to do: drop from the history what was written down and then never happened.

        Raises:
            ConflictError: Somebody else is writing, and so may be about to make it happen.
            StorageError: The disk refused.
        """
        newest = next(self._history.recent(), None)
        self._newest = newest.id if newest else None
        with files.locked(self._folder / LOCK_FILE, timeout_s=self._wait_s):
            group = self._history.last_saved()
            never = [change for change in group if not self._happened(change, group)]
            if never:
                self._history.void(never)

    def is_owing(self) -> bool:
        """Say whether a change by hand could not be recorded yet."""
        return bool(self._owed)

    def edits_of(self, name: str) -> int:
        """Count the places in a module that the owner edited since the start."""
        return self._counts[name]

    def note_own(self, changes: Sequence[Recorded]) -> None:
        """Note what this process wrote itself: its own changes are nobody's edits."""
        if changes:
            self._newest = changes[-1].id

    def problems(self) -> list[Problem]:
        """List what could not be recorded, and what was mended."""
        return [*self._trouble, *self._mended()]

    def _taken(self, turned: Mapping[str, Turned], *, is_restored: bool) -> dict[str, Turned]:
        """Record the owner's edits; return all changes, those known from the history no longer foreign."""
        digests = self._history.digests([name for name, change in turned.items() if change.foreign])
        now = self._clock.now()
        records: list[Recorded] = []
        result = {}
        for name, change in turned.items():
            foreign = change.foreign and not is_restored and not self._is_known(name, digests)
            found = self._records(change, now, self._history.recent()) if foreign else []
            records += found
            result[name] = replace(change, foreign=bool(found))
        if records:
            self._history.add(records)
        for name, change in turned.items():
            if not change.foreign:
                continue
            if name in self._shelf:
                self._shelf.agree(name)
            else:
                self._shelf.disown(name)
        return result

    def _is_restored(self) -> bool:
        """Say whether the history is another one now: a backup was brought back, and what came with it is no edit."""
        changes = self._history.backwards()
        newest = next(changes, None)
        if self._newest is None or newest is None or newest.id == self._newest:
            return False
        if any(change.id == self._newest for change in changes):
            return False
        self._newest = newest.id
        return True

    def _is_known(self, name: str, digests: Mapping[str, str]) -> bool:
        """Say whether a document stands as Nola saved it last; what she saved earlier is an edit again."""
        return digests.get(name) == (self._shelf[name].digest.hex() if name in self._shelf else "")

    def _is_new(self, change: Turned) -> bool:
        """Say whether a document differs from what it was; another spelling of the same values is nothing new."""
        now = self._shelf.find(change.name)
        return now is None or change.base is None or not patch.same(now.raw, change.base)

    def _records(self, change: Turned, now: datetime, recent: Iterable[Recorded]) -> list[Recorded]:
        name = change.name
        new = self._own(name, self._shelf[name].raw) if name in self._shelf else None
        base = self._caught_up(name, change.base, recent)
        old = None if base is None else self._own(name, base)
        if old is None and (new is None or name in paths.CORE):
            return []  # birth
        steps = patch.diff(patch.ABSENT if old is None else bare(old), patch.ABSENT if new is None else bare(new))
        if not steps:
            return []
        loaded = self._shelf.find(name)
        version = contract.version_of(loaded.metadata) if loaded else 0
        digest = loaded.digest.hex() if loaded else ""
        places = _places(old, new)
        made = [_record(name, place, now) for place in places]
        made[0] = replace(made[0], patch=tuple(steps), created=file_of(name) if old is None else "")
        made[-1] = replace(made[-1], version=version, digest=digest)
        return [replace(record, version=version) for record in made]

    def _caught_up(self, name: str, base: dict[str, Json] | None, recent: Iterable[Recorded]) -> dict[str, Json] | None:
        """Bring the version that was agreed on up to what Nola saved since; copies lag behind when she is killed."""
        loaded = self._shelf.find(name)
        version = contract.version_of(loaded.metadata) if loaded else 0
        lags = base is not None and contract.version_of(contract.split_root(base)[0]) < version
        # Nola raises the version, an owner seldom does: only then is it worth to read beyond the history's end.
        return past.caught_up(name, base, self._history.backwards() if lags and name not in PARENTS else recent)

    def _own(self, name: str, raw: dict[str, Json]) -> dict[str, Json]:
        """Return of a parent only what is its own: its copies change with what they are copied from."""
        if name not in PARENTS:
            return raw
        metadata, data = contract.split_root(raw)
        return {"metadata": lasting(metadata), "data": sync.own_data(name, data)}

    def _outdated(self, turned: Mapping[str, Turned]) -> dict[str, Merged]:
        """Find saves that an editor made of a version older than the last one, and what becomes of both together.

        The root's counter tells which version it was; the history, what stood in it. An older version that comes back
        as it was is what its owner wants.
        """
        found = {}
        for name, change in turned.items():
            loaded = self._shelf.find(name)
            ours = self._caught_up(name, change.base, self._history.recent()) if change.foreign and loaded else None
            if loaded is None or ours is None or name in PARENTS:
                continue
            version = contract.version_of(loaded.metadata)
            base = past.version_before(name, ours, version, self._history.backwards())
            if base is None or patch.same(contract.split_root(base)[1], loaded.data):
                continue
            merged = three_way(base, bare(ours), bare(loaded.raw))
            if isinstance(merged.value, dict) and (merged.clashes or not _same_data(merged.value, loaded.raw)):
                found[name] = merged
        return found

    def _carry_over(self, outdated: Mapping[str, Merged]) -> None:
        """Put back what Nola had saved and an editor that did not know of it saved over."""
        now = self._clock.now()
        for name, merged in outdated.items():
            theirs = self._shelf[name].raw
            if not isinstance(merged.value, dict):
                continue
            place, sides = paths.StatePath(name), (merged.value, theirs)
            conflicts.add(self._folder, [conflicts.of_clash(place, clash, sides, at=now) for clash in merged.clashes])
            if _same_data(merged.value, theirs):
                continue
            content = self._shelf.encoded(name, merged.value)
            self._shelf.save({name: (content, merged.value)}, self._history.file, b"")
            made = self._records(Turned(name, theirs, foreign=True), now, ())
            self._history.add([replace(change, who=_NOLA, via="merge") for change in made])

    def _merged_late(self, late: Sequence[Late]) -> dict[str, Turned]:
        """Bring home what an editor saved into a version that Nola had replaced while it was open."""
        turned = {}
        now = self._clock.now()
        for save in late:
            if save.name not in self._shelf:
                continue
            ours = self._shelf[save.name]
            merged = three_way(save.base, ours.raw, save.theirs)
            if not isinstance(merged.value, dict) or patch.same(merged.value, ours.raw):
                continue
            place, sides = paths.StatePath(save.name), (ours.raw, save.theirs)
            lost = [conflicts.of_clash(place, clash, sides, at=now) for clash in merged.clashes]
            conflicts.add(self._folder, lost)
            content = self._shelf.encoded(save.name, merged.value)
            self._shelf.save({save.name: (content, merged.value)}, self._history.file, b"")
            change = Turned(save.name, ours.raw, foreign=True)
            self._history.add(self._records(change, now, ()))
            turned[save.name] = change
        return turned

    def _restore_rotten(self) -> None:
        """Bring back files whose bytes went bad under Nola, and keep the bad ones beside them (D6)."""
        for name in self._shelf.rotten():
            path = self._folder / file_of(name)
            good = self._shelf[name].content
            if not good:
                continue
            stamp = self._clock.now().strftime("%Y%m%dT%H%M%SZ")
            files.copy_aside(path, path.with_name(f"{path.name}.corrupt.{stamp}"))
            files.write_atomic(path, good, follow=True)
            self._shelf.look()
            self._shelf.agree(name)

    def _mended(self) -> list[Problem]:
        """Tell of each file that was kept beside its document until its owner has looked at it."""
        return [
            problem(
                str(file.relative_to(self._folder)).partition(f".{kept}.")[0],
                f"{why}; look at {file.name}, then delete it",
                "warning",
            )
            for kept, why in _KEPT.items()
            for where in (self._folder, self._folder / "modules")
            for file in sorted(where.glob(f"*.json.{kept}.*"))
        ]

    def _note_edits(self) -> None:
        """Find which places the owner edited since the look before, whichever process recorded it."""
        newest = self._newest
        for number, change in enumerate(self._history.recent()):
            if not number:
                newest = change.id
            if change.id == self._newest:
                break
            if change.via == EDITOR:
                parsed = paths.parse(change.path)
                self._counts[parsed.module] += 1
                self.edits.setdefault(parsed.module, []).append(parsed.steps)
        self._newest = newest

    def _happened(self, change: Recorded, group: Sequence[Recorded]) -> bool:
        """Say whether a change that was written down last is in the file too."""
        if change.via == EDITOR:
            return True
        name = change.module
        final = next(other for other in group if other.module == name)
        # The copy is made after the save: what the owner did to the file since doesn't make the save undone.
        try:
            held = (files.read_or_none(self._folder / file_of(name)), self._shelf.copied(name))
        except OSError:
            return True  # it can't be looked at, so nothing shows that it did not happen
        if _is_removal(final):
            return None in held
        return any(self._reaches(name, content, final) for content in held if content is not None)

    def _reaches(self, name: str, content: bytes, final: Recorded) -> bool:
        if digest_of(content).hex() == final.digest:
            return True
        try:
            return self._shelf.version_in(name, content) >= final.version
        except NolaError:
            return True


def _same_data(a: dict[str, Json], b: dict[str, Json]) -> bool:
    return patch.same(contract.split_root(a)[1], contract.split_root(b)[1])


def _places(old: dict[str, Json] | None, new: dict[str, Json] | None) -> list[Place]:
    """Name what an edit changed: place by place, or the whole module."""
    whole = Place((), patch.ABSENT if old is None else old, patch.ABSENT if new is None else new)
    if old is None or new is None:
        return [whole]
    (metadata_old, data_old), (metadata_new, data_new) = contract.split_root(old), contract.split_root(new)
    found = list(changed_places(data_old, data_new))
    if not patch.same(lasting(metadata_old), lasting(metadata_new)):
        return [whole]
    return found if 0 < len(found) <= _MOST_PLACES and found[0].steps else [whole]


def _is_removal(change: Recorded) -> bool:
    return not change.new_present and not paths.parse(change.path).steps


def _record(name: str, place: Place, now: datetime) -> Recorded:
    return Recorded(
        id=new_id(now),
        at=now,
        who=OWNER,
        path=paths.render([name, *place.steps]),
        old=None if place.old is patch.ABSENT else place.old,
        new=None if place.new is patch.ABSENT else place.new,
        old_present=place.old is not patch.ABSENT,
        new_present=place.new is not patch.ABSENT,
        via=EDITOR,
    )


def _joined(before: Mapping[str, Turned], after: Mapping[str, Turned]) -> dict[str, Turned]:
    """Join two looks: the base is what it was before the first."""
    joined = dict(before)
    for name, change in after.items():
        joined[name] = replace(change, base=before[name].base) if name in before else change
    return joined
