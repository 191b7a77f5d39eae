"""Run the stages of `generate` and `score` as tasks on a cluster, through datatrove's executors.

What a task does is in `generation.tasks` and `merge_snli.scoring.tasks`; import from the modules here.
"""
