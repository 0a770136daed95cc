"""An LRU cache for what was read from immutable files."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """Up to `number` values; the least recently used are evicted first."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, read: Callable[[], Value]) -> Value:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        return self.put(key, read())

    def put(self, key: Hashable, value: Value) -> Value:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._number:
                self._values.popitem(last=False)
        return value
