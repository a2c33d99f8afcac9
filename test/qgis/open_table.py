"""Opens a results table in QGIS and describes its columns.

Usage: open_table.py <file> <expression>. Prints JSON: whether the layer is valid, the fields' types, and the expression's value for each feature.
"""

import json
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from qgis.core import (
    NULL,
    QgsApplication,
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsVectorLayer,
)

application = QgsApplication([], False)
application.initQgis()
layer = QgsVectorLayer(sys.argv[1], "results", "ogr")
context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
expression = QgsExpression(sys.argv[2])
values = []
for feature in layer.getFeatures():
    context.setFeature(feature)
    value = expression.evaluate(context)
    values.append(None if value == NULL else value)
types = {field.name(): field.typeName() for field in layer.fields()}
print(json.dumps({"valid": layer.isValid(), "types": types, "values": values}), flush=True)
# Exit hard, because Qt's clean-up of a Python process may crash after the work is done.
os._exit(0)
