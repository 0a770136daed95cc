"""`python -m twinspark` and the `twinspark` script."""

from twinspark.cli.app import app


def main() -> None:
    app(prog_name="twinspark")


if __name__ == "__main__":
    main()
