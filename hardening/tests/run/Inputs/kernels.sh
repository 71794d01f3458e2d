# Usage: kernels.sh COMPILER KERNELS SCRATCH
set -eu
compiler=$1 kernels=$2 scratch=$3
all=(-O0 -O1 -O2 "-O3 -march=haswell" "-O2 -flto" "-O2 -flto=thin")
rm -rf "$scratch" && mkdir -p "$scratch"
for source in "$kernels"/*.c; do
    name=$(basename "$source" .c)
    "$compiler" --mode off -O2 "$source" -o "$scratch/native"
    expected=$("$scratch/native") other=$("$scratch/native" 300 9)
    for variant in ilr:cmp tmr:cmp ilr:dup ilr:move; do
        for flags in "${all[@]}"; do
            case $variant:$flags in ilr:dup:-O2 | ilr:move:-O2 | *:cmp:*) ;; *) continue ;; esac
            # shellcheck disable=SC2086
            "$compiler" --mode "${variant%:*}" --loads "${variant#*:}" $flags "$source" -o "$scratch/hardened" 2>"$scratch/said" ||
                { cat "$scratch/said" && exit 1; }
            grep -qa __loadstone_detected "$scratch/hardened" || { echo "$name $variant $flags is not hardened" && exit 1; }
            grep -q haswell <<<"$flags" && ! grep -qw avx2 /proc/cpuinfo && continue
            [ "$("$scratch/hardened")" = "$expected" ] && [ "$("$scratch/hardened" 300 9)" = "$other" ] ||
                { echo "$name $variant $flags: another answer than the native one" && exit 1; }
        done
    done
done
