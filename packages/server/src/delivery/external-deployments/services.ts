import { readExternalDeployments, readLatestReleases } from '../../cloud/adapter/ecs/external.ts'
import type { ExternalDeployment } from '../../cloud/facts/ecs.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { toDeployment } from '../deployments/execution/wake.ts'
import { adoptRelease, findOwner, isKnownRelease } from '../deployments/external/adopt.ts'
import { activeDeploymentsTo } from '../deployments/store/store.ts'
import type { EcsState } from '../deployments/types/ecs/state.ts'
import type { RegionToWatch } from './detect.ts'

/** Container service, with what is known of its last deployment if there is one. */
export type WatchedService = {
  serviceArn: string
  clusterArn: string
  last?: { status: string; data: EcsState['data']; taskDefinitionArn: string | undefined }
}

/** Detects external deployments to a cluster's services, and creates deployments that follow them. */
export async function detectOnServices(place: RegionToWatch, inCluster: readonly WatchedService[]): Promise<void> {
  const { ecs } = place.clients
  const arns = inCluster.map(({ serviceArn }) => serviceArn)
  const latest = await readLatestReleases(ecs, inCluster[0]?.clusterArn ?? '', arns)
  const serviceOf = new Map(latest.map((one) => [one.serviceDeploymentArn, one.serviceArn]))
  const known = new Set(inCluster.flatMap(namesOf))
  const unknown = [...serviceOf.keys()].filter((arn) => !known.has(arn))
  for (const release of await readExternalDeployments(ecs, unknown)) {
    const serviceArn = serviceOf.get(release.serviceDeploymentArn)
    const service = inCluster.find((one) => one.serviceArn === serviceArn)
    if (service) await adoptFrom(place, service, release)
  }
}

const namesOf = ({ last }: WatchedService): string[] =>
  [last?.data.serviceDeploymentArn, last?.data.revertServiceDeploymentArn].filter((arn) => arn !== undefined)

async function adoptFrom(
  place: RegionToWatch,
  { serviceArn, last }: WatchedService,
  release: ExternalDeployment,
): Promise<void> {
  const { db, clock, engine, log, organizationId, cloudAccountId } = place
  if (await isKnownRelease(db, organizationId, serviceArn, release.externalDeploymentId)) return
  // Our own release with a lost response: only its deployment can release the revision that it registered before it
  // succeeded.
  if (last && last.status !== 'SUCCESS' && last.taskDefinitionArn === release.taskDefinition.arn) return
  if ((await activeDeploymentsTo(db, organizationId, serviceArn)).length > 0) return
  const owner = await findOwner(db, organizationId, serviceArn)
  // A newer release by Sluice has replaced it. Or, without a previous release, it created the service.
  if (!owner || (owner.releasedAt ? release.createdAt < owner.releasedAt : !release.previous)) return
  const adoption = await adoptRelease(db, owner, release, { cloudAccountId, detectedVia: 'POLL' }, clock)
  if (typeof adoption === 'object') await notifyEngine({ engine, log }, [toDeployment(adoption.deploymentId)])
}
