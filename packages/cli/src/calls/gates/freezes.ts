import { findModuleInstance } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import { type FreezableOperation, type Freeze, freezableOperations } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Prints freezes that are active or will start within this number of hours. */
export async function listFreezes(wishes: UrlOption & OutputOption & { within: number }): Promise<void> {
  const { data } = await connect(wishes).listActiveFreezes({ query: { withinHours: wishes.within } })
  const columns = ['id', 'name', 'mode', 'stops', 'from', 'until', 'place', 'reason']
  printList(data, wishes, { whole: { data }, columns, none: 'Nothing is frozen.', toRow })
}

const toRow = ({ period, stops, projectId, environmentId, moduleInstanceId, ...rest }: Freeze) => ({
  ...rest,
  ...period,
  stops: stops.join(','),
  place: moduleInstanceId ?? environmentId ?? projectId ?? 'everything',
})

type New = {
  from?: string
  until?: string
  cron?: string
  timeZone?: string
  minutes?: number
  project?: string
  environment?: string
  instance?: string
  reason?: string
  stops: string[]
  reject?: true
  newest?: true
  warn?: true
}

export async function addFreeze(name: string, wishes: UrlOption & OutputOption & New): Promise<void> {
  const { project, environment, instance, reason } = wishes
  const window = windowOf(wishes)
  const stops = wishes.stops.map(actNamed)
  const client = connect(wishes)
  const data = {
    name,
    window,
    stops,
    ...(reason !== undefined && { reason }),
    ...(project !== undefined && { projectId: project }),
    ...(environment !== undefined && { environmentId: environment }),
    ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
    ...(wishes.reject && { onRelease: 'REJECT' as const }),
    ...(wishes.newest && { afterwards: 'NEWEST' as const }),
    ...(wishes.warn && { mode: 'WARN' as const }),
  }
  const { data: made } = await client.createFreeze({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} freezes from ${made.period?.from ?? 'never'} until ${made.period?.until ?? 'never'}`)
  out.record(made)
}

function windowOf({ from, until, cron, timeZone = 'UTC', minutes }: New) {
  if (cron !== undefined && minutes !== undefined) return { cron, timeZone, minutes }
  if (until !== undefined) return { from: from ?? new Date().toISOString(), until }
  throw new UsageError('Set a period: --until, and --from unless it starts now; or --cron and --minutes.')
}

function actNamed(word: string): FreezableOperation {
  const act = freezableOperations.find((one) => one === word.toUpperCase())
  if (act) return act
  throw new UsageError(`A freeze stops ${freezableOperations.join(', ').toLowerCase()}, not ${word}.`)
}

/** Deletes a freeze. */
export async function liftFreeze(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deleteFreeze({ params: { id } })
  printer(wishes).say(`${id} is lifted`)
}

type Exception = { reason: string; instance?: string; minutes?: number }

/** Overrides a freeze for some time. */
export async function overrideFreeze(id: string, wishes: UrlOption & OutputOption & Exception): Promise<void> {
  const { reason, instance, minutes } = wishes
  const client = connect(wishes)
  const data = {
    reason,
    ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
    ...(minutes !== undefined && { minutes }),
  }
  const { data: made } = await client.createFreezeOverride({ params: { id }, body: { data } })
  const out = printer(wishes)
  out.say(`${instance ?? 'Everything'} may pass ${id} until ${made.until}`)
  out.record(made)
}
