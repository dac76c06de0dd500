import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { run } from './run.ts'
import { createLog } from './runner-log.ts'
import { readSettings } from './settings.ts'

/**
 * Entry point of the runner. As the child of a server (`--child`), reads its token from standard input, where no other
 * process can read it, and exits when standard input closes. So it never outlives the server.
 */
const isChild = process.argv.includes('--child')
const log = createLog((line) => process.stdout.write(line))
process.stdout.on('error', () => {}) // the reader has exited; standard input closes as well
const input = isChild ? createInterface(process.stdin) : undefined
input?.once('close', () => process.exit(0)) // nothing has started yet
const [token] = input ? await once(input, 'line') : []
const stop = Promise.withResolvers<void>()
let isStopping = false
function onSignal(): void {
  if (isChild) return
  if (isStopping) process.exit(1) // a second signal does not wait for steps
  isStopping = true
  stop.resolve()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
try {
  // A child exits with its server. The next start resumes its steps, so it does not drain.
  const asChild = { SLUICE_RUNNER_DRAIN_SECONDS: '0', ...(token && { SLUICE_RUNNER_TOKEN: token }) }
  const settings = readSettings({ ...process.env, ...(isChild && asChild) })
  const runner = await Promise.race([run(settings, log), stop.promise])
  if (!runner) process.exit(0) // stopped before the API became available
  input?.removeAllListeners('close').once('close', () => stop.resolve())
  await Promise.race([stop.promise, runner.finished])
  await runner.stop()
  process.exit(0)
} catch (error) {
  log.error({ err: error }, 'could not start the runner')
  process.exit(1)
}
