"""PIVOT and UNPIVOT."""

from twinspark.read.sql.primaries import Primaries
from twinspark.read.sql.tree import Alias, Expression, Name, Pivot, Relation, Unpivot, UnpivotColumns


class Pivots(Primaries):
    """The layer of PIVOT and UNPIVOT."""

    # ------------------------------------------------------------ PIVOT
    def pivot(self, relation: Relation | None) -> Pivot:
        start = self.start if relation is None else relation.start
        self.expect("PIVOT", "(")
        aggregates = self.named_expressions()
        self.expect("FOR")
        columns = self.identifier_list() if self.kinds[self.at] == "(" else (self.captured_identifier(),)
        self.expect("IN")
        values = self.in_parentheses(self._pivot_value)
        self.expect(")")
        return Pivot(start, self.stop, relation, aggregates, columns, values, self._pivot_alias())

    def _pivot_value(self) -> Expression:
        start = self.start
        child = self.expression()
        if not self.take("AS") and not self.is_alias(self.at, self.names):
            return child
        name = self.captured_identifier()
        return Alias(start, self.stop, child, (name,))

    def _pivot_alias(self) -> str | None:
        if self.kinds[self.at] == "AS" and self.is_name(self.at + 1):
            self.at += 1
            return self.captured_identifier()
        return self.captured_identifier() if self.is_alias(self.at, self.strict_names) else None

    # ------------------------------------------------------------ UNPIVOT
    def unpivot(self, relation: Relation | None) -> Unpivot:
        start = self.start if relation is None else relation.start
        self.expect("UNPIVOT")
        nulls = self.take_any("INCLUDE", "EXCLUDE")
        if nulls:
            self.expect("NULLS")
        self.expect("(")
        multiple = self.kinds[self.at] == "("
        values = self.in_parentheses(self.identifier) if multiple else (self.identifier(),)
        self.expect("FOR")
        name = self.identifier()
        self.expect("IN")
        columns = self.in_parentheses(self._unpivot_set if multiple else self._unpivot_column)
        self.expect(")")
        alias = self._pivot_alias()
        return Unpivot(start, self.stop, relation, nulls == "INCLUDE", values, name, columns, multiple, alias)

    def _unpivot_column(self) -> UnpivotColumns:
        start = self.start
        columns: tuple[Name, ...] = (self.multipart_identifier(),)
        return UnpivotColumns(start, self.stop, columns, self._pivot_alias())

    def _unpivot_set(self) -> UnpivotColumns:
        start = self.start
        columns = self.in_parentheses(self.multipart_identifier)
        return UnpivotColumns(start, self.stop, columns, self._pivot_alias())
