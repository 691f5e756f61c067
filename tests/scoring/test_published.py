"""The HOTFIXR paper's own tables come out of its table 10 by our aggregation.

Points; a setting is a student and a task. The Llama row of HOTFIXR is from the paper's table 5.
"""

from __future__ import annotations

import numpy as np
import pytest

from tasks.scoring import deltas_and_wins, forgetting_avoided

# Nemotron | Factual | Translation | RAG, for Qwen 7B, Qwen 14B, Llama 8B.
TABLE_10 = {
    "Base": "52.3 67.0 59.2 79.0  55.2 73.7 59.4 79.9  48.1 48.5 56.3 67.7",
    "EngReason": "51.2 68.2 59.0 79.3  54.1 73.0 59.5 81.0  47.0 47.3 56.4 65.2",
    "SelectionGT": "48.5 63.9 53.8 61.5  51.4 67.3 54.2 73.8  47.6 48.8 57.6 67.2",
    "SelectionGEN": "50.3 59.9 56.8 41.4  52.1 70.3 57.4 42.8  48.1 48.6 57.6 67.2",
    "Filtered": "48.6 61.7 56.6 66.5  50.9 59.1 59.1 45.5  47.2 48.8 57.7 68.4",
    "Untrained": "51.2 59.2 57.1 72.3  52.1 71.0 57.9 77.5  47.7 49.5 57.1 68.6",
    "DataEnvGym": "49.3 46.2 56.9 47.5  50.3 62.6 57.4 70.4  47.6 48.8 57.5 69.1",
    "HOTFIXR": "57.8 64.3 59.1 76.7  58.3 67.9 58.2 78.3  52.5 49.3 58.9 69.7",
}
# Table 1: ID and OOD means. Table 2: ID delta, OOD delta, OOD wins of nine.
TABLE_1 = {
    "Base": (51.9, 65.6),
    "EngReason": (50.8, 65.4),
    "SelectionGT": (49.2, 60.9),
    "SelectionGEN": (50.2, 55.8),
    "Filtered": (48.9, 58.2),
    "Untrained": (50.4, 63.4),
    "DataEnvGym": (49.0, 57.4),
    "HOTFIXR": (56.2, 64.7),
}
TABLE_2 = {
    "Base": (4.3, -0.9, 3),
    "EngReason": (5.4, -0.7, 4),
    "SelectionGT": (7.0, 3.8, 9),
    "SelectionGEN": (6.0, 8.9, 8),
    "Filtered": (7.3, 6.6, 8),
    "Untrained": (5.8, 1.4, 7),
    "DataEnvGym": (7.1, 7.3, 9),
}
# Table 3: change on German, Japanese, Russian, Chinese.
TABLE_3 = {
    "SelectionGT": (-3.3, -4.7, -9.5, -10.5),
    "SelectionGEN": (-1.9, -4.0, -22.5, -21.5),
    "Filtered": (-3.8, -4.8, -14.7, -16.3),
    "Untrained": (-2.9, -2.0, -2.3, -5.3),
    "DataEnvGym": (-6.8, -6.0, -12.2, -15.4),
    "HOTFIXR": (-2.6, -0.7, -0.9, -1.3),
}


def settings(method: str, part: slice) -> list[float]:
    table = np.array(TABLE_10[method].split(), dtype=float).reshape(3, 4)
    return table[:, part].ravel().tolist()


IN_DISTRIBUTION, OUT_OF_DISTRIBUTION = slice(0, 1), slice(1, 4)


@pytest.mark.parametrize("method", TABLE_1)
def test_means_in_and_out_of_distribution(method: str) -> None:
    found = [np.mean(settings(method, part)) for part in (IN_DISTRIBUTION, OUT_OF_DISTRIBUTION)]
    assert np.round(found, 1) == pytest.approx(TABLE_1[method], abs=0.1 + 1e-9)


@pytest.mark.parametrize("method", TABLE_2)
def test_deltas_and_wins(method: str) -> None:
    in_distribution, out_of_distribution = (
        deltas_and_wins(settings("HOTFIXR", part), {method: settings(method, part)})[method]
        for part in (IN_DISTRIBUTION, OUT_OF_DISTRIBUTION)
    )
    delta_in, delta_out, wins = TABLE_2[method]
    found = np.round([in_distribution.delta, out_of_distribution.delta], 1)
    assert found == pytest.approx([delta_in, delta_out], abs=0.1 + 1e-9)
    assert (out_of_distribution.wins, out_of_distribution.settings) == (wins, 9)


def test_forgetting_avoided() -> None:
    others = {name: changes for name, changes in TABLE_3.items() if name != "HOTFIXR"}
    found = forgetting_avoided(TABLE_3["HOTFIXR"], others)
    assert round(found.against["DataEnvGym"], 1) == 8.7
    assert round(found.mean, 1) == 7.1
