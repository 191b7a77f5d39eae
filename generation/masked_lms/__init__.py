"""Masked LMs: loaded, asked the fastest way that is right, and what their pieces stand for."""
