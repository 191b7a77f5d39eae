"""Answers: what masked LMs said to forms, each asked once and kept on disk."""
