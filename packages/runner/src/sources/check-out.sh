#!/bin/sh
# Checks out a commit of a repository into a folder. Prints the commit and its tree:
#   check-out.sh <repository> <folder> <max bytes> <max files> <commit>
#   check-out.sh <repository> <folder> <max bytes> <max files> <branch, tag or commit> \
#     <ref to store it as> <address> [<pin>]
# With an address, it first fetches from there. Exit code 3: the repository does not have the commit; 4: it is too
# large. Nothing in the repository is executed: hooks, submodules and filters are off. All configuration of git is here
# and in the environment. Redirects are off, because they would bypass the check of the address.
repository=$1 folder=$2 most_bytes=$3 most_files=$4 wanted=$5 kept=$6 address=$7 pin=$8
in_it() {
  git --git-dir="$repository" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c credential.helper= \
    -c submodule.recurse=false -c fetch.recurseSubmodules=false -c http.followRedirects=false \
    -c gc.auto=0 -c maintenance.auto=false -c fetch.unpackLimit=1 "$@"
}
ulimit -f $((most_bytes / 512)) # maximum size of a single file, packed or not, in blocks of 512 bytes
if [ -e "$repository/HEAD" ]; then
  # Removes files of killed fetches. Fetches run one at a time, and one that still runs after a restart is younger.
  find "$repository" \( -name '*.lock' -o -name 'tmp_*' \) -mmin +60 -exec rm -f {} +
else
  git init --bare --quiet "$repository" || exit 1
fi
if [ -z "$address" ]; then
  commit=$wanted
  in_it cat-file -e "$commit^{tree}" 2>/dev/null || exit 3
else
  in_it -c "http.curloptResolve=$pin" fetch --depth=1 --no-tags --force --quiet --no-write-fetch-head \
    -- "$address" "+$wanted:$kept" || {
    # git does not report that it reached the maximum file size.
    large=$(find "$repository" -name 'tmp_*' -size "+$((most_bytes / 512 - 9))")
    find "$repository" -name 'tmp_*' -exec rm -f {} +
    [ -z "$large" ] && exit 1
    exit 4
  }
  commit=$(in_it rev-parse "$kept^{commit}") || exit 1
fi
# Checks sizes before unpacking: ten gigabytes of zeros are packed to ten megabytes.
in_it ls-tree -r -l "$commit" |
  awk -v bytes="$most_bytes" -v files="$most_files" '{ b += $4; if (b > bytes || NR > files) { over = 1; exit } } END { exit over }' ||
  exit 4
export GIT_INDEX_FILE="$folder.index"
in_it read-tree "$commit" && in_it --work-tree="$folder" checkout-index --all --force --prefix="$folder/" || exit 1
rm -f "$GIT_INDEX_FILE"
echo "$commit $(in_it rev-parse "$commit^{tree}")"
