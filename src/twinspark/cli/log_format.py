"""The server's log: lines of text, or a JSON object for each record with the ids of user, session and operation."""

import datetime
import json
import logging

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
FORMATS = ("text", "json")
# What records of operations carry beside their message.
FIELDS = ("user", "session", "operation", "engine", "code", "outcome", "seconds")


class JsonFormatter(logging.Formatter):
    """One line for each record; an exception is one text with its lines."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        found = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        found |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found, ensure_ascii=False, default=str)


def log_to_stderr(level: int, form: str = "text") -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter(TEXT))
    logging.basicConfig(level=level, handlers=[handler])
