# Prints the matches of Tab in an interactive zsh after each line of stdin: first `> LINE`, then one match a
# line, with a tab and its displayed text.
# Usage: zsh -f capture.zsh SCRIPT <LINES
zmodload zsh/zpty
export CAPTURED=$(mktemp) INNER=$(mktemp)
trap 'zpty -d inner; rm -f $CAPTURED $INNER' EXIT
cat >$INNER <<'END'
PROMPT=
unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -D
compadd() {
  # These only ask for something.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits shown
  local -i i=$@[(I)-d]
  (( i )) && shown=("${(@P)@[i+1]}")
  builtin compadd -A hits -D shown "$@"
  for (( i = 1; i <= $#hits; i++ )); do print -r -- "$hits[i]	$shown[i]" >>$CAPTURED; done
  builtin compadd "$@"
}
captured() {
  _main_complete
  compstate[insert]= compstate[list]=
  print -n "CAPT""URED"
}
zle -C captured complete-word captured
bindkey '^I' captured
bindkey '^U' kill-buffer
END
zpty inner zsh -f -i
zpty -w inner "source $INNER; source $1; print CAPT''URED"
zpty -r inner _ '*CAPTURED*'
while IFS= read -r line; do
  print -r -- "> $line"
  : >$CAPTURED
  zpty -w -n inner $'\C-u'"$line"$'\t'
  zpty -r inner _ '*CAPTURED*'
  cat $CAPTURED
done
