"""TABLESAMPLE in its four forms."""

from twinspark.read.sql.pivots import Pivots
from twinspark.read.sql.tree import Expression, Sample

_BYTES = "bkmg"


class Samples(Pivots):
    """The layer of samples."""

    def is_sample(self) -> bool:
        return self.kinds[self.at] == "TABLESAMPLE" and self.kinds[self.at + 1] in ("(", "SYSTEM", "BERNOULLI")

    def sample(self) -> Sample:
        start = self.start
        self.expect("TABLESAMPLE")
        self.take_any("SYSTEM", "BERNOULLI")
        self.expect("(")
        kind, values = ("", ()) if self.peek(")") else self._method()
        self.expect(")")
        seed = None
        if self.take("REPEATABLE", "("):
            seed = self.value()
            self.expect(")")
        self._check_sample(start, kind, values)
        return Sample(start, self.stop, kind, values, seed)

    def _method(self) -> tuple[str, tuple[Expression | str, ...]]:
        begin = self.start
        at = self.at + (self.kinds[self.at] == "-")
        if self.kinds[at] in ("integer", "decimal") and self.kinds[at + 1] == "PERCENT":
            self.at = at + 2
            return "PERCENT", (self.text[begin : self.stops[at]],)
        if self.kinds[self.at] == "BUCKET" and self.kinds[self.at + 1] in ("integer", "?", ":"):
            return self._bucket()
        value = self.expression()
        if self.take("ROWS"):
            return "ROWS", (value,)
        if self.take("PERCENT"):  # a parameter marker
            return "PERCENT", (value,)
        return "BYTES", (self.text[begin : self.stop],)

    def _bucket(self) -> tuple[str, tuple[Expression | str, ...]]:
        self.expect("BUCKET")
        numerator = self._whole_number()
        self.expect("OUT", "OF")
        denominator = self._whole_number()
        if not self.take("ON"):
            return "BUCKET", (numerator, denominator)
        self.multipart_identifier()
        return ("BUCKET ON function" if self.take("(", ")") else "BUCKET ON colname"), (numerator, denominator)

    def _whole_number(self) -> Expression | str:
        return self.tokens.word(self.at - 1) if self.take("integer") else self.marker()

    def _check_sample(self, start: int, kind: str, values: tuple[Expression | str, ...]) -> None:
        if not kind:
            self.complain("_LEGACY_ERROR_TEMP_0014", start, self.stop)
        elif kind.startswith("BUCKET ON"):
            message = f"BUCKET x OUT OF y {kind.removeprefix('BUCKET ')}"
            self.complain("_LEGACY_ERROR_TEMP_0015", start, self.stop, msg=message)
        elif kind == "BYTES":
            self._complain_of_bytes(start, str(values[0]))
        elif kind != "ROWS" and all(isinstance(value, str) for value in values):
            self._check_fraction(start, kind, [float(str(value)) for value in values])

    def _complain_of_bytes(self, start: int, text: str) -> None:
        """A size such as 300M is known to Spark, but not supported; anything else is no size."""
        if text[:-1].isdigit() and text[-1:].lower() in _BYTES:
            self.complain("_LEGACY_ERROR_TEMP_0015", start, self.stop, msg="byteLengthLiteral")
        else:
            self.complain("_LEGACY_ERROR_TEMP_0016", start, self.stop, bytesStr=text)

    def _check_fraction(self, start: int, kind: str, numbers: list[float]) -> None:
        fraction = numbers[0] / (100 if kind == "PERCENT" else numbers[1])
        if not -1e-6 <= fraction <= 1 + 1e-6:  # RandomSampler.roundingEpsilon
            message = f"Sampling fraction ({fraction}) must be on interval [0, 1]"
            self.complain("_LEGACY_ERROR_TEMP_0064", start, self.stop, msg=message)
