import { stripVTControlCharacters } from 'node:util'
import { explain } from '@sluice/calls/explain'
import { ApiError } from '@sluice/client'
import { hostOf } from './hosts.ts'
import { release } from './release.ts'
import { readSettings } from './settings.ts'

const settings = (() => {
  try {
    return readSettings(process.env)
  } catch (error) {
    process.stdout.write(`sluice: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
})()
const host = hostOf(process.env, settings.hostToken)
const cancelled = new AbortController()
// The hosts ask a job so to end, and kill it some seconds later.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cancelled.abort())

try {
  process.exitCode = (await release(settings, host, cancelled.signal)) ? 0 : 1
} catch (error) {
  const told = error instanceof ApiError ? explain(error.error) : error instanceof Error ? error.message : String(error)
  host.show(`sluice: ${stripVTControlCharacters(told)}`)
  process.exitCode = 1
}
