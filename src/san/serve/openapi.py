"""The OpenAPI 3.1 document: what FastAPI knows of the endpoints, and what it cannot know."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from san.serve import requests
from san.serve.problems import MEANINGS, PROBLEM_TYPE
from san.serve.responses import ProblemDetails

Schema = dict[str, Any]

REF = "#/components/schemas/{model}"
INKML = "application/inkml+xml"
BYTES: Schema = {"schema": {"type": "string", "format": "binary"}}
TEXT: Schema = {"schema": {"type": "string", "contentMediaType": INKML}}
FORM: Schema = {
    "schema": {"type": "object", "required": ["file"], "properties": {"file": BYTES["schema"]}}
}
IMAGE_FILE = {"image/*": BYTES, "application/octet-stream": BYTES, "multipart/form-data": FORM}
IMAGE_BODY = {
    **IMAGE_FILE,
    "application/json": {"schema": {"$ref": REF.format(model="ImageRequest")}},
}
DOCUMENT_BODY = {"application/pdf": BYTES, **IMAGE_BODY}
INK_BODY = {
    "application/json": {"schema": {"$ref": REF.format(model="InkRequest")}},
    INKML: TEXT,
    "text/xml": TEXT,
}
EITHER = [IMAGE_BODY["application/json"]["schema"], INK_BODY["application/json"]["schema"]]
PAGE_BODY = {**IMAGE_FILE, **INK_BODY, "application/json": {"schema": {"anyOf": EITHER}}}
WRITE_BODY, SAMPLE_BODY = (
    {"application/json": {"schema": {"$ref": REF.format(model=model.__name__)}}}
    for model in (requests.WriteRequest, requests.InkmlRequest)
)
READING, WRITING, HEALTH = (
    (400, 401, 408, 413, 415, 422, 500, 503),
    (400, 401, 408, 413, 415, 422, 500),
    (503,),
)


def body(content: Schema) -> Schema:
    """For `openapi_extra`: a body that an endpoint takes in several kinds."""
    return {"requestBody": {"required": True, "content": content}}


def problem_responses(*statuses: int) -> dict[int | str, Schema]:
    """For `responses`."""
    return {status: _problem_response(status) for status in statuses}


def _problem_response(status: int) -> Schema:
    answer: Schema = {
        "description": MEANINGS[status],
        "content": {PROBLEM_TYPE: {"schema": {"$ref": REF.format(model="ProblemDetails")}}},
    }
    if status == 503:
        answer["headers"] = {"Retry-After": {"schema": {"type": "integer", "minimum": 1}}}
    if status == 401:
        answer["headers"] = {"WWW-Authenticate": {"schema": {"type": "string"}}}
    return answer


def document(app: FastAPI, token: bool) -> Schema:
    openapi: Schema = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes,
        tags=app.openapi_tags, license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )  # fmt: skip
    # Relative: it is wherever the document was found, behind a proxy's prefix too.
    openapi["servers"] = [{"url": "./"}]
    components = openapi.setdefault("components", {})
    models = (
        requests.ImageRequest,
        requests.InkRequest,
        requests.WriteRequest,
        requests.InkmlRequest,
    )
    _, asked = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    schemas = components.setdefault("schemas", {})
    schemas.update(asked["$defs"])
    schemas["ProblemDetails"] = TypeAdapter(ProblemDetails).json_schema(ref_template=REF)
    # Of no operation: whoever gets one of these asked for none.
    components["responses"] = {str(status): _problem_response(status) for status in (404, 405)}
    if token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        openapi["security"] = [{"token": []}]
    return openapi
