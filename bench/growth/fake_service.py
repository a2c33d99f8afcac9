"""A fake service whose batches are finished as soon as they are created.

For any number of jobs, it repeats the development service's responses for a batch of two jobs, one of which fails.
So the responses have the form and size of real ones, but nothing is predicted.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

SQUARE = [[5.736, 50.967], [5.737, 50.967], [5.737, 50.968], [5.736, 50.968], [5.736, 50.967]]
BOW_TIE = [[5.736, 50.967], [5.737, 50.968], [5.737, 50.967], [5.736, 50.968], [5.736, 50.967]]
# One job in this many fails, so that there are errors to list and jobs to retry.
FAILS_EACH = 10
PAGE = 100

Value = Any


class Templates:
    def __init__(self, url: str, api_key: str) -> None:
        jobs = [
            {"polygon": {"type": "Polygon", "coordinates": [ring]}, "year": 2021, "name": name}
            for name, ring in (("good", SQUARE), ("bad", BOW_TIE))
        ]
        headers = {"Authorization": f"Bearer {api_key}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:

            def get(path: str) -> Value:
                return client.get(path).raise_for_status().json()

            self.health, self.limits = get("/health"), get("/v1/limits")
            self.usage, self.models = get("/v1/usage"), get("/v1/models")
            sent = {"jobs": jobs}
            self.estimate = client.post("/v1/batch/estimate", json=sent).raise_for_status().json()
            self.created = client.post("/v1/batch", json=sent).raise_for_status().json()
            batch = f"/v1/batch/{self.created['batch_id']}"
            while (status := get(f"{batch}/status?jobs=all"))["status"] != "partial":
                time.sleep(0.2)
            self.status = status
            self.total = get(f"{batch}/total")
            self.good, self.bad = status["jobs"]
            raster = httpx.get(self.good["signed_cog_url"]).raise_for_status()
            self.raster, self.etag = raster.content, raster.headers["ETag"]
            self.style = client.get(f"/v1/models/{self.good['model']}/style.qml").content


class FakeService:
    def __init__(self, templates: Templates) -> None:
        self._of = templates
        #: The jobs of each batch: id, name, and the job that it retries.
        self._batches: dict[str, list[tuple[str, str, str | None]]] = {}
        #: The earlier batch, by the ID of the batch that retries it.
        self._retries: dict[str, str] = {}
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            # With a buffer, head and body are sent in one packet.
            wbufsize = -1

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                if url.path.startswith("/results/"):
                    self._send(templates.raster, {"ETag": templates.etag})
                elif url.path.endswith("/style.qml"):
                    self._send(templates.style)
                else:
                    self._send_json(service.get(url.path, parse_qs(url.query)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._send_json(service.post(self.path, json.loads(body)))

            def log_message(self, *_: object) -> None:
                pass

            def _send_json(self, value: Value) -> None:
                self._send(json.dumps(value).encode(), {"Content-Type": "application/json"})

            def _send(self, body: bytes, headers: dict[str, str] | None = None) -> None:
                self.send_response_only(200)
                for name, text in {**(headers or {}), "Content-Length": str(len(body))}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(body)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

        server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def get(self, path: str, query: dict[str, list[str]]) -> Value:
        kept = {
            "/health": self._of.health,
            "/v1/limits": self._of.limits,
            "/v1/usage": self._of.usage,
            "/v1/models": self._of.models,
        }
        if path in kept:
            return kept[path]
        batch_id, what = re.fullmatch("/v1/batch/([^/]+)/(status|total)", path).groups()
        if what == "total":
            return self._total([batch_id, *query.get("batch_id", [])])
        return self._status(batch_id, query["jobs"][0], int(query.get("cursor", ["0"])[0]))

    def post(self, path: str, body: Value) -> Value:
        if path == "/v1/batch/estimate":
            return self._estimate(body["jobs"])
        if path == "/v1/batch":
            return self._create_batch([(_new_id(), job["name"], None) for job in body["jobs"]])
        (before,) = re.fullmatch("/v1/batch/([^/]+)/retry", path).groups()
        jobs = self._batches[before]
        failed = [(_new_id(), jobs[at][1], jobs[at][0]) for at in range(len(jobs)) if _fails(at)]
        created = self._create_batch(failed)
        self._retries[created["batch_id"]] = before
        return {**created, "retry_of": before}

    def _create_batch(self, jobs: list[tuple[str, str, str | None]]) -> Value:
        batch_id = _new_id()
        self._batches[batch_id] = jobs
        return {
            **self._of.created,
            "batch_id": batch_id,
            "total_jobs": len(jobs),
            "job_ids": [job_id for job_id, _, _ in jobs],
        }

    def _estimate(self, jobs: Value) -> Value:
        good, bad = self._of.estimate["jobs"]
        ones = [
            {**(bad if _fails(at) else good), "job_index": at, "name": job["name"]}
            for at, job in enumerate(jobs)
        ]
        return {**self._of.estimate, "total_jobs": len(jobs), "jobs": ones}

    def _status(self, batch_id: str, which: str, start: int) -> Value:
        jobs, before = self._batches[batch_id], self._retries.get(batch_id)
        failed = 0 if before else sum(map(_fails, range(len(jobs))))
        status = {
            **self._of.status,
            "batch_id": batch_id,
            "status": "partial" if failed else "completed",
            "total_jobs": len(jobs),
            "completed_jobs": len(jobs) - failed,
            "failed_jobs": failed,
            "jobs": [],
            **({} if before is None else {"retry_of": before}),
        }
        if which == "none":
            return status
        every = (self._job(batch_id, at) for at in range(len(jobs)))
        ones = [job for job in every if which in ("all", job["status"])]
        end = start + PAGE
        more = end < len(ones)
        cursor = {"has_more": more, "next_cursor": str(end) if more else None}
        return {**status, "jobs": ones[start:end], **cursor}

    def _job(self, batch_id: str, at: int) -> Value:
        job_id, name, before = self._batches[batch_id][at]
        # Jobs that are retried succeed.
        job = self._of.bad if _fails(at) and before is None else self._of.good
        again = {} if before is None else {"retry_of_job_id": before}
        own = {"job_id": job_id, "job_index": at, "name": name, "error_retryable": None, **again}
        if job is self._of.bad:
            return {**job, **own, "error_retryable": True}
        return {**job, **own, "signed_cog_url": f"{self.url}/results/{job_id}.tif"}

    def _total(self, batch_ids: list[str]) -> Value:
        jobs = sum(len(self._batches[one]) for one in batch_ids)
        failed = sum(
            _fails(at)
            for one in batch_ids
            if one not in self._retries
            for at in range(len(self._batches[one]))
        )
        retried = sum(len(self._batches[one]) for one in batch_ids if one in self._retries)
        return {
            **self._of.total,
            "batch_ids": batch_ids,
            "total_jobs": jobs,
            "included_jobs": jobs - failed,
            "excluded_jobs": retried,
        }


def _fails(at: int) -> bool:
    return at % FAILS_EACH == FAILS_EACH - 1


def _new_id() -> str:
    return str(uuid.uuid4())
