# Completion of pilfer for bash. Source it, or install it as /usr/share/bash-completion/completions/pilfer.
# Commands and options are asked of the program itself (--help), so that they are those of the version at hand.

# The names of the subcommands in a help text.
_pilfer_commands() {
  awk '/^Subcommands:/ { on = 1; next } /^[^ ]/ { on = 0 } on && /^  [a-z]/ { print $1 }'
}

# The options in a help text; "-x,--long" are two.
_pilfer_options() {
  awk '/^Options:/ { on = 1; next } /^[^ ]/ { on = 0 } on && /^  -/ { gsub(",", "\n", $1); print $1 }'
}

# The schedulers: help of `tune` lists them, over several lines.
_pilfer_schedulers() {
  "$1" tune --help 2>/dev/null | awk '/^Schedulers:/ { on = 1; $1 = "" } /^$/ { on = 0 } on { gsub(",", ""); print }'
}

_pilfer() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  COMPREPLY=()
  # "--option=value" comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  # Which subcommand: each is found in the help of the one before.
  local -a path=()
  local help word i
  help=$("$program" --help 2>/dev/null) || return
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -- ]] && return # what follows are names
    if grep -qxF -- "$word" <<<"$(_pilfer_commands <<<"$help")"; then
      path+=("$word")
      help=$("$program" "${path[@]}" --help 2>/dev/null) || return
    fi
  done

  local words=
  case $prev in
    --format) words="text json csv fdupes" ;;
    --keep) words="first newest oldest shortest-path" ;;
    --sort) words="path wasted" ;;
    --io) words="auto uring threads" ;;
    --scheduler) words=$(_pilfer_schedulers "$program") ;;
    --move | --reference | --root | --out)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return
      ;;
    --files-from | --output | --cache | --json) return ;; # any file: readline does it
  esac
  if [[ -z $words ]]; then
    if [[ $cur == -* ]]; then
      words=$(_pilfer_options <<<"$help")
    else
      words=$(_pilfer_commands <<<"$help")
      if [[ "${path[*]}" == "lab run" ]]; then
        words=$("$program" lab list 2>/dev/null | awk 'NR > 1 && /^[a-z]/ && NF > 1 { print $1 }')
      fi
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -o bashdefault -o default -F _pilfer pilfer
