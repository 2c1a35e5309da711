# Completion of appvars for bash 3.2 and newer, which needs no other packages. Install it with one of
#   source <(appvars completion bash)
#   eval "$(appvars completion bash)"
# This script contains the commands, flags and choices. For names of variables, environments and profiles, it runs
# `appvars __complete`, which prints one per line; its output is never evaluated.

# Sets subcommands, flags, kinds and choices to the candidates for a key. Fails for an unknown key.
# shellcheck disable=SC2034
_appvars_look() { # KEY
  subcommands=() flags=() kinds=() choices=()
  case $1 in
    # @BRANCHES@
  *) return 1 ;;
  esac
}

# Splits the line up to the cursor as the shell will; COMP_WORDS are also split at = and :. The last word, which may be
# empty, is the one to complete.
_appvars_split() {
  local line=${COMP_LINE:0:COMP_POINT} rest word i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=${line#"${line%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$rest; fi
    if ((i > 0)) && [[ $rest == "$line" ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    line=${rest#"$word"}
  done
}

# Offers the words that begin with the input, quoted, because they may come from an untrusted server. Leaves out the
# part before the last = or :, because readline replaces only the rest.
_appvars_offer() { # WORD...
  local word quoted kept='' breaks=${COMP_WORDBREAKS//[!=:]/}
  if [[ -n $breaks && $current != [\"\']* ]]; then kept=${current%"${current##*["$breaks"]}"}; fi
  for word; do
    [[ $word == "$typed"* ]] || continue
    quoted=$word
    if [[ $word == *[!A-Za-z0-9_@%+=:,./-]* ]]; then
      # After an open quote, a backslash is literal.
      [[ $current != [\"\']* ]] || continue
      printf -v quoted %q "$word"
    fi
    COMPREPLY+=("${quoted#"$kept"}")
  done
}

# Offers the words of a kind from `appvars __complete`.
_appvars_offer_found() { # KIND [BEFORE]
  local word _ found=()
  while IFS=$'\t' read -r word _; do
    found+=("${2-}$word")
  done < <(appvars __complete "$1" "${typed#"${2-}"}" "${given[@]}" 2>/dev/null </dev/null)
  _appvars_offer "${found[@]}"
}

_appvars_offer_values() {
  local kind listed
  _appvars_offer "${choices[@]}"
  for kind in "${kinds[@]}"; do
    case $kind in
    # Use the default of readline.
    files) compopt -o default 2>/dev/null ;;
    *name-list)
      compopt -o nospace 2>/dev/null
      listed=${typed%"${typed##*,}"}
      _appvars_offer_found "${kind%-list}s" "$listed"
      ;;
    program)
      if [[ $current == */* ]]; then
        compopt -o default 2>/dev/null
      else
        while IFS= read -r word; do _appvars_offer "$word"; done < <(compgen -c -- "$typed" | sort -u)
      fi
      ;;
    *) _appvars_offer_found "$kind" ;;
    esac
  done
}

_appvars() {
  local words current typed word i key=appvars flag='' position=1 only_arguments=''
  local given=() subcommands flags kinds choices
  COMPREPLY=()
  compopt +o default 2>/dev/null
  _appvars_split
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]//[\\\"\']/}
    given+=("$word")
    if [[ -n $flag ]]; then
      flag=''
    elif [[ -z $only_arguments && $word == -- ]]; then
      only_arguments=1
    elif [[ -z $only_arguments && $word == -?* ]]; then
      if [[ $word != *=* ]] && _appvars_look "$key $word"; then flag=$word; fi
    else
      _appvars_look "$key"
      if ((${#subcommands[@]} > 0)); then
        _appvars_look "$key $word" || return
        key+=" $word"
      else
        _appvars_look "$key $position" || _appvars_look "$key ..."
        if [[ ${kinds[0]-} == program ]]; then
          # The rest are the arguments of another program.
          compopt -o default 2>/dev/null
          return
        fi
        ((position++))
      fi
    fi
  done
  current=${words[${#words[@]}-1]}
  if [[ -z $flag && -z $only_arguments && $current == --*=* ]]; then
    flag=${current%%=*}
    current=${current#*=}
  fi
  typed=${current//[\\\"\']/}
  if [[ -n $flag ]]; then
    _appvars_look "$key $flag" && _appvars_offer_values
  elif [[ -z $only_arguments && $current == -* ]]; then
    _appvars_look "$key" && _appvars_offer "${flags[@]}"
  else
    _appvars_look "$key"
    if ((${#subcommands[@]} > 0)); then
      _appvars_offer "${subcommands[@]}"
    elif _appvars_look "$key $position" || _appvars_look "$key ..."; then
      _appvars_offer_values
    fi
  fi
}

complete -o default -F _appvars appvars
