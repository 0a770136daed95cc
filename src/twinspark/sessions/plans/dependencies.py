"""Records what a plan read while it was analyzed: views, files, and state that may change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.tables.files.scan import FoundFiles

MOST_BYTES = 64 * 1024  # a larger plan contains rows, which are not worth storing twice
Views = dict[tuple[str, ...], Any]


@dataclass
class Dependencies:
    """Records what a plan read while it was analyzed: views and files are compared later, other mutable state prevents
    caching."""

    views: Views = field(default_factory=dict)
    files: list[FoundFiles] = field(default_factory=list)
    cacheable: bool = True

    @property
    def reads_views(self) -> bool:
        return any(view is not None for view in self.views.values())

    def context(self, context: Context) -> Context:
        return replace(
            context,
            views=RecordedViews(context.views, self),
            scan_files=self.record_scans(context.scan_files),
            collect=self.record_calls(context.collect),
            tables=self.record_access(context.tables),
            functions=self.record_access(context.functions),
            pythons=self.record_access(context.pythons),
            relations=self.record_access(context.relations),
        )

    def record_scans(self, scan_files: Callable[..., Any]) -> Callable[..., Any]:
        def scan(*arguments: Any) -> Any:
            found = scan_files(*arguments)
            if found.looked is None:
                self.cacheable = False
            else:
                self.files.append(found.looked)
            return found

        return scan

    def record_calls(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.cacheable = False
            return function(*arguments)

        return call

    def record_access(self, target: Any) -> Any:
        return None if target is None else AccessRecorder(target, self)


class RecordedViews(Mapping[tuple[str, ...], Any]):
    """A session's views; each lookup is recorded, also one that found nothing."""

    def __init__(self, views: Mapping[tuple[str, ...], Any], dependencies: Dependencies) -> None:
        self._views, self._dependencies = views, dependencies

    def __getitem__(self, key: tuple[str, ...]) -> Any:
        self._dependencies.views[key] = self._views.get(key)
        return self._views[key]

    def __iter__(self) -> Any:
        self._dependencies.cacheable = False
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)


class AccessRecorder:
    """Wraps tables, functions or checkpoints, which have mutable state: a plan that uses them is not cached."""

    def __init__(self, target: Any, dependencies: Dependencies) -> None:
        self._target, self._dependencies = target, dependencies

    def __getattr__(self, name: str) -> Any:
        self._dependencies.cacheable = False
        return getattr(self._target, name)
