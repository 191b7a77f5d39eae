"""Show which models of a family differ by letters."""

from collections.abc import Sequence
from string import ascii_lowercase


def compact_letters(models: Sequence[str], differing: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Assign letters to models so that two models share a letter if and only if they do not differ.

    The models of a letter are as many as possible of which no two differ, as in Piepho (2004): a maximal clique of the
    graph whose edges are the pairs that do not differ.

    Args:
        models: Models, best first; the best gets the first letter.
        differing: Pairs that differ.

    Returns:
        The letters of each model, such as "a" or "ab".

    Examples:
        >>> compact_letters(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    import networkx as nx

    graph = nx.complete_graph(models)
    graph.remove_edges_from(differing)
    letters = sorted(sorted(map(models.index, clique)) for clique in nx.find_cliques(graph))
    texts = dict.fromkeys(models, "")
    for number, ranks in enumerate(letters):
        for rank in ranks:
            texts[models[rank]] += _letter(number)
    return texts


def _letter(number: int) -> str:
    """Return the letters a to z, then a1 to z1 and so on."""
    suffix, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(suffix) if suffix else "")
