import { unfinishedRunStatuses } from '@sluice/contract'
import { unfinishedStatuses } from '../../delivery/deployments/execution/machine.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleDefinitions } from '../../modules/module-definitions/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { and, eq, inArray, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { linesOf } from '../../platform/db/users.ts'

/**
 * What keeps an organization from being deleted: what runs, and that others placed what it publishes to everybody. The
 * latter shows only where every organization is seen.
 */
export async function usersOfOrganization(db: Db, organizationId: string): Promise<string[]> {
  const { status } = pipelineRuns
  const running = await linesOf(db, [
    {
      what: 'pipeline run',
      table: pipelineRuns,
      where: and(eq(pipelineRuns.organizationId, organizationId), inArray(status, unfinishedRunStatuses)),
    },
    {
      what: 'deployment',
      table: deployments,
      where: and(eq(deployments.organizationId, organizationId), inArray(deployments.status, unfinishedStatuses)),
    },
  ])
  return [...running, ...(await publishedAndUsed(db, organizationId))]
}

/** Others are not told by whom. */
async function publishedAndUsed(db: Db, organizationId: string): Promise<string[]> {
  const used = await db
    .selectDistinct({ id: moduleDefinitions.id, type: moduleDefinitions.type })
    .from(moduleDefinitions)
    .innerJoin(moduleInstances, eq(moduleInstances.moduleDefinitionId, moduleDefinitions.id))
    .where(
      and(eq(moduleDefinitions.organizationId, organizationId), ne(moduleInstances.organizationId, organizationId)),
    )
    .limit(20)
  return used.map(({ id, type }) => `module definition ${type} (${id}), which other organizations use`)
}
