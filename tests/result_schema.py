"""The JSON Schema of result files, `result.schema.json`; `python -m tests.result_schema` writes it."""

import json
import re
from inspect import cleandoc
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DataclassSchema

from merge_snli.results import store
from merge_snli.results.records import SCHEMA_VERSION
from merge_snli.results.store import FILE

SCHEMA_FILE = Path(store.__file__).with_name("result.schema.json")

# A field in a docstring, and what is said about it.
FIELD = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


class _Described(GenerateJsonSchema):
    """Describes each field as `Attributes:` of its class does, without titles that repeat the names of the fields."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        value = super().dataclass_schema(schema)
        value["description"], _, _ = cleandoc(schema["cls"].__doc__ or "").partition("\n\nAttributes:")
        for base in reversed(schema["cls"].__mro__):
            for name, text in FIELD.findall(cleandoc(base.__doc__ or "").partition("\n\nAttributes:\n")[2]):
                value["properties"][name]["description"] = " ".join(text.split())
        return value


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of result files."""
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:merge-snli:result:{SCHEMA_VERSION}",
        **FILE.json_schema(schema_generator=_Described),
    }


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
