"""Finds the service URL and API key in arguments, the environment, or the config file."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from .errors import invalid_input

# Names (RFC 6761, section 6.3) and addresses of the loopback interface.
_THIS_MACHINE = re.compile(r"localhost|.*\.localhost|127(\.\d+){3}|::1")
# Visible ASCII characters, which every header can carry (RFC 9110, section 5.5).
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class Connection:
    base_url: str
    api_key: str = field(repr=False)


def find_connection(base_url: str | None, api_key: str | None) -> Connection:
    env = os.environ
    path = _config_path()
    url = base_url or _read_variable(env.get("SOIL_BASE_URL")) or _read_variable(env.get("V2_URL"))
    key = api_key or _read_variable(env.get("SOIL_API_KEY")) or _read_variable(env.get("API_KEY"))
    configured = _read_config(path) if url is None or key is None else {}
    home = configured.get("base_url")
    # If the file names a service, its key is sent only to that service.
    if key is None and (url is None or home is None or normalise_url(url) == normalise_url(home)):
        key = configured.get("api_key")
    url = url or home
    if url is None:
        raise invalid_input(
            f"no service is configured: set SOIL_BASE_URL, pass base_url (--base-url), or add base_url to {path}"
        )
    if key is None and "api_key" in configured:
        raise invalid_input(
            f"no API key for {normalise_url(url)}: set SOIL_API_KEY, or pass api_key in Python "
            f"(the key in {path} is only for the base_url there)"
        )
    if key is None:
        raise invalid_input(
            f"no API key is configured: set SOIL_API_KEY, pass api_key in Python, or add api_key to {path}"
        )
    if not _KEY.fullmatch(key):
        raise invalid_input("the API key contains invalid characters: copy it again")
    return Connection(normalise_url(url), key)


def normalise_url(text: str) -> str:
    """Validates a service URL, and removes a trailing slash or `/v1`, because the paths of requests contain them."""
    try:
        url = urlsplit(text.strip())
        host, port = url.hostname or "", url.port
    except ValueError:
        raise invalid_input("the base URL is not a valid URL") from None
    if url.scheme not in ("http", "https") or host == "":
        raise invalid_input("the base URL must be an https URL, such as https://v2.soil.example")
    if url.username or url.password or url.query or url.fragment:
        raise invalid_input("the base URL must not have a user, query or fragment")
    if url.scheme == "http" and not _THIS_MACHINE.fullmatch(host):
        raise invalid_input(
            f"the API key would be sent to {host} unencrypted: use https (http is allowed only for this machine)"
        )
    origin = f"{url.scheme}://{f'[{host}]' if ':' in host else host}"
    path = re.sub(r"/+(v1/?)?$", "", url.path)
    return f"{origin}{'' if port is None else f':{port}'}{path}"


def _read_variable(text: str | None) -> str | None:
    return (text or "").strip() or None


def _config_path() -> Path:
    """Follows the XDG Base Directory Specification on every system."""
    configured = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    folder = configured if configured.is_absolute() else Path.home() / ".config"
    return folder / "soil-batch" / "config.json"


def _read_config(path: Path) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise invalid_input(
            f"other users have access to {path}, which may contain an API key: run chmod 600 {path}"
        )
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    # The parser's error is not chained: it holds the whole text, including the key.
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise invalid_input(
            f'{path} must be a JSON object such as {{"base_url": "https://…", "api_key": "…"}}'
        )
    return value
