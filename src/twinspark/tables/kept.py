"""What was read from files that never change, kept by their paths."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """So many values; the longest unused go first."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, path: str, read: Callable[[], Value]) -> Value:
        with self._lock:
            if path in self._values:
                self._values.move_to_end(path)
                return self._values[path]
        return self.put(path, read())

    def put(self, path: str, value: Value) -> Value:
        with self._lock:
            self._values[path] = value
            while len(self._values) > self._number:
                self._values.popitem(last=False)
        return value
