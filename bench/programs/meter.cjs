/** Loaded before a measured program: tells on file descriptor 3 what the process has used when it ends. */
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(
    3,
    JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: peakKb(maxRSS) / 1024 }),
  );
});

/** On Linux, `maxRSS` begins with what the starting process had; the peak of this one alone is told elsewhere. */
function peakKb(maxRSS) {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
  } catch {
    return maxRSS;
  }
}
