"""The two scores of an annotation and their scale (the paper's section A.2)."""

SCALE = {1: "poor", 2: "mostly poor", 3: "uncertain", 4: "mostly good", 5: "good"}
"""The meaning of each score. 5 is best; section 4 of the paper prints the scale reversed."""

SCORES = {
    "F": "fluency: is the variant correct and sensible English?",
    "R": "reasoning: is the label right for the variant?",
}
"""The scores, as columns and as questions."""

GOOD = 9
"""A variant is good if the means of F and R over the annotators add up to at least this."""

COMMENT = "comment"
