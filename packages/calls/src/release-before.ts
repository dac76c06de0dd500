import type { Client } from '@sluice/client'
import type { Deployment, DeploymentSource } from '@sluice/contract'

/** Successes that are looked at: after the one in question there may be later ones. */
const mostSuccesses = 100

/** The deployment of the same instance that succeeded last before another, and what that was made of. */
export async function releaseBefore(
  client: Client,
  { id, moduleInstanceId, createdAt }: Pick<Deployment, 'id' | 'moduleInstanceId' | 'createdAt'>,
): Promise<{ deployment: Deployment; source: DeploymentSource | undefined } | undefined> {
  const query = { moduleInstanceId, status: ['SUCCESS' as const], limit: mostSuccesses, include: ['source' as const] }
  const { data, included } = await client.listDeployments({ query })
  const deployment = data.find((one) => one.id !== id && one.createdAt < createdAt)
  return deployment && { deployment, source: included?.source?.[deployment.id] }
}
