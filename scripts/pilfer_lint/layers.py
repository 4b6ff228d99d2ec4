"""Who may include whom. A queue that needs only ext compiles unchanged in the checker, the simulator and the lab."""
import os
import re

from . import sources

EVERYTHING = None

# Folder -> the folders below include/pilfer it may include from; "" is tier 1, the headers directly in include/pilfer.
# The longest matching folder decides. Every folder may include its own headers by a quoted name.
MAY_INCLUDE = {
    "include/pilfer/ext": {"ext"},
    "include/pilfer/queue": {"ext"},
    "include/pilfer/victim": {"ext"},
    "include/pilfer/detail": {"ext", "queue", "victim", "detail"},
    "include/pilfer/algorithm": {"ext", "detail", "", "algorithm"},
    "include/pilfer/coro": {"ext", "detail", "", "coro"},
    "include/pilfer/io": {"ext", "detail", "", "coro", "io"},
    "include/pilfer": {"ext", "detail", "", "algorithm", "coro", "io"},
    "src": EVERYTHING,
    "model": {"ext", "queue", "victim", "detail"},
    "sim": {"ext", "queue", "victim", "detail"},
    "cluster": {""},
    "examples": {"", "ext", "queue", "algorithm", "coro", "io"},  # written for users, and for authors of schedulers
    "lab": EVERYTHING,
    "tools": EVERYTHING,
    "tests": EVERYTHING,
}

# One by one, with the reason.
EXCEPTIONS = {
    # The asymmetric deque is a Chase-Lev deque with another fence: one text, so that both are checked as one.
    ("include/pilfer/queue/asymmetric_deque.hpp", "pilfer/queue/chase_lev_deque.hpp"),
    # Both forms of the split deque have one public part, which is long enough for a file.
    ("include/pilfer/queue/split_deque.hpp", "pilfer/queue/split_deque_base.hpp"),
    # Plain data that users write or read, and the scheduler takes or fills as it is.
    ("include/pilfer/detail/scheduler.hpp", "pilfer/pool_options.hpp"),
    ("include/pilfer/detail/scheduler.hpp", "pilfer/statistics.hpp"),
    ("include/pilfer/detail/worker.hpp", "pilfer/statistics.hpp"),
    ("include/pilfer/detail/task.hpp", "pilfer/priority.hpp"),
    ("include/pilfer/detail/resume.hpp", "pilfer/priority.hpp"),
    ("include/pilfer/detail/task_lanes.hpp", "pilfer/pool_options.hpp"),
}

STANDARD = set(
    """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
    clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio
    cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream functional
    future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
    set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
    variant vector version""".split()
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def rule_for(path):
    best = max((folder for folder in MAY_INCLUDE if path.startswith(folder + "/")), key=len, default=None)
    return best, MAY_INCLUDE.get(best, EVERYTHING)


def check(root, _variant):
    findings = []
    for path in sources.files(root, (".hpp", ".cpp")):
        path = path.replace(os.sep, "/")
        folder, allowed = rule_for(path)
        public = path.startswith("include/")
        for number, line in enumerate(sources.read(root, path).split("\n"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, name = match.groups()
            where = f"{path}:{number}:"
            if name.startswith("pilfer/"):
                if not os.path.exists(os.path.join(root, "include", name)):
                    findings.append(f"{where} <{name}> does not exist")
                layer = name.split("/")[1] if name.count("/") > 1 else ""
                if allowed is not EVERYTHING and layer not in allowed and (path, name) not in EXCEPTIONS:
                    tier = layer or "tier 1"
                    findings.append(f"{where} {folder} must not include {tier} (<{name}>)")
            elif public and bracket == '"':
                findings.append(f'{where} a public header names its neighbours as <pilfer/...>, not "{name}"')
            elif public and name not in STANDARD:
                findings.append(f"{where} <{name}> is neither the standard library's nor ours")
    return findings
