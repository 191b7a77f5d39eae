"""What is known about each language, as one TOML file per language.

To add a language, add its file. Only `name` and `function_words` are required.
"""
