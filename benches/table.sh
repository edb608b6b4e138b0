#!/bin/sh
# Measures everything and prints the tables of docs/performance.md.
#   --write   puts them there, between their marks
#   --quick   fewer rounds and smaller files: good for trying, not for telling
set -eu
cd "$(dirname "$0")/.."
write=no quick=
for argument in "$@"; do
    case $argument in
    --write) write=yes ;;
    --quick) quick=--quick ;;
    *) echo "usage: benches/table.sh [--write] [--quick]" >&2; exit 64 ;;
    esac
done
measured=$(mktemp)
table=$(mktemp)
trap 'rm -f "$measured" "$table"' EXIT

load() { cut -d ' ' -f 1-3 /proc/loadavg; }
cargo bench --bench floor --bench figures --no-run
cargo bench --profile lab --features lab --bench frames --no-run
before=$(load)
# Not through a pipe, which would hide that one of them failed.
cargo bench --bench floor --bench figures -- $quick >"$measured"
cargo bench --profile lab --features lab --bench frames -- $quick >>"$measured"
cat "$measured" >&2

{
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo
    echo "Measured ${quick:+quickly, with few rounds, }on $(nproc) cores ($processor), Linux $(uname -r)," \
        "$(stat -f -c %T target) as file system, $(rustc --version | cut -d ' ' -f 1-2), at commit" \
        "$(git rev-parse --short HEAD). Load before it began: $before; after it ended: $(load)."
    echo
    echo '| figure | Candor | floor | ratio | target | met |'
    echo '|---|---|---|---|---|---|'
    sed -n 's/^figure|/|/p' "$measured"
    echo
    echo '| cost, in ms | ×1 | ×1 | ×10 | ×100 | exponent |'
    echo '|---|---|---|---|---|---|'
    sed -n 's/^growth|/|/p' "$measured"
    echo
} >"$table"

if [ $write = yes ]; then
    page=docs/performance.md
    {
        sed '/<!-- measured -->/q' $page
        cat "$table"
        sed -n '/<!-- end of what was measured -->/,$p' $page
    } >"$measured"
    cat "$measured" >$page
else
    cat "$table"
fi
