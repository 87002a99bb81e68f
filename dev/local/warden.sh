#!/bin/sh
# Runs one command and makes sure that it does not outlive whoever started it:
#   sh warden.sh <command> [argument...]
# Standard input is a pipe that the parent holds open. When the parent is gone, killed with SIGKILL too, the pipe closes
# and the whole process group is killed. (The parent starts this script as the leader of a group of its own, so
# that a Ctrl-C in the terminal reaches the parent alone, which then stops its children in order.)
exec 3<&0
# The shell's own remarks on how a child ended are nobody's log lines.
exec 4>&2 2>/dev/null
"$@" </dev/null 2>&4 3<&- 4>&- &
child=$!
( exec 1>/dev/null 4>&-; cat <&3; kill -KILL 0 ) &
exec 1>/dev/null 3<&- 4>&-
trap 'kill -TERM "$child"' TERM
trap 'kill -INT "$child"' INT
# Freezing the command alone leaves the guard above awake.
trap 'kill -STOP "$child"' USR1
trap 'kill -CONT "$child"' USR2

# A trapped signal ends `wait` early; the child is over once its process cannot be signalled any more.
while :; do
  wait "$child"
  status=$?
  kill -0 "$child" || exit "$status"
done
