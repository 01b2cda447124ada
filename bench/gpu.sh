#!/usr/bin/env bash
# Everything that a machine with a GPU can show, in under eight minutes and without a network:
#
#   bench/gpu.sh FOLDER
#
# FOLDER gets a log of each step, the bench's report (JSON, Markdown, SVG) and summary.txt, with a line a
# step: how it ended, its seconds, its name, and of tests how many passed and were skipped. A step that
# fails or runs too long does not stop the others.
#
# From a bare checkout it needs what `node scripts/gpu-pieces.mjs .gpu/pieces.tar.xz` packed elsewhere
# (Node.js, packages, what was compiled), in that place. A CUDA compiler is used where there is one.
# Without a GPU all of it runs too, and says that there is no device.
#
# The exit code is that of the worst step: 0, or 1 where one failed.
# shellcheck disable=SC2317  # the functions below are steps: shells of their own call them
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

if [ $# -ne 1 ]; then
  echo "usage: bench/gpu.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
readonly out
readonly seconds_in_all=470
worst=0
: > "$out/summary.txt"

# step NAME SECONDS COMMAND...: runs it, with what it prints in NAME.log, for at most so long.
step() {
  local name=$1 most=$2 began=$SECONDS left code how tests
  shift 2
  left=$((seconds_in_all - SECONDS))
  if [ "$left" -lt "$most" ]; then most=$((left > 1 ? left : 1)); fi
  timeout --kill-after=5 "$most" "$@" > "$out/$name.log" 2>&1
  code=$?
  case $code in
    0) how=ok ;;
    124 | 137) how="too slow" ;;
    *) how="failed ($code)" ;;
  esac
  if [ "$code" -ne 0 ]; then worst=1; fi
  tests=$(sed -n 's/^# \(pass\|skipped\) \([0-9]*\)$/, \2 \1/p' "$out/$name.log" | tr -d '\n')
  printf '%-14s %4ss  %s\n' "$how" "$((SECONDS - began))" "$name$tests" | tee -a "$out/summary.txt"
}

# note TEXT: a line of the summary that is no step.
note() { printf '%-14s        %s\n' "-" "$1" | tee -a "$out/summary.txt"; }

unpack() {
  if [ ! -e node_modules ] && [ -f .gpu/pieces.tar.xz ]; then
    tar --extract --xz --file .gpu/pieces.tar.xz
  fi
  if [ ! -d node_modules ]; then
    echo "node_modules is missing, and so is .gpu/pieces.tar.xz"
    return 1
  fi
}

# Compiled code is newer than its sources only where it was built in place: what was packed is used as it is.
build() {
  if [ -e build/Release/dentate.node ] && [ -e build/js/bench/run.js ]; then
    echo "as packed, or built before:"
    find build/Release build-bench/bench/native -maxdepth 1 -type f -exec ls -l {} + 2> /dev/null
    return 0
  fi
  npm run --silent build && npx tsc -p test
}

facts() {
  uname -a
  grep -m 1 'model name' /proc/cpuinfo
  grep -c '^processor' /proc/cpuinfo
  grep MemTotal /proc/meminfo
  node --version
  if command -v nvcc > /dev/null; then nvcc --version | tail -n 2; else echo "no nvcc"; fi
  if command -v nvidia-smi > /dev/null; then
    nvidia-smi
    nvidia-smi -q -d CLOCK,POWER,MEMORY
  else
    echo "no nvidia-smi: no device"
  fi
  ldconfig -p | grep -E 'libcuda\.so|libcudart|libcudnn|libvulkan' || echo "no library of CUDA or Vulkan"
}

conformance() { # conformance FILE: the tests of one accelerator, those skipped with their reasons
  node --import ./build/js/bench/accelerator/navigator-gpu.js --test-reporter=tap \
    "build/js/test/accelerators/$1.test.js"
}

bench() {
  node --import ./build/js/bench/accelerator/navigator-gpu.js build/js/bench/run.js accelerator \
    --sizes "$1" --queries 1,64,256 --json "$out/accelerator.json" --markdown "$out/accelerator.md" \
    --svg "$out/accelerator.svg"
}

# Drivers that lie where a container's runtime mounts them, and the libraries that were packed.
for icd in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d; do
  if [ -z "${VK_DRIVER_FILES:-}" ] && [ -f "$icd/nvidia_icd.json" ]; then
    export VK_DRIVER_FILES="$icd/nvidia_icd.json"
  fi
done
if [ -z "${DENTATE_TFJS_FOLDER:-}" ] && [ -d .cache/tfjs-node-gpu ]; then
  DENTATE_TFJS_FOLDER="$PWD/.cache/tfjs-node-gpu"
  export DENTATE_TFJS_FOLDER
fi

export -f unpack build facts conformance bench
export out
step unpack 60 bash -c unpack
if [ -x .gpu/bin/node ]; then export PATH="$PWD/.gpu/bin:$PATH"; fi
if ! ldconfig -p | grep -q libvulkan; then
  export LD_LIBRARY_PATH="$PWD/.gpu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
if command -v nvidia-smi > /dev/null; then
  note "device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1)"
else
  note "device: none (no nvidia-smi)"
fi
step build 120 bash -c build
step facts 20 bash -c facts
step doctor 30 node build/js/src/cli/main.js doctor
for accelerator in cuda native tfjs-wasm tfjs-node-gpu gpujs; do
  if [ -f "build/js/test/accelerators/$accelerator.test.js" ]; then
    step "conformance-$accelerator" 100 bash -c "conformance $accelerator"
  else
    note "conformance-$accelerator: this build has none"
  fi
done
if [ -x build-bench/bench/native/cuda_bench ]; then
  step cuda-kernels 60 build-bench/bench/native/cuda_bench
fi
step tfjs-node-gpu 100 node build/js/bench/accelerator/tfjs-node-gpu.js
if command -v nvidia-smi > /dev/null; then sizes=1000,10000,100000,1000000,10000000; else sizes=1000,10000; fi
step bench 240 bash -c "bench $sizes"
note "$SECONDS seconds in all"
exit "$worst"
