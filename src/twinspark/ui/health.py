"""`/healthz` and `/readyz`, which load balancers and Kubernetes request without a token."""

from collections.abc import Callable
from typing import Any

Application = Callable[[dict[str, Any], Any], Any]
PLAIN = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]


def with_health(application: Application, obstacle: Callable[[], str | None]) -> Application:
    """`/healthz` says that the process answers, `/readyz` whether it takes new operations, or the obstacle."""

    def answer(environment: dict[str, Any], start: Any) -> Any:
        path = environment.get("PATH_INFO", "")
        if path not in ("/healthz", "/readyz"):
            return application(environment, start)
        problem = obstacle() if path == "/readyz" else None
        start("200 OK" if problem is None else "503 Service Unavailable", PLAIN)
        return [f"{problem or 'ok'}\n".encode()]

    return answer
