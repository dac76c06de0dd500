import { setTimeout as sleep } from 'node:timers/promises'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { findModuleInstance } from '@sluice/calls/find'
import { createFollowRetry } from '@sluice/calls/follow-retry'
import { type Client, retrying, rowsOf } from '@sluice/client'
import type { ModuleInstanceLogLine } from '@sluice/contract'
import { connect, noRetry, type UrlOption } from '../connect.ts'
import { printer } from '../print.ts'

type Wishes = UrlOption & { follow?: boolean; since: number; source?: string; filter?: string }
type Range = { startTime: string; sourceId?: string; filter?: string }

const pollIntervalMs = 2_000

/** Overlap between reads, in milliseconds, because the cloud may return lines some seconds late. */
const lateMs = 30_000

/** Prints a module instance's log, oldest first, and follows it. */
export async function logs(
  instance: string,
  { follow = false, since, source, filter, ...where }: Wishes,
): Promise<void> {
  const client = connect(where)
  const out = printer({})
  const { id } = await findModuleInstance(client, instance)
  const told = new Set<string>()
  for (let from = Date.now() - since * 1_000; ; from = Math.max(from, Date.now() - lateMs)) {
    const range = {
      startTime: new Date(from).toISOString(),
      ...(source && { sourceId: source }),
      ...(filter && { filter }),
    }
    for (const line of await retrying(() => linesOf(client, id, range), createFollowRetry(out.say))) {
      if (!told.has(line.id)) out.quote(`${line.timestamp} ${removeControlCharacters(line.message).trimEnd()}\n`)
      told.add(line.id)
    }
    if (!follow) return
    await sleep(pollIntervalMs)
  }
}

/** Returns all lines of the range, oldest first; pages come newest first. */
async function linesOf(client: Client, id: string, range: Range): Promise<ModuleInstanceLogLine[]> {
  const lines = await Array.fromAsync(
    rowsOf(client, 'getModuleInstanceLogs', { params: { id }, query: range }, noRetry),
  )
  return lines.reverse()
}
