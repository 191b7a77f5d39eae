"""Ask NLI models, functions and the files of other programs for answers, and score them."""
