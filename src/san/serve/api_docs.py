"""The page that documents the API, from its OpenAPI document: no script, nothing from elsewhere."""

import html
import json
import re
from typing import Any

from san.serve.problems import MEANINGS

Document = dict[str, Any]

PAGE_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>san · the API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/manual.css"></head><body>
"""
EXAMPLE_CALLS = {  # how each endpoint is asked: by curl, and by Python's httpx
    "/api/v1/read": (
        "curl {url} -H 'Content-Type: image/jpeg' --data-binary @photo.jpg",
        'httpx.post("{url}", content=open("photo.jpg", "rb").read()).json()["latex"]',
    ),
    "/api/v1/ink": (
        "curl {url} --json '{body}'",
        'httpx.post("{url}", json={body}).json()["latex"]',
    ),
    "/api/v1/page": (
        "curl {url} -H 'Content-Type: image/jpeg' --data-binary @page.jpg",
        'httpx.post("{url}", content=open("page.jpg", "rb").read()).json()["formulas"]',
    ),
    "/api/v1/document": (
        "curl '{url}?page=1' -H 'Content-Type: application/pdf' --data-binary @lesson.pdf",
        'httpx.post("{url}", params={"page": 1}, content=open("lesson.pdf", "rb").read()).json()',
    ),
    "/api/v1/write": (
        "curl {url} --json '{body}'",
        'httpx.post("{url}", json={"expression": answer["expression"]}).json()["latex"]',
    ),
    "/api/v1/inkml": ("curl {url} --json '{body}'", 'httpx.post("{url}", json={body}).text'),
}


WITH_TOKEN = (
    "<p>Every call needs the header <code>Authorization: Bearer ...</code> with the token that the "
    "service was started with; so does the OpenAPI document.</p>"
)


def api_docs(document: Document, url: str) -> str:
    """The page; `url`: where it was opened, without a slash at its end."""
    info, schemas = document["info"], document["components"]["schemas"]
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    links = "".join(
        f"<li><a href='#{_text(operation['operationId'])}'>{_text(operation['summary'])}</a></li>"
        for _, _, operation in operations
    )
    parts = [
        PAGE_HEAD,
        f"<nav><a class='home' href='./'>{_text(info['title'])}</a><ul>{links}",
        "<li><a href='#troubles'>When something is wrong</a></li>",
        "<li><a href='#schemas'>What things hold</a></li></ul></nav><main>",
        f"<h1>The API</h1><p class='lead'>{_text(info['description'])} Nothing is stored. ",
        "For programs: <a href='openapi.json'>the OpenAPI document</a>.</p>",
        WITH_TOKEN if document.get("security") else "",
        *(_operation(schemas, url, *operation) for operation in operations),
        "<h2 id='troubles'>When something is wrong</h2><p>Every error is "
        "<code>application/problem+json</code> with one line in <code>detail</code>.</p>",
        _table(("status", "meaning"), [(code, said) for code, said in MEANINGS.items()]),
        "<h2 id='schemas'>What things hold</h2>",
        *(_schema(name, schema) for name, schema in schemas.items()),
        "</main></body></html>",
    ]
    return "".join(parts)


def _operation(schemas: Document, url: str, path: str, method: str, operation: Document) -> str:
    rows = [
        (
            parameter["name"],
            parameter.get("description", ""),
            _kind(parameter["schema"]),
            _default(parameter["schema"]),
        )
        for parameter in operation.get("parameters", ())
    ]
    body = json.dumps(_example(schemas, operation))
    examples = [
        line.replace("{url}", url + path).replace("{body}", body)
        for line in EXAMPLE_CALLS.get(path, ())
    ]
    return "".join(
        (
            f"<section id='{_text(operation['operationId'])}'>",
            f"<h2><span class='method {_text(method)}'>{_text(method)}</span> ",
            f"<code>{_text(path)}</code></h2><p>{_text(operation['summary'])}. ",
            f"{_text(operation.get('description', ''))}</p>",
            *(f"<pre><code>{_text(line)}</code></pre>" for line in examples),
            _table(("option", "", "kind", "default"), rows),
            f"<p class='statuses'>Answers: {_statuses(operation['responses'])}</p></section>",
        )
    )


def _statuses(responses: Document) -> str:
    return ", ".join(
        f"<a href='#troubles'>{_text(code)}</a>" if code >= "4" else f"<b>{_text(code)}</b>"
        for code in sorted(responses)
    )


def _example(schemas: Document, operation: Document) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    return schemas.get(name, {}).get("examples", [None])[0]


def _schema(name: str, schema: Document) -> str:
    rows = [
        (field, property_schema.get("description", ""), _kind(property_schema))
        for field, property_schema in schema.get("properties", {}).items()
    ]
    about = _text(schema.get("description", ""))
    table = _table(("field", "", "kind"), rows)
    return f"<section id='{_text(name)}'><h3>{_text(name)}</h3><p>{about}</p>{table}</section>"


def _kind(schema: Document) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_kind(choice) for choice in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return " or ".join(
            json.dumps(choice) for choice in schema.get("enum", [schema.get("const")])
        )
    if "prefixItems" in schema:
        return f"[{', '.join(_kind(choice) for choice in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['type']}, {schema['minimum']} to {schema['maximum']}"
    return str(schema.get("type", "any"))


def _default(schema: Document) -> str:
    return json.dumps(schema["default"]) if "default" in schema else ""


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    if not rows:
        return ""
    names = "".join(f"<th>{_text(name)}</th>" for name in head)
    lines = ("".join(f"<td>{_text(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    scroll = "<div class='scroll' tabindex='0'>"
    return f"{scroll}<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></div>"


def _text(value: object) -> str:
    return re.sub("`(.+?)`", r"<code>\1</code>", html.escape(str(value)))
