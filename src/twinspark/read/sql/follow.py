"""Which words go on with the statement where a name could stand too: every keyword is a name by default.

`SELECT a limit FROM t` has an alias named limit, `SELECT a LIMIT 1` has not. Spark's generated parser looks ahead as
far as it must; here the token behind the word decides.
"""

from twinspark.read.sql.keywords import words
from twinspark.read.sql.literals import Literals

_ENDS = frozenset({"eof", ",", ")", ";", "]", "|>"})
# With one of these behind it the word is no name.
_SECOND: dict[str, frozenset[str]] = {
    word: frozenset(second.split())
    for word, second in {
        "GROUP": "BY",
        "ORDER": "BY",
        "SORT": "BY",
        "CLUSTER": "BY",
        "DISTRIBUTE": "BY",
        "PARTITION": "BY (",
        "LATERAL": "VIEW",
        "GROUPING": "SETS",
        "WITH": "ROLLUP CUBE (",
        "UNION": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "EXCEPT": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "MINUS": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "INTERSECT": "SELECT ALL DISTINCT ( VALUES TABLE MAP REDUCE",
        "PIVOT": "(",
        "UNPIVOT": "( INCLUDE EXCLUDE",
        "TABLESAMPLE": "( SYSTEM BERNOULLI",
        "INSERT": "INTO OVERWRITE WITH",
        "WHEN": "MATCHED NOT !",
        "APPROX": "NEAREST",
        "EXACT": "NEAREST",
        "DELAY": "OF",
        "REPLACE": "WHERE ON USING",
        "BY": "NAME",
        "IDENTIFIED": "BY",
        "CHANGES": "FROM",
    }.items()
}
# With anything but an end behind it the word is no name.
_WITH_BODY = frozenset({"FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "SELECT", "FOR"})
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})
_BY_WORDS = frozenset({"GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"})
_JOINS = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "ON", "USING", "WHERE", "SEMI", "ANTI"}
)
_IS = frozenset({"NOT", "!", "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT"})
_NEGATABLE = frozenset({"BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE"})


class Follow(Literals):
    """The layer that tells aliases from clauses and operators from aliases."""

    script_depth = 0  # inside BEGIN … END, where DO ends the query of a FOR loop

    def is_alias(self, at: int, names: frozenset[str]) -> bool:
        """Whether the token is a name that renames what stands before it."""
        kind = self.kinds[at]
        if kind == "identifier":
            return True
        return kind in names and not self._goes_on(kind, at)

    def _goes_on(self, kind: str, at: int) -> bool:
        second = self.kinds[at + 1]
        if kind in _WITH_BODY:
            return not self._ends(at + 1) and second != kind and not self._is_next_clause(at + 1)
        if kind in _SECOND:
            return second in _SECOND[kind] and not (second == "BY" and self._ends(at + 2))
        if kind == "WINDOW":
            return self.is_name(at + 1) and self.kinds[at + 2] == "AS"
        if kind == "SET":
            return self.is_name(at + 1) and self.kinds[at + 2] in (".", "=")
        if kind in ("MAP", "REDUCE"):
            return not self._ends(at + 1) and second not in _JOINS and second not in _SECOND and second != "("
        return kind == "DO" and self.script_depth > 0

    def _is_next_clause(self, at: int) -> bool:
        """FROM WHERE a = b: the clause begins at WHERE, so FROM before it is a name."""
        kind = self.kinds[at]
        if kind in _SET_OPERATORS:
            return self._goes_on(kind, at)
        if kind not in _WITH_BODY and kind not in _BY_WORDS:
            return False
        return self.kinds[at + 1] not in _OPERATORS and self.kinds[at + 1] != "(" and self._goes_on(kind, at)

    def is_by(self, word: str) -> bool:
        """Whether GROUP BY, ORDER BY … stands here; `group by` with nothing behind it is a name and its alias."""
        return self.kinds[self.at] == word and self._goes_on(word, self.at)

    def _ends(self, at: int) -> bool:
        """Nothing that an expression or a relation could begin with."""
        kind = self.kinds[at]
        if kind == "FROM":
            return not (self.kinds[at + 1] in _ENDS or self._is_operator(at + 1))
        return kind in _ENDS

    def _is_operator(self, at: int) -> bool:
        return self.kinds[at] in _OPERATORS

    def is_infix(self, at: int) -> bool:
        """Whether AND, OR, DIV, LIKE … here is the operator, not an alias of that name."""
        kind, second = self.kinds[at], self.kinds[at + 1]
        if kind == "IN":
            return second == "("
        if kind == "IS":
            return second in _IS
        if kind in ("NOT", "!"):
            return second in _NEGATABLE
        return not self._ends(at + 1)


_OPERATORS = words(
    """
    = <=> <> != < <= > >= + - * / % || | & ^ . [ :: AND OR IS IN BETWEEN LIKE ILIKE RLIKE DIV << >> >>>
    """
)
