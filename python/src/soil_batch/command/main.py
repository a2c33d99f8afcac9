from __future__ import annotations

import errno
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from ..errors import InvalidRequest, QuotaExceeded, SoilError
from ..reading.discs import LEAST_RADIUS, MOST_RADIUS, require_radius
from ..reading.load import parse_epsg
from ..run_state import Destination
from . import lists, runs, webhook
from .session import Session
from .terminal import CommandError, Exit, Output, ReaderGone, Terminal, escape_text

_EPILOG = """The service URL and the API key come from SOIL_BASE_URL and SOIL_API_KEY (or V2_URL and API_KEY), or from
~/.config/soil-batch/config.json (mode 600): {"base_url": "https://…", "api_key": "…"}.

Exit codes: 0 complete, 1 error, 2 wrong command line or configuration, 3 some jobs have no result, 4 today's quota
is used up (run the same command again tomorrow), 130 interrupted (run the same command again to continue)."""
_STATES = ("pending", "processing", "completed", "failed", "partial")
_FILE = (
    "GeoJSON, GeoPackage, Shapefile, FlatGeobuf, KML, file geodatabase, GeoParquet or CSV with WKT"
)

Options = dict[str, Any]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _parse_years(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    parts = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"\d{4}", part, re.ASCII) for part in parts):
        raise click.BadParameter(
            "expected one or more years of four digits, such as 2021 or 2021,2022"
        )
    return tuple(dict.fromkeys(map(int, parts)))


def _parse_epsg(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    try:
        parse_epsg(value)
    except InvalidRequest:
        raise click.BadParameter("expected an EPSG code, such as EPSG:28992") from None
    return value


def _parse_radius(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    try:
        return None if value is None else require_radius(value)
    except InvalidRequest:
        raise click.BadParameter(
            f"expected a radius from {LEAST_RADIUS} to {MOST_RADIUS:,} metres"
        ) from None


def _combine(*decorators: Decorator) -> Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(decorators):
            function = one(function)
        return function

    return decorate


_COMMON = _combine(
    click.option(
        "--base-url", metavar="URL", help="URL of the service, instead of the configured URL."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line."),
)
_QUIET = click.option("--quiet", is_flag=True, help="Print only errors.")
_FIELDS = _combine(
    click.argument("file"),
    click.option(
        "--year",
        "years",
        callback=_parse_years,
        required=True,
        help="One or more years, such as 2021,2022.",
    ),
    click.option(
        "--name-field",
        "name",
        metavar="ATTRIBUTE",
        help="Attribute that names the fields and maps.",
    ),
    click.option("--layer", metavar="NAME", help="Layer to read, if the file has several."),
    click.option(
        "--crs",
        callback=_parse_epsg,
        help="CRS of the file, such as EPSG:28992, if the file names none.",
    ),
    click.option(
        "--encoding", metavar="NAME", help="Text encoding, such as gbk, if letters look wrong."
    ),
    click.option(
        "--buffer",
        type=float,
        metavar="METRES",
        callback=_parse_radius,
        help=f"Radius in metres of the discs to predict around the points of a file, from {LEAST_RADIUS} to {MOST_RADIUS:,}.",
    ),
    click.option(
        "--stratum",
        metavar="ATTRIBUTE",
        help="Attribute by whose values totals are split; it is sent to the service.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        help="Model, as id or id@version; repeat the option to predict every field with several models. Default: for each field, the first model that covers it.",
    ),
)
_START = _combine(
    _FIELDS,
    click.option(
        "--to",
        metavar="S3_URI",
        help="Also copy the results to your bucket, given as s3://bucket/prefix.",
    ),
    click.option(
        "--role", metavar="ARN", help="IAM role that lets the service write to the bucket of --to."
    ),
    click.option(
        "--out", metavar="FOLDER", help="Folder for the results; default: <file>_<years>."
    ),
    click.option("--yes", is_flag=True, help="Start without confirmation."),
    click.option("--same-maps", is_flag=True, help="Also submit years that give the same map."),
    click.option(
        "--replace",
        is_flag=True,
        help="Replace the folder's run, even if it has none of these fields.",
    ),
    _QUIET,
    _COMMON,
)
_FOLDER = _combine(click.argument("folder"), _QUIET, _COMMON)


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="soil-batch", message="%(version)s")
def cli() -> None:
    """Predict soil maps for a file of fields."""


def _open_session(options: Options) -> Session:
    as_json, quiet = options.pop("as_json"), options.pop("quiet", False)
    if as_json and quiet:
        raise CommandError("--json and --quiet cannot be combined", Exit.USAGE)
    output: Output = "json" if as_json else "quiet" if quiet else "lines"
    return Session(Terminal(output), options.pop("base_url"))


def _field_options(options: Options) -> runs.FieldOptions:
    names = ("file", "years", "name", "layer", "crs", "encoding", "buffer", "models", "stratum")
    found = {name: options.pop(name) for name in names}
    destination = _destination(options.pop("to", None), options.pop("role", None))
    return runs.FieldOptions(**found, destination=destination)


def _destination(uri: str | None, role: str | None) -> Destination | None:
    if uri is None and role is None:
        return None
    if uri is None or role is None:
        raise CommandError("--to and --role must be given together", Exit.USAGE)
    try:
        return Destination(uri, role)
    except ValueError as error:
        raise CommandError(f"--to: {error}", Exit.USAGE) from error


@cli.command(
    help=f"Predict every field of a file and download the maps. FILE: {_FILE}, also zipped."
)
@click.option(
    "--no-report", "report", flag_value=False, default=True, help="Do not write report.html."
)
@_START
def run(**options: Any) -> int:
    session = _open_session(options)
    return runs.run(session, _field_options(options), runs.StartOptions(**options))


@cli.command(help="Show area, time, cost and failures of a run, without starting it.")
@_FIELDS
@_COMMON
def estimate(**options: Any) -> int:
    session = _open_session(options)
    return runs.estimate(session, _field_options(options))


@cli.command(help='Create the batches of a run; continue with "watch" and "download".')
@_START
def submit(**options: Any) -> int:
    session = _open_session(options)
    return runs.submit(session, _field_options(options), runs.StartOptions(**options))


@cli.command(help="Wait until the batches of a run are finished.")
@_FOLDER
def watch(folder: str, **options: Any) -> int:
    return runs.watch(_open_session(options), folder)


@cli.command(help="Download finished maps and write the tables and the report.")
@_FOLDER
def download(folder: str, **options: Any) -> int:
    return runs.download(_open_session(options), folder)


@cli.command(help="Retry the failed jobs that may succeed, and download their maps.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Also retry failed jobs that will probably fail again.",
)
@_FOLDER
def retry(folder: str, every: bool, **options: Any) -> int:
    return runs.retry(_open_session(options), folder, every)


@cli.command(help="Write report.html, a page with all results, from the files in the folder.")
@_FOLDER
def report(folder: str, **options: Any) -> int:
    return runs.report(_open_session(options), folder)


_STRATUM = click.option(
    "--stratum",
    metavar="ATTRIBUTE",
    help="Attribute whose values are the strata; default: the run's --stratum, otherwise each field is a stratum.",
)

_MODEL = click.option("--model", help="Model, as named in the run, if the run has several.")


@cli.command(
    help="Draw random places to sample in each stratum of the run's maps, and write them to design.csv and design.gpkg."
)
@click.argument("folder")
@click.option(
    "--samples", type=int, required=True, help="Number of samples, at least 2 per stratum."
)
@_STRATUM
@click.option("--strata", type=int, help="Number of compact strata to form, instead of --stratum.")
@click.option("--year", type=int, help="Year of the maps, if the run has several.")
@_MODEL
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--replace", is_flag=True, help="Replace the folder's design with new places.")
@_COMMON
def design(folder: str, samples: int, **options: Any) -> int:
    session = _open_session(options)
    return runs.design(session, folder, samples, **options)


@cli.command(
    help="Correct the mean and stock of a run with samples from random places in its fields, or measure a change with"
    " samples from two visits. SAMPLES: CSV with the column 'number' of the design, or the columns lon and lat, or x and y."
)
@click.argument("folder")
@click.argument("samples", required=False)
@click.option(
    "--value",
    metavar="COLUMN",
    required=True,
    help="Column with the measured values, in the unit of the maps.",
)
@_STRATUM
@click.option(
    "--year", type=int, help="Year of the maps (of the first visit), if the run has several."
)
@_MODEL
@click.option(
    "--crs",
    callback=_parse_epsg,
    help="CRS of the samples' coordinates, such as EPSG:28992; required for x and y.",
)
@click.option("--before", metavar="SAMPLES", help="Samples of the first visit.")
@click.option("--after", metavar="SAMPLES", help="Samples of the second visit.")
@click.option(
    "--after-run",
    metavar="FOLDER",
    help="Run with the maps of the second visit; default: the same run.",
)
@click.option("--after-year", type=int, help="Year of the maps of the second visit.")
@_COMMON
def correct(
    folder: str, samples: str | None, before: str | None, after: str | None, **options: Any
) -> int:
    session = _open_session(options)
    second = {name: options.pop(name) for name in ("after_run", "after_year")}
    if samples is None and before is not None and after is not None:
        return runs.change(session, folder, (before, after), **second, **options)
    if samples is None or any(one is not None for one in (before, after, *second.values())):
        raise CommandError(
            "give the samples of one visit as SAMPLES, or those of two visits with --before and --after; --after-run and"
            " --after-year are only for two visits",
            Exit.USAGE,
        )
    return runs.correct(session, folder, samples, **options)


@cli.command(help="Show the state of a run or a batch.")
@click.argument("folder_or_batch")
@_COMMON
def status(folder_or_batch: str, **options: Any) -> int:
    return lists.status(_open_session(options), folder_or_batch)


@cli.command("list", help="List your newest batches.")
@click.option("--status", type=click.Choice(_STATES), help="Only batches with this status.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@_COMMON
def list_(status: str | None, limit: int, **options: Any) -> int:
    return lists.show_batches(_open_session(options), status, limit)


@cli.command(help="Cancel the unfinished batches of a run, or one batch; finished maps are kept.")
@click.argument("folder_or_batch")
@_COMMON
def cancel(folder_or_batch: str, **options: Any) -> int:
    return lists.cancel(_open_session(options), folder_or_batch)


@cli.command(help="List the models of the service.")
@click.option("--coverage", is_flag=True, help="Print the models' coverage as GeoJSON.")
@_COMMON
def models(coverage: bool, **options: Any) -> int:
    return lists.models(_open_session(options), coverage)


@cli.group("webhook", help="Check webhook receivers.")
def webhooks() -> None:
    """Groups the commands that check webhook receivers."""


@webhooks.command(
    help=f"Verify a delivery with the secret in the environment variable {webhook.SECRET_VARIABLE}. BODY: a file, or - for stdin."
)
@click.argument("body")
@click.option(
    "-H",
    "--header",
    "headers",
    multiple=True,
    help="Header of the delivery, as 'Name: value'; repeat the option for each header.",
)
@click.option("--any-age", is_flag=True, help="Accept deliveries older than 5 minutes.")
@_COMMON
def verify(body: str, headers: tuple[str, ...], any_age: bool, **options: Any) -> int:
    return webhook.verify(_open_session(options), body, headers, any_age)


@webhooks.command(
    help=f"Send a sample delivery to URL, signed if the environment variable {webhook.SECRET_VARIABLE} has a secret."
)
@click.argument("url")
@_COMMON
def test(url: str, **options: Any) -> int:
    return webhook.test(_open_session(options), url)


def run_command(args: Sequence[str]) -> int:
    """Runs a command line, and returns its exit code. Prints a failure without a stack trace, unless DEBUG is set."""
    terminal = Terminal("json" if "--json" in args else "lines")
    try:
        code = cli.main(args=list(args), prog_name="soil-batch", standalone_mode=False)
        return code if isinstance(code, int) else Exit.COMPLETE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        path = "soil-batch" if context is None else context.command_path
        terminal.fail(CommandError(f"{error.format_message()} ({path} --help)", Exit.USAGE))
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        failure = CommandError(
            "interrupted; run the same command again to continue", Exit.INTERRUPTED
        )
    except ReaderGone:
        raise
    except Exception as error:
        failure = _describe_failure(error)
        if "DEBUG" in os.environ:
            for line in traceback.format_exc().splitlines():
                sys.stderr.write(f"{escape_text(line)}\n")
    terminal.fail(failure)
    return failure.code


def _describe_failure(error: Exception) -> CommandError:
    if isinstance(error, CommandError):
        return error
    if isinstance(error, QuotaExceeded):
        again = "Run the same command again tomorrow (UTC) to continue."
        return CommandError(
            str(error) if error.retry_after is None else f"{error} {again}", Exit.QUOTA
        )
    if isinstance(error, SoilError):
        return CommandError(_describe_service_failure(error))
    if isinstance(error, OSError):
        return CommandError(_describe_system_failure(error))
    if isinstance(error, ImportError):
        return CommandError(str(error))
    return CommandError(f"{type(error).__name__}: {error} (set DEBUG=1 to see the stack trace)")


def _describe_service_failure(error: SoilError) -> str:
    if error.type == "unauthorized":
        return "the service rejects the API key: it is unknown, expired or revoked"
    if error.type == "forbidden":
        return "the service refuses access: the tenant of this API key is disabled"
    # An invalid request has a line for each violation, and a failure is printed as one line.
    text = str(error).replace("\n", " ")
    if error.type in ("network", "download") or (error.status or 0) >= 500:
        return f"{text} Run the same command again to continue."
    return text


_SYSTEM_FAILURES = {
    errno.ENOSPC: "the disk is full: free some space and run the same command again to continue",
    errno.EDQUOT: "your disk quota is used up: free some space and run the same command again to continue",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}


def _describe_system_failure(error: OSError) -> str:
    known = _SYSTEM_FAILURES.get(error.errno or 0)
    if known is None:
        return f"{error} (set DEBUG=1 to see the stack trace)"
    return known if error.filename is None else f"{error.filename}: {known}"


def _interrupt(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def main() -> NoReturn:
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = run_command(sys.argv[1:])
    except ReaderGone:
        # Python flushes stdout at exit, which would fail again: no program reads the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.COMPLETE
    sys.exit(code)
