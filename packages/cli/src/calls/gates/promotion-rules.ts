import { findEnvironment } from '@sluice/calls/find'
import type { PromotionRule } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Prints the newest 100 promotion rules. */
export async function listPromotionRules(wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listPromotionRules({ query: { limit: 100 } })
  const columns = ['id', 'from', 'to', 'minutes', 'start', 'mode', 'by']
  printList(answer.data, wishes, { whole: answer, columns, none: 'There are no promotion rules.', toRow })
}

const toRow = ({ fromEnvironmentId, environmentId, soakMinutes, updatedBy, ...rest }: PromotionRule) => ({
  ...rest,
  from: fromEnvironmentId,
  to: environmentId,
  minutes: soakMinutes,
  by: updatedBy,
})

type New = { soak: number; automatic?: true; warn?: true; reason?: string }

export async function addPromotionRule(
  from: string,
  to: string,
  wishes: UrlOption & OutputOption & New,
): Promise<void> {
  const { soak, automatic, warn, reason } = wishes
  const client = connect(wishes)
  const data = {
    fromEnvironmentId: (await findEnvironment(client, from)).id,
    environmentId: (await findEnvironment(client, to)).id,
    soakMinutes: soak,
    ...(automatic && { start: 'AUTOMATIC' as const }),
    ...(warn && { mode: 'WARN' as const }),
    ...(reason !== undefined && { reason }),
  }
  const { data: made } = await client.createPromotionRule({ body: { data } })
  const out = printer(wishes)
  const way = made.start === 'AUTOMATIC' ? 'by themselves' : 'by hand'
  out.say(`${made.id} lets releases go on from ${from} to ${to} ${way} after ${made.soakMinutes} minutes`)
  out.record(made)
}

export async function deletePromotionRule(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deletePromotionRule({ params: { id } })
  printer(wishes).say(`${id} is deleted`)
}
