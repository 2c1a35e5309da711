#!/usr/bin/env bash
# Packs the package, installs it in an empty folder with an empty home, as somebody new to it would, and uses
# it there: the command line, the server, and a typed program of one's own. Needs the devDependencies (tsc).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD

# The caller's environment may neither help nor disturb.
for name in $(compgen -e APPVARS_ || true); do unset "$name"; done
unset XDG_CONFIG_HOME

work=$(mktemp -d)
server=
cleanup() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

fail() {
  echo "smoke test: $*" >&2
  exit 1
}

expect() { # WHAT EXPECTED ACTUAL
  [[ $3 == "$2" ]] || fail "$1: expected '$2', got '$3'"
  echo "ok: $1"
}

# Only these files.
check_contents() { # TARBALL
  local file
  tar -tzf "$1" | sed 's|^package/||' >"$work/contents"
  while IFS= read -r file; do
    case $file in
      dist/index.js | dist/*.d.ts | dist/openapi.json | dist/cli/*.cjs | dist/tui/draw.js | dist/cli/LICENSES.md | dist/tui/LICENSES.md) ;;
      docs/*.md | docs/tui*.svg | docs/performance-*.svg | docs/alerts.yml | docs/grafana-dashboard.json | docs/systemd/appvars.* | docs/deploy/*.yaml) ;;
      bin/appvars.cjs | data/example.json | data/openapi.yaml | data/reserved-names.json | data/*.schema.json | data/completion/*) ;;
      package.json | README.md | LICENSE | CHANGELOG.md | CONTRIBUTING.md | SECURITY.md) ;;
      *) fail "$file is not needed in the tarball" ;;
    esac
  done <"$work/contents"
  for file in bin/appvars.cjs dist/index.js dist/index.d.ts data/example.json data/appvars{,.settings}.schema.json \
    data/completion/appvars.{bash,zsh,fish} docs/commands.md docs/tui.svg README.md LICENSE CHANGELOG.md \
    CONTRIBUTING.md SECURITY.md; do
    grep -qxF "$file" "$work/contents" || fail "$file is missing from the tarball"
  done
  echo "ok: the tarball holds the expected files and nothing else"
}

npm pack --silent --pack-destination "$work" >/dev/null
tarball=("$work"/*.tgz)
check_contents "${tarball[0]}"

mkdir "$work/home" "$work/project"
export HOME=$work/home
cd "$work/project"
npm init -y >/dev/null
npm install --no-audit --no-fund "${tarball[0]}" 2>&1 | tee "$work/installed"
! grep -q "install scripts" "$work/installed" || fail "npm warns about install scripts"

size=$(du -sk node_modules | cut -f 1)
expect "packages installed" 1 "$(npm ls --all --parseable | tail -n +2 | wc -l)"
((size <= 5000)) || fail "the installation takes $size KB, which is more than 5 MB"
echo "ok: the installation takes $size KB"

version=$(node -p 'require(process.argv[1]).version' "$repository/package.json")
expect "appvars --version" "$version" "$(npx appvars --version)"

# Started without npx, so that the signal below reaches the server itself.
mkfifo "$work/lines"
node_modules/.bin/appvars serve --port 0 >"$work/lines" &
server=$!
exec 3<"$work/lines"
IFS= read -r -t 60 line <&3 || fail "serve printed no line to paste"
eval "$line"
eval "$(npx appvars env credentials development)"

expect "get of a text" "postgres://localhost/dev" "$(npx appvars get DATABASE_URL)"
expect "get of two values" $'3000\n{"beta":true}' "$(npx appvars get PORT FLAGS)"
status=0
output=$(npx appvars get NO_SUCH_NAME) || status=$?
expect "exit code of a missing name" 3 "$status"
expect "stdout for a missing name" "" "$output"

kill -TERM "$server"
status=0
wait "$server" || status=$?
server=
expect "exit code of serve after SIGTERM" 0 "$status"

if command -v script >/dev/null; then
  status=0
  output=$(printf q | script -qec "stty rows 30 cols 100; npx appvars tui --data appvars.data.json" /dev/null) || status=$?
  expect "exit code of tui after q" 0 "$status"
  [[ $output == *Environments*development* ]] || fail "tui showed no environments"
  echo "ok: tui shows the environments"
fi

cp "$repository/scripts/smoke-consumer.mts" consumer.mts
tsc=(
  "$repository/node_modules/.bin/tsc" --strict --exactOptionalPropertyTypes --target es2023 --lib es2023
  --typeRoots "$repository/node_modules/@types" --types node
)
"${tsc[@]}" --noEmit --module esnext --moduleResolution bundler consumer.mts
echo "ok: a typed program is checked with moduleResolution bundler"
"${tsc[@]}" --module nodenext consumer.mts
echo "ok: a typed program is checked with moduleResolution nodenext"
node consumer.mjs
echo "ok: a typed program runs"
