"""Validates a STAC Item from standard input with pystac, without the network. Prints its fields as pystac reads them."""

import json
import sys
from pathlib import Path

import pystac
from pystac.stac_io import DefaultStacIO
from pystac.validation import RegisteredValidator

SCHEMAS = Path(__file__).parents[2] / "fixtures" / "stac"


class Offline(DefaultStacIO):
    """Serves the schemas of the extensions from the fixtures, and nothing else."""

    def read_text(self, source, *_args, **_kwargs) -> str:
        _, extension, version, _ = str(source).removeprefix("https://").split("/")
        return (SCHEMAS / extension / f"{version}.json").read_text()


pystac.StacIO.set_default(Offline)
item = pystac.Item.from_dict(json.load(sys.stdin))
validated = item.validate(validator=RegisteredValidator.get_validator())
band = item.assets["data"].to_dict()["bands"][0]
print(
    json.dumps(
        {
            "schemas": validated,
            "start": item.common_metadata.start_datetime.isoformat(),
            "end": item.common_metadata.end_datetime.isoformat(),
            "band": band,
            "assets": {name: asset.href for name, asset in item.assets.items()},
        }
    )
)
