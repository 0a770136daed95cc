"""`python -m twinspark` and the `twinspark` script."""

import atexit
import gc


def main() -> None:
    gc.disable()  # modules stay: looking for garbage while they are imported took a fifth of the time to be ready
    from twinspark.cli.lean import without_client_checks

    without_client_checks()
    from twinspark.cli.app import app

    gc.freeze()
    atexit.register(gc.unfreeze)  # what is never looked at is never let go: DuckDB's binding would complain at the end
    gc.set_threshold(20_000, 20, 20)  # a plan is many small objects that live briefly: looked through less often
    gc.enable()
    app(prog_name="twinspark")


if __name__ == "__main__":
    main()
