import type { CloudEvent, InfrastructureEventMatch } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, desc, eq, gte, isNull, lte, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { deployments } from '../deployments/store/tables.ts'
import { type Relevance, relevanceOf } from './relevance.ts'
import type { InfrastructureEventRow } from './tables.ts'

/** Maximum delay of events after the end of a deployment, in milliseconds. */
export const maxEventDelayMs = 60_000
const maxReturned = 20

/**
 * Returns the deployments that an event concerned, according to the current records. The event itself stores only its
 * receipt.
 */
export async function matchOf(db: Db, event: InfrastructureEventRow): Promise<InfrastructureEventMatch> {
  const relevance = relevanceOf(event.event as CloudEvent)
  if (!relevance) {
    const explanation = `Deployments learn nothing from “${event.detailType}” of ${event.source} as this one is. It was kept, and nothing else.`
    return { outcome: 'UNSUPPORTED_TYPE', explanation, deploymentIds: [] }
  }
  const subject =
    'resourceArn' in relevance ? { resourceArn: relevance.resourceArn } : { resourceName: relevance.groupName }
  const target = subject.resourceArn ?? subject.resourceName ?? ''
  const releases = releasesTo(event, relevance)
  const running = await db
    .select({ id: deployments.id, moduleInstanceId: deployments.moduleInstanceId })
    .from(deployments)
    .where(and(releases, ranAt(event.occurredAt)))
    .orderBy(desc(deployments.id))
    .limit(maxReturned)
  const deploymentIds = running.map(({ id }) => id)
  if (running[0]) {
    const explanation = `It concerned ${deploymentIds.join(', ')}, which read ${target} again.`
    const { moduleInstanceId } = running[0]
    return { outcome: 'MATCHED', explanation, ...subject, moduleInstanceId, deploymentIds }
  }
  const [former] = await db
    .select({ moduleInstanceId: deployments.moduleInstanceId })
    .from(deployments)
    .where(releases)
    .orderBy(desc(deployments.id))
    .limit(1)
  if (former) {
    const { moduleInstanceId } = former
    const explanation = `${moduleInstanceId} releases to ${target}, but no deployment of it ran at ${event.occurredAt.toISOString()}.`
    return { outcome: 'NO_ACTIVE_DEPLOYMENT', explanation, ...subject, moduleInstanceId, deploymentIds }
  }
  const instance = await findReleasing(db, event.organizationId, subject.resourceArn)
  if (instance) {
    const explanation = `${instance} is to release to ${target}, and was never deployed.`
    return { outcome: 'NEVER_RELEASED', explanation, ...subject, moduleInstanceId: instance, deploymentIds }
  }
  const explanation = `No module instance that you see releases to ${target}: import it, or look whether its inputs name it.`
  return { outcome: 'UNKNOWN_RESOURCE', explanation, ...subject, deploymentIds }
}

/**
 * Returns the condition for deployments to the target of an event. A group is identified by its name, account and
 * region.
 */
function releasesTo({ organizationId, cloudAccountId }: InfrastructureEventRow, relevance: Relevance): SQL | undefined {
  const isOwn = eq(deployments.organizationId, organizationId)
  if ('resourceArn' in relevance) return and(isOwn, eq(deployments.resourceArn, relevance.resourceArn))
  return and(
    isOwn,
    eq(deployments.deploymentType, 'cloud:ec2'),
    eq(deployments.resourceName, relevance.groupName),
    eq(sql`${deployments.release} ->> 'region'`, relevance.region),
    eq(sql`${deployments.release} ->> 'cloudAccountId'`, cloudAccountId),
  )
}

const ranAt = (moment: Date): SQL | undefined =>
  and(
    lte(deployments.startedAt, new Date(moment.getTime() + maxEventDelayMs)),
    or(isNull(deployments.completedAt), gte(deployments.completedAt, new Date(moment.getTime() - maxEventDelayMs))),
  )

async function findReleasing(db: Db, organizationId: string, resourceArn?: string): Promise<string | undefined> {
  if (resourceArn === undefined) return undefined
  const [row] = await db
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.resourceArn, resourceArn)))
    .orderBy(desc(moduleInstances.id))
    .limit(1)
  return row?.id
}
