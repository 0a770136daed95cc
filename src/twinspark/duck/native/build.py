"""Builds the DuckDB extension of this folder; nothing to build yet."""

if __name__ == "__main__":
    print("no native extension yet")
