import { explain } from '@sluice/calls/explain'
import { connect, type UrlOption } from '../connect.ts'
import { isComplete, type OutputOption } from '../output.ts'
import { printList } from '../print.ts'

const columns = [
  'kind',
  'name',
  'release',
  'status',
  'health',
  'version',
  'zone',
  'address',
  'since',
  'until',
  'reason',
]

/** Prints the cloud resources of a deployment, current or as they were at its end. */
export async function resources(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listDeploymentResources({ params: { id } })
  const { data, meta } = answer
  printList(data, wishes, { whole: answer, columns, none: 'It has touched nothing.' })
  if (isComplete(wishes)) return
  if (meta.error) process.stderr.write(`${explain(meta.error)}\n`)
  const { isLive, observedAt } = meta
  if (observedAt !== undefined) process.stderr.write(`${isLive ? 'As of' : 'At its end,'} ${observedAt}.\n`)
}
