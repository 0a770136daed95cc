"""Who is asking: sessions, operations, journal, configuration, and the choice of an engine.

The public `twinspark.session()` has this package's name, and Python puts a package over its parent's attribute as soon
as it is imported: so the package itself can be called, and opens a session.
"""

import sys
from types import ModuleType
from typing import Any


class _CallableRoom(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return sys.modules["twinspark"].open_session(*arguments, **options)


sys.modules[__name__].__class__ = _CallableRoom
