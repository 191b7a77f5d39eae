"""Options that people try, and those that do what they mean."""

from collections.abc import Collection

from merge_snli.base.errors import nearest

# By the name that other programs have for it, the options that may be meant: the first that a command has is proposed.
MEANT = {
    "--min-variants": ("--inflation",),
    "--max-variants": ("--inflation",),
    "--num-variants": ("--inflation",),
    "--variants": ("--inflation",),
    "--min-seeds": ("--inflation",),
    "--limit": ("--limit-seeds",),
    "--num-seeds": ("--limit-seeds", "--inflation"),
    "--max-seeds": ("--limit-seeds", "--limit"),
    "--num-samples": ("--limit-seeds", "--limit"),
    "--max-samples": ("--limit-seeds", "--limit"),
    "--max-problems": ("--limit",),
    "--num-problems": ("--limit",),
    "--seed": ("--random-seed",),
    "--masked-lm": ("--mlm",),
    "--model": ("--mlm",),
    "--models": ("--mlm",),
    "--output": ("--out",),
    "--output-dir": ("--out",),
    "--data": ("--dataset",),
    "--labels": ("--data-labels", "--model-labels"),
    "--label-names": ("--data-labels", "--model-labels"),
    "--gpu": ("--device",),
    "--cpu": ("--device",),
    "--fp16": ("--dtype",),
    "--bf16": ("--dtype",),
    "--jobs": ("--workers",),
    "--threads": ("--workers",),
    "--num-workers": ("--workers",),
    "--force": ("--overwrite",),
    "--cache-dir": ("--work",),
}


def advice(name: str, known: Collection[str]) -> str:
    """Return a question that names the option that is meant, or the most similar one; nothing if there is none.

    Args:
        name: An option that a command does not have.
        known: The options that it has.

    Examples:
        >>> advice("--limit", ["--limit-seeds", "--delimiter"])
        ': did you mean --limit-seeds?'
    """
    meant = [option for option in MEANT.get(name, ()) if option in known]
    return f": did you mean {meant[0]}?" if meant else nearest(name, known)
