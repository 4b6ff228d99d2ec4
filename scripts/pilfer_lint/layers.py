"""Who may include whom. A queue that needs only ext compiles unchanged in the checker, the simulator and the lab."""
import os
import re

from . import sources

EVERYTHING = None

# Folder -> the folders below include/pilfer it may include from; "" is tier 1, the headers directly in include/pilfer.
# The longest matching folder decides. Every folder may include its own headers by a quoted name.
MAY_INCLUDE = {
    "include/pilfer/ext": {"ext"},
    "include/pilfer/queue": {"ext", "queue"},
    "include/pilfer/victim": {"ext"},
    "include/pilfer/detail": {"ext", "queue", "victim", "detail"},
    "include/pilfer/algorithm": {"ext", "detail", "", "algorithm"},
    "include/pilfer/coro": {"ext", "detail", "", "coro"},
    "include/pilfer/io": {"ext", "detail", "", "coro", "io"},
    "include/pilfer": {"ext", "detail", "", "algorithm", "coro", "io"},
    "src/sync": {"ext", "detail"},
    "src/topology": {"ext"},
    "src/runtime": {"ext", "queue", "victim", "detail", ""},
    "src/coro": {"ext", "detail", "", "coro"},
    "src/io": {"ext", "detail", "", "coro", "io"},
    "model": {"ext", "queue", "victim", "detail"},
    "sim": {"ext", "queue", "victim", "detail"},
    "cluster": {""},
    "examples": {"", "ext", "queue", "algorithm", "coro", "io"},  # written for users, and for authors of schedulers
    "lab": EVERYTHING,
    "tools": EVERYTHING,
    "tests": EVERYTHING,
}

# Folder of src/ -> the other folders of src/ it may include from, by a quoted path. No two include each other.
MAY_INCLUDE_INSIDE = {
    "src/sync": set(),
    "src/topology": {"sync"},
    "src/runtime": {"sync", "topology"},
    "src/coro": {"sync", "runtime"},
    "src/io": {"sync", "runtime"},
}

# One by one, with the reason.
EXCEPTIONS = {
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
            elif path.startswith("src/") and name.startswith("../"):
                inside = os.path.dirname(path)
                other = name.split("/")[1]
                if other not in MAY_INCLUDE_INSIDE.get(inside, set()):
                    findings.append(f'{where} {inside} must not include src/{other} ("{name}")')
            elif public and bracket == '"':
                findings.append(f'{where} a public header names its neighbours as <pilfer/...>, not "{name}"')
            elif public and name not in STANDARD:
                findings.append(f"{where} <{name}> is neither the standard library's nor ours")
    return findings
