"""The tokens that clients authenticate with and the users they belong to: from a file that may change, or a single
one."""

import hmac
import logging
import os
import threading
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("twinspark.tokens")
LOOK_SECONDS = 1.0  # at most this often is the file checked for changes
BEARER = "Bearer "


@dataclass(frozen=True)
class AdmittedClient:
    """A client with a valid token; a token without a name lets the client choose its user name."""

    name: str | None = None


class Tokens:
    """All tokens of a server; an empty set admits every client."""

    def __init__(self, single: str | None = None, file: str | None = None) -> None:
        self._single = {single: None} if single else {}
        self._file = Path(file) if file else None
        self._lock = threading.Lock()
        self._looked = 0.0
        self._state: tuple[int, int] | None = None
        self._listed: Mapping[str, str | None] = {}
        if self._file is not None:
            self._state = state_of(self._file)
            self._listed = read_tokens(self._file)

    def __bool__(self) -> bool:
        """Whether a token is required: a file that has become empty admits nobody."""
        return bool(self._single) or self._file is not None

    def names_users(self) -> bool:
        """Whether some tokens belong to named users."""
        self._look_again()
        return any(name is not None for name in self._listed.values())

    def admit(self, secret: str) -> AdmittedClient | None:
        """Compares every token, each in constant time, so that timing reveals nothing."""
        self._look_again()
        given, found = secret.encode(), None
        for key, name in {**self._single, **self._listed}.items():
            if hmac.compare_digest(given, key.encode()):
                found = AdmittedClient(name)
        return found if self else AdmittedClient()

    def admit_header(self, authorization: str) -> AdmittedClient | None:
        """`Bearer TOKEN`, as PySpark sends it."""
        if not self:
            return AdmittedClient()
        return self.admit(authorization.removeprefix(BEARER)) if authorization.startswith(BEARER) else None

    def reload(self) -> None:
        """Reads the file again, whether or not it looks changed."""
        if self._file is not None:
            with self._lock:
                self._state = None
                self._reload(self._file)

    def _look_again(self) -> None:
        if self._file is None or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        with self._lock:
            self._looked = time.monotonic()
            self._reload(self._file)

    def _reload(self, file: Path) -> None:
        """Keeps the old tokens if the file cannot be read now, and logs that; the content is never logged."""
        try:
            state = state_of(file)
            if state != self._state:
                self._listed, self._state = read_tokens(file), state
                log.info("%d tokens reloaded from %s", len(self._listed), file)
        except (OSError, ValueError) as failure:
            log.error("reloading the tokens in %s failed: %s", file, type(failure).__name__)


def state_of(file: Path) -> tuple[int, int]:
    found = os.stat(file)
    return found.st_mtime_ns, found.st_ino


def read_tokens(file: Path) -> dict[str, str | None]:
    """Lines `name:token`, or a token alone; or TOML with a table `tokens` of name = "token"."""
    text = file.read_text()
    if file.suffix == ".toml":
        return validate_tokens({str(token): str(name) for name, token in tomllib.loads(text).get("tokens", {}).items()})
    lines = [line.strip() for line in text.splitlines()]
    return validate_tokens(dict(map(named_token, [line for line in lines if line and not line.startswith("#")])))


def named_token(line: str) -> tuple[str, str | None]:
    name, separator, token = line.partition(":")
    return (token.strip(), name.strip()) if separator else (line, None)


def validate_tokens(tokens: dict[str, str | None]) -> dict[str, str | None]:
    if not all(token and (name is None or name) for token, name in tokens.items()):
        raise ValueError("a token or a name is empty")
    return tokens
