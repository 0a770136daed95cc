"""Dispatches a method by the class of its argument, like functools.singledispatchmethod but with less cost per call."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from types import MethodType
from typing import Any, Generic, TypeVar, overload

from twinspark.cancellation import check_wanted

Result = TypeVar("Result")
Method = TypeVar("Method", bound=Callable[..., Any])


class by_class(Generic[Result]):
    """Calls the method registered for the argument's class; `register` takes a class, or a method annotated with it."""

    def __init__(self, otherwise: Callable[..., Result]) -> None:
        self._routes = singledispatch(otherwise)
        self._known: dict[type, Callable[..., Result]] = {}

    @overload
    def register(self, kind: type) -> Callable[[Method], Method]: ...

    @overload
    def register(self, kind: Method) -> Method: ...

    def register(self, kind: Any) -> Any:
        self._known.clear()
        return self._routes.register(kind)

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Result]:
        return MethodType(self, owner)

    def __call__(self, owner: Any, node: Any, *more: Any) -> Result:
        check_wanted()
        kind = node.__class__
        method = self._known.get(kind)
        if method is None:
            method = self._known[kind] = self._routes.dispatch(kind)
        return method(owner, node, *more)
