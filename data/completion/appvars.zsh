#compdef appvars
# Completion of appvars for zsh. Install it with `source <(appvars completion zsh)` after compinit, or as a file called
# _appvars in a folder of $fpath.
# This script contains the commands, flags and choices. For names of variables, environments and profiles, it runs
# `appvars __complete`, which prints one per line; its output is never evaluated.

# Sets subcommands, flags, kinds and choices to the candidates for a key. Fails for an unknown key.
_appvars_look() { # KEY
  subcommands=() flags=() kinds=() choices=()
  case $1 in
    # @BRANCHES@
  (*) return 1 ;;
  esac
}

# Offers the words of a kind from `appvars __complete`.
_appvars_offer_found() { # KIND [OPTIONS OF compadd...]
  local word description
  local -a found
  while IFS=$'\t' read -r word description; do
    found+=("${${word//\\/\\\\}//:/\\:}:${description//\\/\\\\}")
  done < <(appvars __complete $1 '' "${(@)given}" 2>/dev/null </dev/null)
  _describe -t $1 $1 found "${(@)argv[2,-1]}"
}

_appvars_offer_values() {
  local kind ret=1
  (( $#choices )) && _describe -t values value choices && ret=0
  for kind in $kinds; do
    case $kind in
    (files) _files && ret=0 ;;
    (program) _command_names -e && ret=0 ;;
    (*name-list)
      compset -P '*,'
      _appvars_offer_found ${kind%-list}s -S '' && ret=0
      ;;
    (*) _appvars_offer_found $kind && ret=0 ;;
    esac
  done
  return ret
}

_appvars() {
  local word flag key=appvars
  local -i i position=1 only_arguments=0
  local -a given subcommands flags kinds choices
  given=("${(@Q)words[2,CURRENT-1]}")
  for (( i = 2; i < CURRENT; i++ )); do
    word=${(Q)words[i]}
    if [[ -n $flag ]]; then
      flag=
    elif (( ! only_arguments )) && [[ $word == -- ]]; then
      only_arguments=1
    elif (( ! only_arguments )) && [[ $word == -?* ]]; then
      [[ $word != *=* ]] && _appvars_look "$key $word" && flag=$word
    else
      _appvars_look $key
      if (( $#subcommands )); then
        _appvars_look "$key $word" || return 1
        key+=" $word"
      else
        _appvars_look "$key $position" || _appvars_look "$key ..."
        if [[ $kinds[1] == program ]]; then
          # The rest are the arguments of another program.
          words=("${(@)words[i,-1]}")
          (( CURRENT -= i - 1 ))
          _normal
          return
        fi
        (( position++ ))
      fi
    fi
  done
  if [[ -n $flag ]]; then
    _appvars_look "$key $flag" && _appvars_offer_values
  elif (( ! only_arguments )) && [[ $PREFIX == --*=* ]]; then
    _appvars_look "$key ${PREFIX%%=*}" && compset -P 1 '*=' && _appvars_offer_values
  elif (( ! only_arguments )) && [[ $PREFIX == -* ]]; then
    _appvars_look $key && _describe -o -t options option flags
  else
    _appvars_look $key
    if (( $#subcommands )); then
      _describe -t commands command subcommands
    elif _appvars_look "$key $position" || _appvars_look "$key ..."; then
      _appvars_offer_values
    else
      return 1
    fi
  fi
}

# In $fpath, this file is itself the function on the first call. When it is sourced, the function must be registered.
if [[ $funcstack[1] == _appvars ]]; then
  _appvars "$@"
else
  compdef _appvars appvars
fi
