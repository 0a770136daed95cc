"""CREATE, DROP, SHOW and DESCRIBE FUNCTION, and SQL functions in queries."""
