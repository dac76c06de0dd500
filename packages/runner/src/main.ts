import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { run } from './run.ts'
import { createLog } from './runner-log.ts'
import { readSettings } from './settings.ts'

/**
 * The runner as a program, configured by its environment. As the child of a server (`--child`) it is given its token on
 * its input, where no other process reads it, and ends with that input: however the server ends, it does too.
 */
const isChild = process.argv.includes('--child')
const log = createLog((line) => process.stdout.write(line))
process.stdout.on('error', () => {}) // whoever read it has gone: then its input ends too
const input = isChild ? createInterface(process.stdin) : undefined
input?.once('close', () => process.exit(0)) // before it has begun there is nothing to let go of
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
  // The child of a server ends with it, and the next start takes up what it leaves.
  const asChild = { SLUICE_RUNNER_DRAIN_SECONDS: '0', ...(token && { SLUICE_RUNNER_TOKEN: token }) }
  const settings = readSettings({ ...process.env, ...(isChild && asChild) })
  const runner = await Promise.race([run(settings, log), stop.promise])
  if (!runner) process.exit(0) // it was told to end before the API was there
  input?.removeAllListeners('close').once('close', () => stop.resolve())
  await Promise.race([stop.promise, runner.over])
  await runner.stop()
  process.exit(0)
} catch (error) {
  log.error({ err: error }, 'the runner could not start')
  process.exit(1)
}
