"""The objects of the API as in the OpenAPI document, with which a test compares them.

Fields with a default are absent from some responses. Times are RFC 3339 text in UTC.
"""
