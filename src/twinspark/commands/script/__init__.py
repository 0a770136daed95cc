"""SQL scripts, EXECUTE IMMEDIATE and session variables."""
