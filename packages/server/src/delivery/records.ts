import { moduleInstances } from '../modules/module-instances/tables.ts'
import { and, eq, inArray, sql } from '../platform/db/drizzle.ts'
import { combinedScopes, type Declarations, scopesFromColumns, scopesOfReferences } from '../platform/records.ts'
import { unfinishedStatuses } from './deployments/execution/machine.ts'
import { deployments } from './deployments/store/tables.ts'
import { promotionRules } from './promotions/tables.ts'
import { rehearsals } from './rehearsals/tables.ts'

const isUnfinished = inArray(deployments.status, unfinishedStatuses)

export const deliveryRecords: Declarations = [
  {
    collection: 'deployments',
    prefix: 'dep',
    label: 'deployment',
    table: deployments,
    // Places of the original deployment and of the instance now, because repeating the release acts there.
    places: combinedScopes(
      scopesFromColumns(deployments),
      scopesOfReferences(deployments, deployments.moduleInstanceId, scopesFromColumns(moduleInstances)),
    ),
    dependsOn: {
      organizations: () => isUnfinished,
      projects: deployments.projectId,
      environments: (id) => and(eq(deployments.environmentId, id), isUnfinished),
      'module-instances': (id) => and(eq(deployments.moduleInstanceId, id), isUnfinished),
      'cloud-accounts': (id) => and(eq(sql`${deployments.release} ->> 'cloudAccountId'`, id), isUnfinished),
    },
  },
  {
    collection: 'rehearsals',
    prefix: 'reh',
    label: 'rehearsal',
    table: rehearsals,
    places: scopesFromColumns(rehearsals),
  },
  {
    collection: 'promotion-rules',
    prefix: 'pmr',
    label: 'promotion rule',
    table: promotionRules,
    // Acts on the source and on the target of a promotion.
    places: combinedScopes(
      scopesFromColumns(promotionRules, { environmentId: promotionRules.fromEnvironmentId }),
      scopesFromColumns(promotionRules),
    ),
  },
]
