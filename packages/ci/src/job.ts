import { removeControlCharacters } from '@sluice/calls/control-characters'
import { explain } from '@sluice/calls/explain'
import { ApiError } from '@sluice/client'
import { type Host, hostOf } from './hosts.ts'
import { type Inputs, inputsOf } from './inputs.ts'

/** Runs a job and prints its error. The exit code reports whether it succeeded. */
export async function runJob<Settings>(
  read: (input: Inputs) => Settings,
  work: (settings: Settings, host: Host, cancelled: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const { env } = process
  const input = inputsOf(env)
  const settings = (() => {
    try {
      return read(input)
    } catch (error) {
      process.stdout.write(`sluice: ${toMessage(error)}\n`)
      process.exit(2)
    }
  })()
  const host = hostOf(env, input('host_token') || env.SLUICE_HOST_TOKEN || '')
  const cancelled = new AbortController()
  // CI systems cancel a job with these signals and kill it some seconds later.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cancelled.abort())

  try {
    process.exitCode = (await work(settings, host, cancelled.signal)) ? 0 : 1
  } catch (error) {
    host.show(`sluice: ${toMessage(error)}`)
    process.exitCode = 1
  }
}

/** Returns the message of an error without control characters. */
export function toMessage(error: unknown): string {
  const message =
    error instanceof ApiError ? explain(error.error) : error instanceof Error ? error.message : String(error)
  return removeControlCharacters(message)
}
