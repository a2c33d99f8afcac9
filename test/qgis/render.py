"""Opens a raster in QGIS, renders it and describes how QGIS shows it.

Usage: render.py <raster> <picture> [<style>]. Prints JSON. Without a style, QGIS uses its default or the style in the `.qml` file next to the raster.
"""

import json
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsRasterLayer,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

PIXELS_PER_CELL = 4
WHITE = QColor("white")


def render(layer: QgsRasterLayer, picture: str) -> list[list[str]]:
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setExtent(layer.extent())
    settings.setDestinationCrs(layer.crs())
    settings.setOutputSize(QSize(*(n * PIXELS_PER_CELL for n in (layer.width(), layer.height()))))
    settings.setBackgroundColor(WHITE)
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    image.save(picture)
    centre = PIXELS_PER_CELL // 2
    return [
        [
            image.pixelColor(x * PIXELS_PER_CELL + centre, y * PIXELS_PER_CELL + centre).name()
            for x in range(layer.width())
        ]
        for y in range(layer.height())
    ]


def describe(raster: str, picture: str, style: str | None) -> dict:
    layer = QgsRasterLayer(raster, "result")
    applied = layer.loadNamedStyle(style)[1] if style else None
    colours = render(layer, picture)
    renderer = layer.renderer()
    is_single = renderer.type() == "singlebandpseudocolor"
    return {
        "version": Qgis.QGIS_VERSION,
        "style_applied": applied,
        "renderer": renderer.type(),
        "band": layer.bandName(renderer.band()) if is_single else None,
        "range": [renderer.classificationMin(), renderer.classificationMax()] if is_single else None,
        "labels": [item.label for item in renderer.shader().rasterShaderFunction().colorRampItemList()]
        if is_single
        else None,
        "colours": colours,
    }


application = QgsApplication([], False)
application.initQgis()
print(json.dumps(describe(sys.argv[1], sys.argv[2], *(sys.argv[3:] or [None]))), flush=True)
# Exit hard, because Qt's clean-up of a Python process may crash after the work is done.
os._exit(0)
