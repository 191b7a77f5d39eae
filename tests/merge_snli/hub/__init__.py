"""Tests of publishing against a local stand-in for the Hub."""
