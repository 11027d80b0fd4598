"""Tests of many threads, and of two stores over one folder: no update is lost, nobody waits for ever."""

from __future__ import annotations

from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

import orjson
import pytest

from nola import files
from nola.errors import ConflictError, NolaError, PathError
from nola.settings import StateSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.types import Json

    from .conftest import MakeStore


def run(count: int, work: Callable[[int], None]) -> None:
    """Run some threads at once; what one of them raises is raised here."""
    barrier = Barrier(count)
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 -- it is raised below
            errors.append(error)

    threads = [Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def add_one(value: Json) -> Json:
    """Count."""
    return value + 1 if isinstance(value, int) else 1


@pytest.mark.row("E28")
def test_eight_threads_write_sections_of_their_own(store: StateStore) -> None:
    """Fifty values each: all are there, and each is recorded."""

    def work(number: int) -> None:
        for item in range(50):
            store.set(f"section{number}.n{item}", item, who="nola")

    run(8, work)
    for number in range(8):
        assert store.get(f"section{number}") == {f"n{item}": item for item in range(50)}
    assert len(store.changes(limit=1000)) == 400
    assert store.problems() == []


@pytest.mark.row("E31")
def test_sixteen_threads_count_exactly(store: StateStore) -> None:
    """Between reading and writing nobody comes in between; the version rises by one each time."""
    before = store.get_node("user")

    def work(_: int) -> None:
        for _ in range(10):
            store.update("user.count", add_one, who="nola")

    run(16, work)
    assert store.get("user.count") == 160
    after = store.get_node("user")
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert after["metadata"]["version"] - before["metadata"]["version"] == 160  # type: ignore[index, call-overload, operator]


def test_a_count_without_the_update_loses(store: StateStore) -> None:
    """The control: reading and writing apart from each other is what an update is for."""
    turn = Barrier(2)

    def careless(_: int) -> None:
        value = store.get("user.count") if "count" in str(store.get("user")) else 0
        turn.wait()
        store.set("user.count", add_one(value), who="nola")

    store.set("user.count", 0, who="nola")
    run(2, careless)
    assert store.get("user.count") == 1


@pytest.mark.row("E31")
def test_a_function_may_read_and_write_itself(store: StateStore) -> None:
    """Other modules, its own module, and even its own place; what it returns is what stands there."""
    store.set("user.count", 1, who="nola")

    def busy(value: Json) -> Json:
        assert store.get("user.count") == value
        store.set("work.seen", value, who="nola")
        store.set("user.other", "x", who="nola")
        store.set("user.count", 50, who="nola")
        store.update("user.third", add_one, who="nola")
        return add_one(value)

    store.update("user.count", busy, who="nola")
    assert store.get("user") == {"count": 2, "other": "x", "third": 1}
    assert store.get("work") == {"seen": 1}
    assert [change.path for change in store.changes(limit=5)] == [
        "user.count", "user.third", "user.count", "user.other", "work.seen",
    ]  # fmt: skip


@pytest.mark.row("E31")
def test_what_a_function_writes_is_kept_in_a_group(store: StateStore) -> None:
    """Other threads write the same module in the same flush of the disk."""

    def work(number: int) -> None:
        if number % 2:
            store.set(f"user.plain{number}", number, who="nola")
            return

        def busy(value: Json) -> Json:
            store.set(f"user.inner{number}", number, who="nola")
            return add_one(value)

        store.update("user.count", busy, who="nola")

    for _ in range(5):
        run(8, work)
    user = store.get("user")
    assert isinstance(user, dict)
    assert user == {
        "count": 20,
        **{f"plain{number}": number for number in (1, 3, 5, 7)},
        **{f"inner{number}": number for number in (0, 2, 4, 6)},
    }


def test_what_a_function_raises_reaches_its_caller_alone(store: StateStore) -> None:
    """Nothing is written for it; the others are not disturbed."""

    def fails(_: Json) -> Json:
        raise ZeroDivisionError

    def work(number: int) -> None:
        if number == 0:
            with pytest.raises(ZeroDivisionError):
                store.update("user.x", fails, who="nola")
        elif number == 1:
            with pytest.raises(PathError):
                store.set("Nola.identity.user", 1, who="nola")
        else:
            store.set(f"user.n{number}", number, who="nola")

    run(6, work)
    assert store.get("user") == {"n2": 2, "n3": 3, "n4": 4, "n5": 5}


def test_a_value_too_large_is_refused_alone(make_store: MakeStore) -> None:
    """Of a group in which one can't be written, the others are written once each."""
    store = make_store(settings=StateSettings(max_bytes=2000))
    store.set("user.log", [], who="nola")

    def work(number: int) -> None:
        for item in range(5):
            if number == 0:
                with pytest.raises(NolaError, match="are more than"):
                    store.set("user.big", "x" * 3000, who="nola")
            else:
                store.append("user.log", f"{number}-{item}", who="nola")

    run(6, work)
    log = store.get("user.log")
    assert isinstance(log, list)
    assert sorted(map(str, log)) == [f"{number}-{item}" for number in range(1, 6) for item in range(5)]


def test_a_module_may_come_and_go_within_a_group(store: StateStore) -> None:
    """Each write is acknowledged with its own change, and what is left is what the last one says."""

    def work(number: int) -> None:
        for _ in range(10):
            if number % 2:
                store.set("work.employer", "Harbour", who="nola")
                continue
            try:
                store.unset("work", who="nola")
            except PathError:
                continue

    run(6, work)
    newest = store.changes(limit=1)[0]
    assert (newest.path == "work.employer") == ("work" in store.module_names())
    assert store.problems() == []


@pytest.mark.bar("B2")
def test_two_stores_count_together(make_store: MakeStore) -> None:
    """Eight threads, two objects on one folder, each taking the other's turn into account."""
    stores = (make_store(), make_store())

    def work(number: int) -> None:
        store = stores[number % 2]
        for item in range(5):
            store.update("user.count", add_one, who="nola")
            store.append("user.log", f"{number}-{item}", who="nola")
            store.get("identity.user")

    run(8, work)
    for store in stores:
        assert store.get("user.count") == 40
        log = store.get("user.log")
        assert isinstance(log, list)
        assert len(set(map(str, log))) == 40
    changes = stores[0].changes(limit=1000)
    assert len(changes) == 80
    assert {change.via for change in changes} == {""}


@pytest.mark.bar("B2")
def test_a_lock_that_is_never_free_is_told_in_time(make_store: MakeStore, folder: Path) -> None:
    """A typed error, and reading goes on."""
    store = make_store(settings=StateSettings(lock_timeout=0.2))
    held, done = Event(), Event()

    def hold() -> None:
        with files.locked(folder / ".lock"):
            held.set()
            done.wait(30)

    thread = Thread(target=hold)
    thread.start()
    held.wait(10)
    with pytest.raises(ConflictError, match=r"another process has held \.lock for 0\.2 s"):
        store.set("user.name", "Ana", who="nola")
    assert store.get("user") == {}
    done.set()
    thread.join()
    store.set("user.name", "Ana", who="nola")
    assert store.get("user.name") == "Ana"


@pytest.mark.bar("B2")
def test_a_thread_that_never_ends_its_update_is_told_to_the_others(make_store: MakeStore) -> None:
    """Both waiting for one's turn and waiting for the lock give up."""
    store = make_store(settings=StateSettings(lock_timeout=0.2))
    inside, done = Event(), Event()

    def slow(_: Json) -> Json:
        inside.set()
        done.wait(30)
        return 1

    thread = Thread(target=lambda: store.update("user.slow", slow, who="nola"))
    thread.start()
    inside.wait(10)
    with pytest.raises(ConflictError, match=r"0\.2 s"):
        store.set("user.name", "Ana", who="nola")
    with pytest.raises(ConflictError, match=r"another thread has held the state for 0\.2 s"):
        store.get("user")
    done.set()
    thread.join()
    assert store.get("user") == {"slow": 1}


@pytest.mark.bar("B7")
def test_an_owner_and_threads_lose_nothing(store: StateStore, folder: Path) -> None:
    """The owner saves keys of their own as fast as they can, by rename; all keys of both sides are there."""
    store.set("work.begin", 0, who="nola")
    file = folder / "modules/work.json"

    def edit(number: int) -> bool:
        """Read, change and save as an editor does; say whether nobody saved in between."""
        before = file.read_bytes()
        raw = orjson.loads(before)
        raw["data"][f"owner{number}"] = number
        (folder / "editing~").write_bytes(orjson.dumps(raw))
        if file.read_bytes() != before:
            return False
        (folder / "editing~").replace(file)
        return True

    def work(number: int) -> None:
        for item in range(20):
            if number == 0:
                while not edit(item):
                    pass
            else:
                store.set(f"work.nola{number}n{item}", item, who="nola")

    run(3, work)
    found = store.get("work")
    assert isinstance(found, dict)
    missing = {f"owner{item}" for item in range(20)} - found.keys()
    lost = {f"nola{number}n{item}" for number in (1, 2) for item in range(20)} - found.keys()
    recorded = {change.path for change in store.changes("work", limit=1000) if not change.new_present}
    # An editor that saves over what came in between takes it out; that is recorded as the owner's, never silent.
    assert (missing, {f"work.{name}" for name in lost} - recorded) == (set(), set())
