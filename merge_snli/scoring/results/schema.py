"""Generate the JSON Schema of result files; run as a script to update `merge_snli/scoring/result.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from merge_snli.scoring.results.fields import SCHEMA_VERSION
from merge_snli.scoring.results.files import RESULT

SCHEMA_FILE = Path(__file__).parents[1] / "result.schema.json"


class _WithoutTitles(GenerateJsonSchema):
    """Leave out the titles that repeat the name of each field."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of result files."""
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:merge-snli:result:{SCHEMA_VERSION}",
        **RESULT.json_schema(schema_generator=_WithoutTitles),
    }


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
