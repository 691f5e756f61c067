"""Recipes name no folder and no bucket that a worker was not given."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.address import split_spec
from tasks.artifacts.roots import VARIABLE, require_root
from tasks.benchmarks import load_items
from tasks.errors import BadInput
from tasks.models.mirror import materialise
from tasks.models.references import parse_reference
from tasks.read_recipe import RECIPES, read_recipe


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that may be read, beside one bucket."""
    folder = tmp_path / "given"
    folder.mkdir()
    monkeypatch.setenv(VARIABLE, f"{folder.as_uri()} s3://bucket/data/")
    return folder


@pytest.mark.parametrize("uri", ["s3://bucket/data", "s3://bucket/data/more", "s3://bucket/data/"])
def test_what_was_given_is_read(given: Path, uri: str) -> None:
    require_root("it", uri)
    require_root("it", given.as_uri())
    require_root("it", f"{given.as_uri()}/below/it")


@pytest.mark.parametrize(
    "uri",
    ["s3://bucket", "s3://bucket/database", "s3://other/data", "s3://bucket/data/../secret",
     "file:///", "file:///etc", "https://bucket/data"],
)  # fmt: skip
def test_nothing_else_is(given: Path, uri: str) -> None:
    with pytest.raises(BadInput, match=f"it is '{uri}', and this worker may read .*; copy it"):
        require_root("it", uri)


@pytest.mark.parametrize("escape", ["{given}/../secret", "{given}/link"])
def test_neither_dots_nor_links_lead_out(given: Path, escape: str) -> None:
    (given / "link").symlink_to(given.parent)
    with pytest.raises(BadInput, match=VARIABLE):
        require_root("it", escape.format(given=given.as_uri()))


def test_without_the_variable_everything_is_read_and_with_an_empty_one_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    require_root("it", "s3://anything")
    monkeypatch.setenv(VARIABLE, "")
    with pytest.raises(BadInput, match="may read none at all"):
        require_root("it", tmp_path.as_uri())


def test_data_recipes_and_models_are_held_to_it(given: Path, tmp_path: Path) -> None:
    outside = tmp_path / "mine.yaml"
    outside.write_text((RECIPES / "simulated.yaml").read_text())
    with pytest.raises(BadInput, match=r"the source of .*mgsm.* may read"):
        load_items("mgsm", tmp_path.as_uri(), "en")
    for where in (str(outside), outside.as_uri()):
        with pytest.raises(BadInput, match=r"the recipe is .*, and this worker may read"):
            read_recipe(where)
    with pytest.raises(BadInput, match=r"the model is .*, and this worker may read"):
        materialise(parse_reference(f"file:{tmp_path}"), given)
    inside = given / "mine.yaml"
    inside.write_text(outside.read_text())
    assert read_recipe(str(inside)) == read_recipe("simulated")


def test_a_spec_is_read_from_the_workers_own_store_or_from_what_it_was_given(
    given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTFIXR_STORE", "s3://own/store/")
    for root in ("s3://own/store", "s3://bucket/data/theirs", given.as_uri()):
        assert split_spec(f"{root}/runs/one/specs/a.json") == (root, "runs/one/specs/a.json")
    for root in ("s3://own", "s3://own/store2", "file:///etc"):
        with pytest.raises(BadInput, match=f"the store of the spec is '{root}', and this worker"):
            split_spec(f"{root}/runs/one/specs/a.json")


@pytest.mark.parametrize(
    "uri",
    ["s3://own/store/specs/a.json", "runs/one/specs/a.json", "file:///s/runs/../../secret.json"],
)
def test_what_is_no_spec_is_refused(uri: str) -> None:
    with pytest.raises(BadInput, match="is not the URI of a spec; it looks like"):
        split_spec(uri)


@pytest.mark.parametrize("where", ["../recipes/simulated", "../../pyproject", "/etc/passwd", ""])
def test_a_name_is_no_way_to_other_files(where: str) -> None:
    with pytest.raises(BadInput, match="no recipe "):
        read_recipe(where)
