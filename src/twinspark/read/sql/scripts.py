"""SQL scripts: BEGIN … END with declarations, handlers, branches and loops."""

from collections.abc import Callable
from dataclasses import replace

from twinspark.read.sql.commands import Commands
from twinspark.read.sql.tree import (
    CaseStatement,
    Command,
    Compound,
    DeclareCondition,
    DeclareHandler,
    Expression,
    For,
    HandledCondition,
    IfElse,
    Iterate,
    Leave,
    Loop,
    Repeat,
    Statement,
    While,
)

_LABELLED = ("BEGIN", "WHILE", "REPEAT", "LOOP", "FOR")


class Scripts(Commands):
    """The top layer: a statement or a script."""

    def script_or_statement(self) -> Statement:
        """BEGIN … END at the start of the text is a script."""
        if self.kinds[self.at] == "BEGIN":
            return self._block(self.start, None)
        return self.statement()

    def skip_statement(self) -> None:
        """To the semicolon behind the statement or the script that starts here, or to the end."""
        start = self.start
        if self.kinds[self.at] == "BEGIN" and self.attempt(lambda: self._block(start, None)) is None:
            self.at = self.kinds.index("eof")  # a script with an error in it: nobody knows where it ends
        while self.kinds[self.at] not in (";", "eof"):
            self.at += 1

    # ------------------------------------------------------------ blocks
    def _compound(self, start: int, label: str | None) -> Compound:
        block = self._block(start, label)
        self._end_label(label, start)
        return replace(block, stop=self.stop)

    def _block(self, start: int, label: str | None) -> Compound:
        """The script itself has no label behind its END."""
        self.expect("BEGIN")
        if self.take("NOT"):
            self.expect("ATOMIC")
        self.script_depth += 1
        statements = () if self._is_end() else self._body_until("END")
        self.expect("END")
        self.script_depth -= 1
        return Compound(*self.span(start), label, statements)

    def _is_end(self) -> bool:
        return self.kinds[self.at] == "END"

    def _end_label(self, label: str | None, begin: int) -> None:
        """Where two labels differ Spark names the line of the first."""
        start = self.start
        if self.kinds[self.at] in ("eof", ";"):
            return
        found = self.strict_identifier().lower()
        if label is None:
            shown = {"endLabel": f"`{found}`"}
            self.complain_plainly("END_LABEL_WITHOUT_BEGIN_LABEL", "SqlScriptingException", start, **shown)
        elif label.lower() != found:
            shown = {"beginLabel": f"`{label.lower()}`", "endLabel": f"`{found}`"}
            self.complain_plainly("LABELS_MISMATCH", "SqlScriptingException", begin, **shown)

    def _body_until(self, *ends: str) -> tuple[Statement, ...]:
        """Statements, each with its semicolon, up to one of these words."""
        statements = [self._step()]
        self.expect(";")
        while self.kinds[self.at] not in ends:
            statements.append(self._step())
            self.expect(";")
        return tuple(statements)

    def _step(self) -> Statement:
        start, label = self.start, None
        if self.is_name(self.at) and self.kinds[self.at + 1] == ":" and self.kinds[self.at + 2] in _LABELLED:
            label = self.strict_identifier()
            self.at += 1
        kind = self.kinds[self.at]
        reader = _STEPS.get(kind)
        if reader is not None:
            return reader(self, start, label)
        if kind == "DECLARE":
            return self._declaration(start)
        if kind == "SET" and (found := self.attempt(lambda: self._set_step(start))):
            return found
        return self.statement()

    def _set_step(self, start: int) -> Command:
        self.expect("SET")
        if self.kinds[self.at] in ("VAR", "VARIABLE") and self.is_name(self.at + 1):
            self.at += 1
        found = self.set_variable(start)
        if self.kinds[self.at] != ";":
            raise self.fail()
        return found

    # ------------------------------------------------------------ declarations
    def _declaration(self, start: int) -> Statement:
        if self.kinds[self.at + 2] == "CONDITION" and self.kinds[self.at + 3] in (";", "FOR"):
            return self._declare_condition(start)
        if self.kinds[self.at + 1] in ("CONTINUE", "EXIT") and self.kinds[self.at + 2] == "HANDLER":
            return self._declare_handler(start)
        return self.declare()

    def _declare_condition(self, start: int) -> Command:
        self.expect("DECLARE")
        name = self.strict_identifier()
        self.expect("CONDITION")
        state = "45000"
        if self.take("FOR"):
            self.expect("SQLSTATE")
            self.take("VALUE")
            state = self.string_value()
        return DeclareCondition(*self.span(start), name, state)

    def _declare_handler(self, start: int) -> Command:
        self.expect("DECLARE")
        kind = self.expect_any("CONTINUE", "EXIT")
        self.expect("HANDLER", "FOR")
        conditions = self.listed(self._handled_condition)
        begin = self.start
        body = self._compound(begin, None) if self.kinds[self.at] == "BEGIN" else self._step()
        return DeclareHandler(*self.span(start), kind, conditions, body)

    def _handled_condition(self) -> HandledCondition:
        start = self.start
        if self.kinds[self.at] == "SQLSTATE" and (self.is_string(self.at + 1) or self.kinds[self.at + 1] == "VALUE"):
            self.at += 1
            self.take("VALUE")
            state = self.string_value()
            return HandledCondition(start, self.stop, "SQLSTATE", state)
        if self.take("SQLEXCEPTION"):
            return HandledCondition(start, self.stop, "SQLEXCEPTION", "")
        if self.take("NOT", "FOUND"):
            return HandledCondition(start, self.stop, "NOT FOUND", "")
        name = self.multipart_identifier()
        return HandledCondition(start, self.stop, "", name)

    # ------------------------------------------------------------ branches
    def _if(self, start: int, label: str | None) -> Command:
        self.expect("IF")
        branches = [self._branch("ELSEIF", "ELSE", "END")]
        while self.take("ELSEIF"):
            branches.append(self._branch("ELSEIF", "ELSE", "END"))
        otherwise = self._body_until("END") if self.take("ELSE") else ()
        self.expect("END", "IF")
        return IfElse(*self.span(start), tuple(branches), otherwise)

    def _branch(self, *ends: str) -> tuple[Expression, tuple[Statement, ...]]:
        condition = self.expression()
        self.expect("THEN")
        return condition, self._body_until(*ends)

    def _case_statement(self, start: int, label: str | None) -> Command:
        self.expect("CASE")
        value = None if self.kinds[self.at] == "WHEN" else self.expression()
        branches = []
        self.expect("WHEN")
        while True:
            branches.append(self._branch("WHEN", "ELSE", "END"))
            if not self.take("WHEN"):
                break
        otherwise = self._body_until("END") if self.take("ELSE") else ()
        self.expect("END", "CASE")
        return CaseStatement(*self.span(start), value, tuple(branches), otherwise)

    # ------------------------------------------------------------ loops
    def _while(self, start: int, label: str | None) -> Command:
        self.expect("WHILE")
        condition = self.expression()
        self.expect("DO")
        body = self._body_until("END")
        self.expect("END", "WHILE")
        self._end_label(label, start)
        return While(*self.span(start), label, condition, body)

    def _repeat(self, start: int, label: str | None) -> Command:
        self.expect("REPEAT")
        body = self._body_until("UNTIL")
        self.expect("UNTIL")
        until = self.expression()
        self.expect("END", "REPEAT")
        self._end_label(label, start)
        return Repeat(*self.span(start), label, body, until)

    def _loop(self, start: int, label: str | None) -> Command:
        self.expect("LOOP")
        body = self._body_until("END")
        self.expect("END", "LOOP")
        self._end_label(label, start)
        return Loop(*self.span(start), label, body)

    def _for(self, start: int, label: str | None) -> Command:
        self.expect("FOR")
        variable = None
        if self.is_name(self.at) and self.kinds[self.at + 1] == "AS":
            variable = self.strict_identifier()
            self.at += 1
        query = self.query()
        self.expect("DO")
        body = self._body_until("END")
        self.expect("END", "FOR")
        self._end_label(label, start)
        return For(*self.span(start), label, variable, query, body)

    def _leave(self, start: int, label: str | None) -> Command:
        self.expect("LEAVE")
        target = self.strict_identifier()
        return Leave(*self.span(start), target)

    def _iterate(self, start: int, label: str | None) -> Command:
        self.expect("ITERATE")
        target = self.strict_identifier()
        return Iterate(*self.span(start), target)


_STEPS: dict[str, Callable[[Scripts, int, str | None], Statement]] = {
    "BEGIN": Scripts._compound,
    "IF": Scripts._if,
    "CASE": Scripts._case_statement,
    "WHILE": Scripts._while,
    "REPEAT": Scripts._repeat,
    "LOOP": Scripts._loop,
    "FOR": Scripts._for,
    "LEAVE": Scripts._leave,
    "ITERATE": Scripts._iterate,
}
