"""Whether a judge's replies can be read: the same for every benchmark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pairbench_ext.core.evidence.model import Evidence, Finding
from pairbench_ext.core.evidence.shares import share_finding, share_of

MOST_UNREAD = 0.05  # one in twenty


def _find(run: Any) -> Finding | None:
    asked = [one for one in run.readings if not one.left_out or one.outcomes]
    total = sum(max(1, len(one.rows)) for one in asked)
    unread = sum(len(one.unusable) for one in asked)
    if not total:
        return None
    why = ", ".join(f"{reason} ({count})" for reason, count in run.unusable.most_common(2))
    return replace(
        share_finding(
            unread,
            total,
            MOST_UNREAD,
            side="greater",
            says=f"{unread} of {total} replies cannot be read" + (f": {why}" if why else ""),
            null=f"at most {MOST_UNREAD:.0%} of replies cannot be read",
            flag="unreadable",
            todo="look at them, allow longer replies",
            fine=f"not shown to be more than {MOST_UNREAD:.0%}" if unread else "",
        ),
        **share_of(total - unread, total),
    )


READABLE = Evidence("instructions", "replies that can be read", _find)
