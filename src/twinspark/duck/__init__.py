"""The embedded engine: writes typed plans as DuckDB SQL, runs them, and streams results as Arrow."""
