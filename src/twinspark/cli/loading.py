"""Imports the server for the commands that need it: it is most of the time that a short command would take."""

import gc


def import_server() -> None:
    """Then collects garbage again, which `__main__` stopped while modules are imported."""
    from twinspark.client_package import without_client_checks

    without_client_checks()
    import twinspark.cli.serve  # noqa: F401

    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a plan is many small short-lived objects: collect less often
    gc.enable()
