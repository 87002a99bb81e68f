// For `node --import`: says in the service's log how long a turn of its event loop was, in CPU time of its thread, where it was long. What
// other processes of the machine take does not count.
const SAID_FROM_MS = 20;
const LOOK_EVERY_MS = 1;

function threadCpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

let beforeMs = threadCpuMs();
const timer = setInterval(() => {
  const nowMs = threadCpuMs();
  const tookMs = nowMs - beforeMs;
  beforeMs = nowMs;
  if (tookMs >= SAID_FROM_MS)
    process.stdout.write(`${JSON.stringify({ level: "info", msg: "a long turn", tookMs })}\n`);
}, LOOK_EVERY_MS);
timer.unref();
