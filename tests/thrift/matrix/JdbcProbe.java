/* Asks one server through hive-jdbc everything the matrix wants to know, and prints one line for each answer. */
import java.sql.*;
import java.util.*;

public class JdbcProbe {
    static final String MANY = "select id, cast(id as string) s, case when id % 3 = 0 then id end n from range(250000)";
    static final String LARGE = "select repeat(cast(id % 10 as string), 1000) s from range(120000)";
    static final String ODD_NAMES = "select 1 as `odd name ö`, 2 as `a.b`, 3 as `1x`, 4 as `select`";
    static final String LONG = "select count(*) from range(30000000000) where id % 7 = 3";

    public static void main(String[] arguments) throws Exception {
        String zoo = arguments[1];
        try (Connection connection = DriverManager.getConnection(arguments[0], "u", "p");
                Statement statement = connection.createStatement()) {
            statement.setFetchSize(20000);
            rows(statement, zoo);
            empty(statement, "select * from (" + zoo + ") where i32 = 7");
            many(statement);
            large(statement);
            names(statement);
            say("error", failure(statement, "select 1/0"));
            say("syntax", failure(statement, "selec 1"));
            statement.execute("create or replace temp view probed as select 7 as x");
            say("view", first(statement, "select x from probed"));
            listings(connection.getMetaData());
            cancel(connection);
            timeout(connection);
        }
    }

    static void say(String key, Object value) {
        System.out.println(key + "\t" + String.valueOf(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t"));
    }

    static void rows(Statement statement, String sql) throws SQLException {
        try (ResultSet found = statement.executeQuery(sql)) {
            ResultSetMetaData columns = found.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                say("type", columns.getColumnTypeName(i) + " " + columns.getPrecision(i) + " " + columns.getScale(i));
            }
            for (int row = 0; found.next(); row++) {
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    Object value = found.getObject(i);
                    say("zoo " + row, value instanceof byte[] ? HexFormat.of().formatHex((byte[]) value) : value);
                }
            }
        }
    }

    static void empty(Statement statement, String sql) throws SQLException {
        try (ResultSet found = statement.executeQuery(sql)) {
            say("empty", found.next() ? "a row" : found.getMetaData().getColumnCount());
        }
    }

    static void many(Statement statement) throws SQLException {
        long count = 0, sum = 0, nulls = 0;
        String last = "";
        try (ResultSet found = statement.executeQuery(MANY)) {
            while (found.next()) {
                count++;
                sum += found.getLong(1);
                last = found.getString(2);
                found.getLong(3);
                if (found.wasNull()) nulls++;
            }
        }
        say("many", count + " " + sum + " " + last + " " + nulls);
    }

    static void large(Statement statement) throws SQLException {
        long size = 0;
        try (ResultSet found = statement.executeQuery(LARGE)) {
            while (found.next()) size += found.getString(1).length();
        }
        say("large", size);
    }

    static void names(Statement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery(ODD_NAMES)) {
            for (int i = 1; i <= 4; i++) say("name", found.getMetaData().getColumnName(i));
        }
    }

    static String first(Statement statement, String sql) throws SQLException {
        try (ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getString(1);
        }
    }

    static String failure(Statement statement, String sql) {
        try {
            statement.executeQuery(sql);
            return "no error";
        } catch (SQLException error) {
            return error.getSQLState() + " " + error.getMessage();
        }
    }

    static void listings(DatabaseMetaData metadata) throws SQLException {
        say("product", metadata.getDatabaseProductName() + " " + metadata.getDatabaseProductVersion());
        say("catalogs", count(metadata.getCatalogs()) >= 0);
        say("schemas", count(metadata.getSchemas()) > 0);
        say("types", count(metadata.getTypeInfo()));
        say("table types", count(metadata.getTableTypes()));
        say("tables", count(metadata.getTables(null, "%", "probed", null)));
        say("columns", count(metadata.getColumns(null, "%", "probed", "%")));
        say("functions", count(metadata.getFunctions(null, "default", "abs")));
        say("keys", count(metadata.getPrimaryKeys(null, "default", "probed")));
    }

    static int count(ResultSet found) throws SQLException {
        int rows = 0;
        while (found.next()) rows++;
        found.close();
        return rows;
    }

    static void cancel(Connection connection) throws Exception {
        Statement statement = connection.createStatement();
        long began = System.nanoTime();
        new Timer(true).schedule(new TimerTask() {
            public void run() {
                try {
                    statement.cancel();
                } catch (SQLException error) {
                    throw new IllegalStateException(error);
                }
            }
        }, 1500);
        say("cancelled", failure(statement, LONG));
        say("cancel", (System.nanoTime() - began) / 1_000_000_000L);
    }

    static void timeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(2);
            say("timed out", failure(statement, LONG));
        }
    }
}
