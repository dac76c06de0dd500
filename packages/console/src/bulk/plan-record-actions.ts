import type { DeploymentRecordRow } from '@sluice/contract'
import { client } from '../api/client.ts'
import type { BulkEntry } from './bulk-entry.ts'

const nameOf = ({ moduleInstanceName, environmentName, version }: DeploymentRecordRow): string =>
  [moduleInstanceName, environmentName, version].filter(Boolean).join(' · ')

/** Returns what happens to each deployment if it is cancelled. */
export const planRecordCancellation = (rows: readonly DeploymentRecordRow[]): BulkEntry[] =>
  rows.map((row) => {
    const { deploymentId: id, status } = row
    const text = cancellationOf(status)
    const isPossible = status === 'PENDING' || status === 'IN_PROGRESS'
    const run = async () => {
      await client.cancelDeployment({ params: { id } })
      return { deploymentId: id }
    }
    return { id, name: nameOf(row), text, run: isPossible ? run : undefined }
  })

function cancellationOf(status: DeploymentRecordRow['status']): string {
  switch (status) {
    case 'PENDING':
      return 'It is queued, so nothing has changed yet.'
    case 'IN_PROGRESS':
      return 'The previous version takes over all traffic, and the new one is stopped.'
    case 'ROLLING_BACK':
      return 'It is already rolling back.'
    default:
      return 'It has ended.'
  }
}

/** Returns what happens to each service of the deployments if newer releases are blocked. A service is held once. */
export function planRecordHold(rows: readonly DeploymentRecordRow[], reason: string): BulkEntry[] {
  const services = new Map(rows.map((row) => [row.moduleInstanceId, row]))
  return [...services].map(([moduleInstanceId, { moduleInstanceName, environmentName }]) => ({
    id: moduleInstanceId,
    name: `${moduleInstanceName} · ${environmentName}`,
    text: 'Blocks newer releases until someone lifts the hold.',
    run: async () => {
      await client.createHold({ body: { data: { moduleInstanceId, reason } } })
      return {}
    },
  }))
}
