import { findModuleInstance } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Hold } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Prints the newest 100 holds. */
export async function listHolds(wishes: UrlOption & OutputOption & { released?: true }): Promise<void> {
  const query = { includeLifted: wishes.released === true, limit: 100 }
  const answer = await connect(wishes).listHolds({ query })
  const columns = ['id', 'place', 'by', 'since', 'reason', ...(wishes.released ? ['released', 'liftedBy'] : [])]
  printList(answer.data, wishes, { whole: answer, columns, none: 'Nothing is held.', toRow })
}

const toRow = ({ moduleInstanceId, environmentId, heldBy, createdAt, liftedAt, ...rest }: Hold) => ({
  ...rest,
  place: moduleInstanceId ?? environmentId,
  by: heldBy,
  since: createdAt,
  released: liftedAt ?? '',
})

type New = { environment?: string; instance?: string; reason: string }

/** Holds a module instance or an environment. */
export async function addHold(wishes: UrlOption & OutputOption & New): Promise<void> {
  const { environment, instance, reason } = wishes
  if (environment === undefined && instance === undefined) throw new UsageError('Set --instance or --environment.')
  const client = connect(wishes)
  const data = {
    reason,
    ...(environment !== undefined && { environmentId: environment }),
    ...(instance !== undefined && { moduleInstanceId: (await findModuleInstance(client, instance)).id }),
  }
  const { data: made } = await client.createHold({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} holds ${instance ?? environment}: nothing newer is released there`)
  out.record(made)
}

export async function liftHold(
  id: string,
  { reason, ...wishes }: UrlOption & OutputOption & { reason: string },
): Promise<void> {
  const { data: released } = await connect(wishes).liftHold({ params: { id }, body: { data: { reason } } })
  const out = printer(wishes)
  out.say(`${id} is let go`)
  out.record(released)
}

const ruleOf = {
  hold: { afterRollback: true, mode: 'ENFORCE' },
  warn: { afterRollback: true, mode: 'WARN' },
  no: { afterRollback: false, mode: 'ENFORCE' },
} as const

type AfterRollback = keyof typeof ruleOf

/** Prints or changes when Sluice holds instances of an environment automatically. */
export async function holdRule(
  id: string,
  { afterRollback: wish, ...wishes }: UrlOption & OutputOption & { afterRollback?: AfterRollback },
): Promise<void> {
  const [client, params] = [connect(wishes), { id }]
  const answer = wish
    ? await client.updateHoldRule({ params, body: { data: ruleOf[wish] } })
    : await client.getHoldRule({ params })
  const { afterRollback, mode } = answer.data
  const held = mode === 'WARN' ? 'it is only noted that an instance would be held' : 'the instance is held'
  const out = printer(wishes)
  out.say(`After a rollback in ${id} ${afterRollback ? held : 'nothing is held'}`)
  out.record(answer.data)
}
