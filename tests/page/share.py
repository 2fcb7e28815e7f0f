"""The share of the long tests that this run takes, as tests/share.h has it: RINGSIDE_TEST_SHARE=2/4 takes the third of every four."""
import os

WHICH, OF = map(int, os.environ.get("RINGSIDE_TEST_SHARE", "0/1").split("/"))


def share_of(items):
    """Of a list, what belongs to this run; at least one, where there are any."""
    return items[WHICH % max(min(OF, len(items)), 1)::OF]


def keep_share(case):
    """Leaves a case of long tests those of this run."""
    names = sorted(name for name in dir(case) if name.startswith("test_"))
    for name in set(names) - set(share_of(names)):
        delattr(case, name)
    return case
