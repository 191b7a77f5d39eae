"""NLI models: found, loaded, their labels read, and run over sentence pairs."""
