"""The forms of a table as markup. `rows` has the cells as markup, and the filter `escaped` makes markup of a text."""

MARKDOWN = """\
{% if table.title %}
## {{ table.title | escaped }}

{% endif %}
{% if table.finding %}
{{ table.finding | escaped }}

{% endif %}
| {{ table.columns | map(attribute="header") | map("escaped") | join(" | ") }} |
|{% for column in table.columns %} {{ "---:" if column.align == "right" else "---" }} |{% endfor %}

{% for row in rows %}
| {{ row | join(" | ") }} |
{% endfor %}
{% for note in table.notes %}
{{ "\n" if loop.first }}- {{ note | escaped }}
{% endfor %}
"""

LATEX = r"""\begin{table}
  \centering
  \begin{tabular}{{ "{" }}{{ table.columns | map(attribute="align") | map("first") | join }}}
    \toprule
    {{ table.columns | map(attribute="header") | map("escaped") | join(" & ") }} \\
    \midrule
{% for row in rows %}
    {{ row | join(" & ") }} \\
{% endfor %}
    \bottomrule
  \end{tabular}
{% if table.title %}
  \caption{{ "{" }}{{ table.title | escaped }}}
{% endif %}
{% for note in [table.finding] + (table.notes | list) if note %}
  \par {\footnotesize {{ note | escaped }}}
{% endfor %}
\end{table}
"""

# In a cell, the values of columns that are shown under the first have lines of their own.
HTML = """\
{% macro cell(tag, column, content) -%}
<{{ tag }} style="text-align: {{ column.align }}{{ "; min-width: 16em; white-space: normal" if column.wrap }}">
{{- content }}</{{ tag }}>
{%- endmacro -%}
<table>
{%- if table.title %}<caption>{{ table.title | escaped }}</caption>{% endif -%}
<thead><tr>
{%- for column in table.columns if not column.under %}{{ cell("th", column, column.header | escaped) }}{% endfor -%}
</tr></thead><tbody>
{%- for row in rows -%}
<tr>{% for column, content in row %}{{ cell("td", column, content) }}{% endfor %}</tr>
{%- endfor -%}
</tbody></table>
{%- if table.notes %}<p>{{ table.notes | map("escaped") | join("<br>") }}</p>{% endif -%}
"""
