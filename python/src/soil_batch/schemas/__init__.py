"""The objects of the API as in the OpenAPI document; a test compares both.

Fields with a default are absent from some responses. Times are RFC 3339 text in UTC.
"""
