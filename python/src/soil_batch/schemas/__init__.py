"""The objects of the API, as its OpenAPI document describes them; a test compares both.

A field with a default is absent in some responses. Times are text as RFC 3339 writes them, in UTC.
"""
