"""Compresses responses like API Gateway, so that pages load as on AWS.

MiniStack 1.5.33 stores an API's `minimumCompressionSize` but does not apply it. Remove this when it does.
https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gzip-compression-decompression.html
"""

import gzip

from ministack.services import apigateway_v1


def compress_responses() -> None:
    execute = apigateway_v1.handle_execute

    async def execute_compressed(api_id, stage_name, method, path, headers, body, query_params):
        response = await execute(api_id, stage_name, method, path, headers, body, query_params)
        status, own, content = response
        accepted = next((v for k, v in headers.items() if k.lower() == "accept-encoding"), "")
        least = (apigateway_v1._rest_apis.get(api_id) or {}).get("minimumCompressionSize")
        coded = any(name.lower() == "content-encoding" for name in own)
        if least is None or coded or "gzip" not in accepted or len(content) < int(least):
            return response
        return status, {**own, "Content-Encoding": "gzip"}, gzip.compress(content, 6)

    apigateway_v1.handle_execute = execute_compressed
