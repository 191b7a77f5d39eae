"""A local fake of the Hub's HTTP API on 127.0.0.1, limited to the requests that the tests make.

Tests use the fixtures of `tests.hub.fixtures`, and `Fault` to simulate failures.
"""
