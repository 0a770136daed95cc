"""The pages of the web UI over HTTP: what they show, and for whom; forms of other sites are rejected."""

import json
import re
import socket
import ssl
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages_of import Page, Site
from pyspark.sql import SparkSession
from signed_certificates import make_certificates
from waiting import until

from twinspark.cli.app import ui_port
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.access.tls import Tls
from twinspark.sessions.history.plan_graph import Node
from twinspark.sessions.settings import Settings
from twinspark.ui.web.charts import draw_chart
from twinspark.ui.web.guard import host_name
from twinspark.ui.web.html import tag
from twinspark.ui.web.messages import MOST_BODY
from twinspark.ui.web.plan_drawing import boxes_of, draw_plan
from twinspark.ui.web.statements import KEPT_RUNS, MOST_ROWS

Start = Callable[..., Site]
Connect = Callable[..., Any]
PAGES = ("/operations", "/sessions", "/sql", "/catalog", "/reasons", "/engines", "/verify", "/conformance")
SLOW = "SELECT count(*) FROM range(200000) a JOIN range(200000) b ON a.id * 7 % 13 = b.id * 5 % 13"


def run_statement(site: Site, text: str, **headers: str) -> Page:
    path = site.post("/sql", {"text": text}, **headers).headers["Location"]
    assert until(lambda: "Running for" not in site.get(path, **headers).words)
    return site.get(path, **headers)


def newest_path(site: Site, **headers: str) -> str:
    found = re.search(r'href="(/operations/[0-9a-f-]{36})"', site.get("/operations", **headers).text)
    assert found is not None
    return found[1]


# ---- what pages show


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens(site: Start, path: str) -> None:
    page = site().get(path)
    assert page.status == 200 and page.text.count("<h1>") == 1
    assert f'href="{path}" aria-current="page"' in page.text


def test_an_operation_has_its_plan_sql_and_passes(site: Start, spark_of: Connect) -> None:
    server = site()
    spark_of(server, "user_id=ada").sql("SELECT id % 3 AS k, count(*) FROM range(9) GROUP BY k").collect()
    words = server.get(newest_path(server)).words
    for expected in ("Succeeded", "duckdb", "NATIVE", "ada", "SELECT id % 3 AS k", "Aggregate", "Typed plan", "9"):
        assert expected in words
    assert "Succeeded" in server.get("/operations").words


def test_errors_and_reasons_are_shown(site: Start, spark_of: Connect) -> None:
    server = site()
    spark = spark_of(server)
    for query in ("SELECT 1 / 0", "SELECT from_csv('1', 'a int', map('locale', 'de'))"):
        with pytest.raises(Exception, match=r"DIVIDE_BY_ZERO|FUNCTION_OPTION"):
            spark.sql(query).collect()
    assert "Leave the option out" in server.get(newest_path(server)).words
    assert "FUNCTION_OPTION" in server.get("/reasons").words
    assert "1 ended" in server.get("/operations?text=divide_by").words


def test_a_query_can_be_profiled_afterwards(site: Start, spark_of: Connect) -> None:
    server = site()
    spark_of(server).range(1000).groupBy("id").count().collect()
    page = server.get(newest_path(server))
    assert "Run again with a profile" in page.words and "1,000 rows ·" not in page.words
    again = server.post(f"{newest_path(server)}/profile").headers["Location"]
    assert until(lambda: "measured while the query ran" in server.get(again).words)
    assert re.search(r"duckdb · 1,000 rows · [\d.]+ (µs|ms)", server.get(again).words)


def test_a_write_is_not_run_again(site: Start, spark_of: Connect) -> None:
    server = site()
    spark_of(server).sql("CREATE TABLE t AS SELECT 1 AS a")
    assert "Run again" not in server.get(newest_path(server)).words
    assert server.post(f"{newest_path(server)}/profile").status == 409


def test_filters_and_pages_of_the_list(site: Start, spark_of: Connect) -> None:
    server = site()
    spark = spark_of(server)
    for number in range(60):
        spark.range(number).collect()
    words = server.get("/operations").words
    assert "60 ended" in words and "Page 1 of 2" in words
    assert server.get("/operations?page=1").text.count("<tr>") == 11
    assert "0 ended" in server.get("/operations?engine=spark").words
    assert "60 ended" in server.get("/operations?state=SUCCEEDED&engine=duckdb&text=range").words
    assert server.get("/operations?page=999999999999&state=%3Cx%3E").status == 200


def test_a_running_operation_can_be_cancelled(site: Start, spark_of: Connect) -> None:
    server = site()
    spark = spark_of(server)
    failures: list[Exception] = []
    thread = threading.Thread(target=lambda: failures.append(failure_of(spark)), daemon=True)
    thread.start()
    assert until(lambda: "1 running" in server.get("/operations?state=RUNNING&text=200000").words)
    assert until(lambda: "NATIVE" in server.get("/operations?state=RUNNING").words)
    path = newest_path(server)
    assert "Cancel" in server.get(path).words and "X-Reload" not in server.get(f"{path}/state").headers
    assert server.post(f"{path}/cancel").status == 303
    thread.join(60)
    assert "OPERATION_CANCELED" in str(failures[0])
    assert until(lambda: "Cancelled" in server.get(path).words)
    assert "X-Reload" in server.get(f"{path}/state").headers


def failure_of(spark: SparkSession) -> Exception:
    try:
        spark.sql(SLOW).collect()
    except Exception as error:  # noqa: BLE001  it is compared by the test
        return error
    return AssertionError("the query was answered")


# ---- the editor and the catalog


def test_the_editor_shows_rows_with_sparks_types(site: Start) -> None:
    server = site()
    page = run_statement(
        server, "SELECT 1 AS a, 1.50 AS b, NULL AS c, array('x') AS d, timestamp'2020-01-02 03:04:05' e;"
    )
    for expected in ("a int", "b decimal(3,2)", "c void", "d array<string>", "1.50", "NULL", '["x"]', "2020-01-02"):
        assert expected in page.words
    assert "1 rows in" in page.words


def test_the_editors_session_keeps_its_state(site: Start) -> None:
    server = site()
    run_statement(server, "CREATE TEMPORARY VIEW mine AS SELECT 42 AS answer")
    assert "42" in run_statement(server, "SELECT * FROM mine").words
    assert "mine" in run_statement(server, "SHOW TABLES").words
    assert "TABLE_OR_VIEW_NOT_FOUND" in run_statement(server, "SELECT * FROM missing").words
    assert "PARSE_SYNTAX_ERROR" in run_statement(server, "SELEC 1").words


def test_results_are_bounded(site: Start) -> None:
    server = site()
    page = run_statement(server, "SELECT id, repeat('x', 5000) AS s FROM range(100000)")
    assert f"only the first {MOST_ROWS:,} are shown" in page.words
    assert page.text.count("<tr>") == MOST_ROWS + 1 and len(page.text) < 2_000_000
    first = server.post("/sql", {"text": "SELECT 1"}).headers["Location"]
    for number in range(KEPT_RUNS):
        run_statement(server, f"SELECT {number}")
    assert server.get(first).status == 404


def test_a_chart_of_two_columns(site: Start) -> None:
    server = site()
    path = server.post("/sql", {"text": "SELECT id, id * 2 AS twice FROM range(5)"}).headers["Location"]
    assert until(lambda: "5 rows" in server.get(path).words)
    assert server.get(f"{path}?chart=bar&x=id&y=twice").text.count('class="mark"') == 5
    assert server.get(f"{path}?chart=line&x=id&y=twice").text.count("<polyline") == 1
    assert server.get(f"{path}?chart=nope&x=nope&y=nope").status == 200


def test_a_table_with_its_snapshots_files_and_rows(site: Start) -> None:
    server = site()
    run_statement(server, "CREATE TABLE t PARTITIONED BY (k) AS SELECT id AS v, id % 2 AS k FROM range(10)")
    assert ">t</a>" in server.get("/catalog?schema=default").text
    words = server.get("/catalog/default.t").words
    for expected in ("bigint", "Snapshots", "History", "Partitions", "Files", "append", "parquet", "Details"):
        assert expected in words
    assert "TABLE_OR_VIEW_NOT_FOUND" in server.get("/catalog/default.missing").words
    assert server.get("/catalog/default.%60%3B%20DROP%20TABLE%20t").status == 200
    assert server.get("/catalog/default.t").status == 200


# ---- who may do what


def test_rights_hold_for_the_editor(site: Start) -> None:
    server = site(read_only=True)
    assert "TWINSPARK_NOT_ALLOWED" in run_statement(server, "CREATE TABLE t AS SELECT 1 AS a").words
    assert "3" in run_statement(server, "SELECT 1 + 2").words


def test_named_users_see_only_what_is_theirs(site: Start, spark_of: Connect, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("ada:secret-of-ada\nbob:secret-of-bob\nsecret-of-operator\n")
    server = site(token_file=str(tmp_path / "tokens"))
    spark_of(server, "token=secret-of-ada").sql("SELECT 'of ada'").collect()
    assert server.get("/operations").status == 401
    ada, bob, operator = ({"Cookie": server.log_in(f"secret-of-{name}")} for name in ("ada", "bob", "operator"))
    path = newest_path(server, **ada)
    for page in ("/operations", "/sessions", "/reasons"):
        assert "secret-of" not in server.get(page, **ada).text
    assert "of ada" in server.get(path, **ada).words and "of ada" in server.get("/operations", **operator).words
    assert server.get(path, **bob).status == 404
    assert "of ada" not in server.get("/operations", **bob).words and "ada" not in server.get("/sessions", **bob).words
    assert server.post(f"{path}/profile", **bob).status == 404
    run = server.post("/sql", {"text": "SELECT 'secret row'"}, **ada).headers["Location"]
    assert server.get(run, **bob).status == 404 and server.get(run, **ada).status == 200


def test_a_removed_token_no_longer_counts(site: Start, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("ada:secret-of-ada\n")
    server = site(token_file=str(tmp_path / "tokens"))
    cookie = server.log_in("secret-of-ada")
    assert server.get("/operations", Cookie=cookie).status == 200
    (tmp_path / "tokens").write_text("bob:secret-of-bob\n")
    assert until(lambda: server.get("/operations", Cookie=cookie).status == 401)


def test_logging_in_and_out(site: Start) -> None:
    server = site(token="the only token")
    assert server.get("/").status == 401 and server.get("/assets/style.css").status == 200
    assert server.post("/login", {"token": "another"}).status == 401
    page = server.post("/login", {"token": "the only token"})
    assert "HttpOnly" in page.headers["Set-Cookie"] and "SameSite=Strict" in page.headers["Set-Cookie"]
    cookie = server.log_in("the only token")
    assert server.get("/operations", Authorization="Bearer the only token").status == 200
    assert server.post("/logout", Cookie=cookie).status == 303
    assert server.get("/operations", Cookie=cookie).status == 401


def test_forms_of_other_sites_are_rejected(site: Start) -> None:
    server = site()
    statement = "text=CREATE+TABLE+t+AS+SELECT+1"
    assert server.request("POST", "/sql", statement).status == 403
    assert server.request("POST", "/sql", f"form_token=guess&{statement}").status == 403
    assert server.post("/sql", {"text": "SELECT 1"}, Origin="https://evil.example").status == 403
    assert server.post("/sql", {"text": "SELECT 1"}, Origin=server.url).status == 303
    assert server.get("/sql?text=SELECT+1").status == 200 and "0 ended" in server.get("/operations").words


def test_names_that_lead_here_by_foreign_dns_are_rejected(site: Start) -> None:
    server = site()
    for name in ("evil.example", "evil.example:4040", "127.0.0.1.evil.example", "localhost.evil.example", ""):
        assert server.get("/operations", Host=name).status == 421, name
    for name in ("localhost", f"localhost:{server.port}", "127.0.0.1", "[::1]:4040"):
        assert server.get("/operations", Host=name).status == 200, name
    assert host_name("[fe80::1]:80") == "fe80::1"


def test_everything_is_escaped(site: Start, spark_of: Connect) -> None:
    server = site()
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'"
    spark = spark_of(server, "user_id=%3Cb%3Emallory")
    spark.addTag("<i>tag</i>")
    spark.sql("SELECT :a AS `<u>x</u>`", args={"a": attack}).collect()
    page = run_statement(server, "SELECT '<script>alert(1)</script>' AS `<u>x</u>`")
    paths = ("/operations", newest_path(server), "/sessions", "/operations?text=%22%3E%3Cscript%3E")
    paths += ("/catalog?schema=%3Cscript%3E", "/sql?text=%3C/textarea%3E%3Cscript%3E")
    for text in (page.text, *(server.get(path).text for path in paths)):
        assert "<script>" not in text and "<u>" not in text and "<b>mallory" not in text and "<i>tag" not in text
    assert tag("a", "<&>", title='"') == '<a title="&quot;">&lt;&amp;&gt;</a>'


def test_headers_forbid_scripts_of_others(site: Start) -> None:
    page = site().get("/operations")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert page.headers["X-Frame-Options"] == "DENY" and page.headers["X-Content-Type-Options"] == "nosniff"
    assert "style=" not in page.text and "onclick" not in page.text


# ---- what may go wrong


def test_bad_requests_get_an_answer(site: Start) -> None:
    server = site()
    assert server.get("/nothing").status == server.get("/assets/../server.py").status == 404
    assert server.get("/operations/unknown").status == server.get("/sql/unknown").status == 404
    assert server.request("DELETE", "/operations").status == 405
    assert server.request("POST", "/sql", None, Content_Length="x").status == 400
    assert server.request("POST", "/sql", None, Content_Length=str(MOST_BODY + 1)).status == 413
    assert server.get("/operations?" + "&".join(f"a{n}=1" for n in range(100))).status == 400
    assert server.request("HEAD", "/operations").text == ""


def test_a_port_in_use_leads_to_the_next_one(tmp_path: Path) -> None:
    settings = Settings(engine="duckdb", warehouse=str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = ConnectServer(Settings(**{**settings.__dict__, "ui_port": port}))
        try:
            assert server.ui is not None and port < server.ui.server_port <= port + 16
        finally:
            server.stop()


def test_the_ui_speaks_tls_where_the_server_does(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    server = ConnectServer(Settings(engine="duckdb", ui_port=0, tls=Tls(str(made.server))))
    try:
        assert server.ui is not None
        trusting = ssl.create_default_context(cafile=str(made.authority))
        with urllib.request.urlopen(f"https://127.0.0.1:{server.ui.server_port}/", context=trusting) as page:
            assert page.status == 200 and b"Operations" in page.read()
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("given", "port"),
    [
        ({}, 4040),
        ({"ui_port": 5050}, 5050),
        ({"ui": False}, None),
        ({"host": "0.0.0.0"}, None),
        ({"host": "0.0.0.0", "ui_port": 0}, 0),
    ],
)
def test_the_port_is_chosen_for_loopback_only(given: dict[str, Any], port: int | None) -> None:
    assert ui_port({"ui": True, "ui_port": None, "host": "127.0.0.1", **given}) == port


# ---- drawings


def test_nodes_are_drawn_above_their_inputs() -> None:
    nodes = [
        Node(0, -1, "Join", "", "duckdb"),
        Node(1, 0, "Scan", "a", "duckdb", 5, 0.5),
        Node(2, 0, "Scan", "b", "spark"),
    ]
    join, left, right = boxes_of(nodes)
    assert (join.row, left.row, right.row) == (0, 1, 1)
    assert left.column < join.column < right.column
    drawing = draw_plan(nodes)
    assert drawing.count('class="edge"') == 2 and "5 rows · 500 ms" in drawing and "box engine-spark" in drawing


def test_a_deep_and_wide_plan_is_drawn() -> None:
    deep = [Node(n, n - 1, f"n{n}", "", "duckdb") for n in range(300)]
    wide = [Node(n, -1 if n == 0 else 0, f"n{n}", "", "duckdb") for n in range(300)]
    for nodes in (deep, wide):
        assert draw_plan(nodes).count('class="name"') == 300


def test_a_chart_of_negative_and_equal_values() -> None:
    assert draw_chart(["a", "b"], [-1.0, 2.0], "bar", "t").count('class="mark"') == 2
    assert not re.search(r"\bnan\b", draw_chart(["a"], [0.0], "line", "t"))


def test_the_numbers_of_the_conformance_page_are_those_of_the_docs() -> None:
    root = Path(__file__).parents[2]
    shown = json.loads((root / "src/twinspark/ui/web/conformance.json").read_text())
    page = (root / "docs" / "contribute" / "conformance.md").read_text()
    for row in [*shown["suites"], *(row for rows in shown["parts"].values() for row in rows)]:
        assert f"| {' | '.join(row)} |" in page
