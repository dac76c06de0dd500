import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

/** Creates a delegation of the caller's approvals. */
export async function addDelegation(
  delegateId: string,
  { until, from, reason, ...wishes }: UrlOption & OutputOption & { until: string; from?: string; reason?: string },
): Promise<void> {
  const data = { delegateId, until, ...(from !== undefined && { from }), ...(reason !== undefined && { reason }) }
  const { data: made } = await connect(wishes).createApprovalDelegation({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.delegateId} decides in your place until ${made.until}: ${made.id}`)
  out.record(made)
}

/** Prints the newest 100 approval delegations. */
export async function listDelegations(wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listApprovalDelegations({ query: { limit: 100 } })
  const columns = ['id', 'membershipId', 'delegateId', 'from', 'until', 'reason']
  const none = 'No approvals are delegated.'
  printList(answer.data, wishes, { whole: answer, columns, none, toRow: (one) => ({ ...one }) })
}

export async function deleteDelegation(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  await connect(wishes).deleteApprovalDelegation({ params: { id } })
  printer(wishes).say(`${id} is deleted`)
}
