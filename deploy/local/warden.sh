#!/bin/sh
# Runs one command and makes sure that it does not outlive whoever started it:
#   sh warden.sh <command> [argument...]
# Standard input is a pipe that the parent holds open. When the parent is gone, killed with SIGKILL too, the pipe closes
# and the whole process group is killed. (The parent starts this script as the leader of a group of its own, so
# that a Ctrl-C in the terminal reaches the parent alone, which then stops its children in order.)
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( cat <&3 >/dev/null; kill -KILL 0 ) 2>/dev/null &
exec 3<&-
trap 'kill -TERM "$child" 2>/dev/null' TERM
trap 'kill -INT "$child" 2>/dev/null' INT

# A trapped signal ends `wait` early; the child is over once its process cannot be signalled any more.
while :; do
  wait "$child"
  status=$?
  kill -0 "$child" 2>/dev/null || exit "$status"
done
