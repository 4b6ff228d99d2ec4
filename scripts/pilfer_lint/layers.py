"""Who may include whom. A queue that needs only ext compiles unchanged in the checker, the simulator and the lab."""
import os
import re

from . import sources

EVERYTHING = None

# Folder -> the folders below include/pilfer it may include from; "" is tier 1, the headers directly in include/pilfer.
# The longest matching folder decides. Every folder may include its own headers by a quoted name.
USERS = {"", "algorithm", "coro", "io"}
DETAIL = {"detail", "detail/fork", "detail/protocol"}
MAY_INCLUDE = {
    "include/pilfer/ext": {"ext"},
    "include/pilfer/queue": {"ext", "queue"},
    "include/pilfer/victim": {"ext"},
    "include/pilfer/detail/protocol": {"ext", "detail/protocol"},
    "include/pilfer/detail/fork": {"ext", "queue"} | DETAIL,
    "include/pilfer/detail": {"ext", "queue"} | DETAIL,
    "include/pilfer/algorithm": {"ext", "", "algorithm"} | DETAIL,
    "include/pilfer/coro": {"ext", "", "coro"} | DETAIL,
    "include/pilfer/io": {"ext", "", "coro", "io"} | DETAIL,
    "include/pilfer": {"ext"} | DETAIL | USERS,
    "src/sync": {"ext"} | DETAIL,
    "src/topology": {"ext"},
    "src/runtime": {"ext", "queue", "victim", ""} | DETAIL,
    "src/coro": {"ext", "", "coro"} | DETAIL,
    "src/io": {"ext", "", "coro", "io"} | DETAIL,
    "research": {"ext", "queue", ""} | DETAIL,
    "model": {"ext", "queue", "victim", "detail/fork", "detail/protocol"},
    "sim": {"ext", "queue", "victim", "detail/protocol"},
    "cluster": {""},
    "examples": {"ext", "queue"} | USERS,  # written for users, and for authors of schedulers
    "lab": EVERYTHING,
    "tools": EVERYTHING,
    "tests": EVERYTHING,
}

# Folder -> the folders outside of include/ it may include from by a quoted path. No two include each other.
MAY_INCLUDE_INSIDE = {
    "src/sync": set(),
    "src/topology": {"src/sync"},
    "src/runtime": {"src/sync", "src/topology"},
    "src/coro": {"src/sync", "src/runtime"},
    "src/io": {"src/sync", "src/runtime"},
    "research": {"src/sync", "src/topology", "src/runtime", "research"},
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
                layer = os.path.dirname(name)[len("pilfer/"):]
                if allowed is not EVERYTHING and layer not in allowed:
                    tier = layer or "tier 1"
                    findings.append(f"{where} {folder} must not include {tier} (<{name}>)")
            elif folder in MAY_INCLUDE_INSIDE and bracket == '"' and "/" in name:
                other = os.path.dirname(os.path.normpath(os.path.join(folder, name)) if name.startswith("../") else name)
                if other not in MAY_INCLUDE_INSIDE[folder]:
                    findings.append(f'{where} {folder} must not include {other} ("{name}")')
            elif public and bracket == '"':
                findings.append(f'{where} a public header names its neighbours as <pilfer/...>, not "{name}"')
            elif public and name not in STANDARD:
                findings.append(f"{where} <{name}> is neither the standard library's nor ours")
    return findings
