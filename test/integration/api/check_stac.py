"""Validates a STAC Item or ItemCollection from standard input with pystac, without the network. Prints its fields as pystac reads them."""

import json
import sys
from pathlib import Path

import pystac
from pystac.stac_io import DefaultStacIO
from pystac.validation import RegisteredValidator

SCHEMAS = Path(__file__).parents[2] / "fixtures" / "stac"


class Offline(DefaultStacIO):
    """Serves only the extensions' schemas, from the fixtures."""

    def read_text(self, source, *_args, **_kwargs) -> str:
        _, extension, version, _ = str(source).removeprefix("https://").split("/")
        return (SCHEMAS / extension / f"{version}.json").read_text()


pystac.StacIO.set_default(Offline)


def describe(item: pystac.Item) -> dict:
    validated = item.validate(validator=RegisteredValidator.get_validator())
    times = item.common_metadata
    data = item.assets.get("data")
    return {
        "schemas": validated,
        "start": times.start_datetime and times.start_datetime.isoformat(),
        "end": times.end_datetime and times.end_datetime.isoformat(),
        "band": data.to_dict()["bands"][0] if data else None,
        "status": item.properties["soil:status"],
        "assets": {name: asset.href for name, asset in item.assets.items()},
    }


document = json.load(sys.stdin)
if pystac.ItemCollection.is_item_collection(document):
    items = pystac.ItemCollection.from_dict(document)
    print(json.dumps([describe(item) for item in items]))
else:
    print(json.dumps(describe(pystac.Item.from_dict(document))))
