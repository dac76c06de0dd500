import { run } from '@sluice/runner/run'
import { createLog } from '@sluice/runner/runner-log'
import { readSettings } from '@sluice/runner/settings'
import { runUntilStopped } from './run-until-stopped.ts'

/** Time in milliseconds for interrupted programs to end after the drain, and for their reports. */
const interruptedMs = 60_000

export type RunnerFlags = { url?: string; token?: string; directory?: string; capacity?: string; labels?: string }

/** Starts a runner for a remote API. Flags take precedence over the environment. */
export async function runRunner({ url, token, directory, capacity, labels }: RunnerFlags): Promise<void> {
  const settings = readSettings({
    ...process.env,
    ...(url !== undefined && { SLUICE_URL: url }),
    ...(token !== undefined && { SLUICE_RUNNER_TOKEN: token }),
    ...(directory !== undefined && { SLUICE_RUNNER_DIR: directory }),
    ...(capacity !== undefined && { SLUICE_RUNNER_CAPACITY: capacity }),
    ...(labels !== undefined && { SLUICE_RUNNER_LABELS: labels }),
  })
  const log = createLog((line) => process.stdout.write(line))
  await runUntilStopped(() => run(settings, log), { patienceMs: settings.drainMs + interruptedMs })
}
