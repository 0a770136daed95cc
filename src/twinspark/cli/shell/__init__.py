"""`twinspark sql`: an interactive shell, single statements and files, on an embedded server or a remote one."""
