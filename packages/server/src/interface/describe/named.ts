import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { deploymentResources, namesOf } from '../../delivery/deployment-resources/tables.ts'
import { unfinishedStatuses } from '../../delivery/deployments/execution/machine.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, desc, eq, inArray, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { searchWords } from '../search/tables.ts'

/**
 * Returns the id of the record for an ARN: the instance that releases to it, otherwise a stack's resource, a cloud
 * account, or the deployment that changed it.
 */
export async function findNamed(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const names = namesIn(arn)
  return (
    (await instanceOf(db, organizationId, names)) ??
    (await releasedTo(db, organizationId, names)) ??
    (await siteIn(db, organizationId, arn)) ??
    (await resourceOf(db, organizationId, arn)) ??
    (await accountOf(db, organizationId, arn)) ??
    (await touchedBy(db, organizationId, arn)) ??
    (await balancedBy(db, organizationId, arn))
  )
}

/**
 * Returns the names under which an ARN may be stored: a function without its alias or version, a distribution by its
 * id.
 */
function namesIn(arn: string): string[] {
  const distribution = arn.match(/:distribution\/(\w+)$/)?.[1]
  const functionArn = arn.match(/^(arn:[^:]+:lambda:[^:]*:\d+:function:[^:]+)/)?.[1]
  return [...new Set([arn, distribution, functionArn].filter((one) => one !== undefined))]
}

async function instanceOf(db: Db, organizationId: string, names: string[]): Promise<string | undefined> {
  const { id, resourceArn, status } = moduleInstances
  const [found] = await db
    .select({ id })
    .from(moduleInstances)
    .where(
      and(eq(moduleInstances.organizationId, organizationId), inArray(resourceArn, names), ne(status, 'DESTROYED')),
    )
    .limit(1)
  return found?.id
}

async function releasedTo(db: Db, organizationId: string, names: string[]): Promise<string | undefined> {
  const [found] = await db
    .select({ id: deployments.moduleInstanceId })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.resourceArn, names)))
    .orderBy(desc(deployments.id))
    .limit(1)
  return found?.id
}

/** Returns the site whose releases are stored in a bucket. */
async function siteIn(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const bucket = arn.match(/^arn:[^:]+:s3:::([^/]+)/)?.[1]
  if (bucket === undefined) return undefined
  const [found] = await db
    .select({ id: deployments.moduleInstanceId })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.deploymentType, 'cloud:static'),
        eq(sql`${deployments.release} ->> 'bucket'`, bucket),
      ),
    )
    .orderBy(desc(deployments.id))
    .limit(1)
  return found?.id
}

/**
 * Maximum length of a stored search word in characters; words are in lower case and truncated (`words_of` in the
 * migrations).
 */
const longestWord = 200

/** Returns the current resource of a stack. */
async function resourceOf(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const word = arn.toLowerCase().slice(0, longestWord)
  const [found] = await db
    .select({ id: iacResources.id })
    .from(searchWords)
    .innerJoin(iacResources, eq(iacResources.id, searchWords.recordId))
    .where(
      and(
        eq(searchWords.organizationId, organizationId),
        eq(searchWords.resource, 'iac-resources'),
        eq(searchWords.word, word),
        eq(iacResources.isInCurrentState, true),
        eq(sql`${iacResources.vendorData} #>> '{after,arn}'`, arn),
      ),
    )
    .orderBy(desc(iacResources.id))
    .limit(1)
  return found?.id
}

/** Returns the account that is connected by a role. */
async function accountOf(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const [found] = await db
    .select({ id: cloudAccounts.id })
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.cloudArn, arn)))
  return found?.id
}

/** Returns the newest deployment that created or ran a task, task definition, target group, version or instance. */
async function touchedBy(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const [open] = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        inArray(deployments.status, [...unfinishedStatuses]),
        eq(sql`${deployments.data} #>> '{deployedTaskDefinition,arn}'`, arn),
      ),
    )
    .limit(1)
  if (open) return open.id
  const [ended] = await db
    .select({ id: deploymentResources.deploymentId })
    .from(deploymentResources)
    .where(
      and(
        eq(deploymentResources.organizationId, organizationId),
        sql`${namesOf(deploymentResources.resources)} @> ${JSON.stringify([arn])}::jsonb`,
      ),
    )
    .orderBy(desc(deploymentResources.deploymentId))
    .limit(1)
  return ended?.id
}

/** Maximum number of deployments whose releases are searched for a load balancer, newest first. */
const newestRead = 1_000

/** Returns the instance whose traffic is shifted by a load balancer, listener or rule. */
async function balancedBy(db: Db, organizationId: string, arn: string): Promise<string | undefined> {
  const [, before, name] =
    arn.match(/^(arn:[^:]+:elasticloadbalancing:[^:]*:\d*:)(?:loadbalancer|listener|listener-rule)\/(.+)$/) ?? []
  if (before === undefined || name === undefined) return undefined
  const newest = db
    .select({
      id: deployments.id,
      moduleInstanceId: deployments.moduleInstanceId,
      release: deployments.release,
      progress: deployments.progress,
    })
    .from(deployments)
    .where(eq(deployments.organizationId, organizationId))
    .orderBy(desc(deployments.id))
    .limit(newestRead)
    .as('newest')
  // The block names at most one load balancer; a started release knows all of its service.
  const pairs = sql`jsonb_build_array(${newest.release} -> 'trafficShift') || coalesce(${newest.progress} -> 'shiftedPairs', '[]')`
  const prefix = `${before}listener-rule/${name}/`
  const [found] = await db
    .select({ id: newest.moduleInstanceId })
    .from(newest)
    .where(
      sql`exists (select from jsonb_array_elements(${pairs}) as pair
        where starts_with(pair ->> 'productionListenerRuleArn' || '/', ${prefix}))`,
    )
    .orderBy(desc(newest.id))
    .limit(1)
  return found?.id
}
