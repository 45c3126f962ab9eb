# depth.sh FILE...: every command on every file, on a small stack; prints the exit codes.
ulimit -s 512
for file in "$@"; do
  for command in "opt --pipeline" eval explain compile run; do
    subfloor $command "$file" > /dev/null 2>&1
    echo "$(basename "$file") ${command%% *} $?"
  done
done
echo done
