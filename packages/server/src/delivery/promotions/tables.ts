import type { PromotionBlocker, PromotionRule } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { environments, projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })

const environment = (name: string) =>
  text(name)
    .notNull()
    .references(() => environments.id, { onDelete: 'cascade' })

export const promotionRules = pgTable(
  'promotion_rules',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    fromEnvironmentId: environment('from_environment_id'),
    environmentId: environment('environment_id'),
    reason: text('reason'),
    soakMinutes: integer('soak_minutes').notNull(),
    start: text('start').$type<PromotionRule['start']>().notNull(),
    mode: text('mode').$type<PromotionRule['mode']>().notNull(),
    writtenBy: text('written_by').notNull(),

    // The API never returns the columns below.
    /** Id of the membership or service account that last saved the rule. Promotions use its permissions. */
    writtenById: text('written_by_id').notNull(),
    /** When the rule is evaluated next. */
    lookAt: timestampColumn('look_at').notNull(),
  },
  (table) => [
    uniqueIndex('promotion_rules_step').on(table.fromEnvironmentId, table.environmentId),
    index('promotion_rules_organization').on(table.organizationId, table.id),
    index('promotion_rules_environment').on(table.environmentId),
    index('promotion_rules_look').on(table.lookAt),
  ],
)

/** Names of the blockers before version 0.3. */
const formerBlockers: Partial<Record<PromotionBlocker, string>> = {
  EXTERNAL_DEPLOYMENT: 'OUTSIDE',
  ALREADY_RELEASED: 'WAS_THERE',
  ROLLED_BACK_IN_TARGET: 'TURNED_BACK_THERE',
  NEWER_IN_TARGET: 'NEWER_THERE',
  ROLLING_BACK: 'TURNING_BACK',
  WARNING: 'WARNS',
  IN_PROGRESS: 'UNDER_WAY',
  PERMISSION_DENIED: 'NO_RIGHT',
  DENIED: 'REFUSED',
}

/** Promotion of a release by a rule to one target instance. */
export const promotions = pgTable(
  'promotions',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    fromEnvironmentId: environment('from_environment_id'),
    environmentId: environment('environment_id'),
    promotionRuleId: text('promotion_rule_id')
      .notNull()
      .references(() => promotionRules.id, { onDelete: 'cascade' }),
    /** Deployment whose release is promoted. It may be deleted earlier than this row. */
    sourceDeploymentId: text('source_deployment_id').notNull(),
    moduleInstanceId: text('module_instance_id')
      .notNull()
      .references(() => moduleInstances.id, { onDelete: 'cascade' }),
    status: text('status').$type<'WAITING' | 'RELEASED' | 'PASSED_OVER'>().notNull(),
    /** Time since when every observation of the release was healthy; null if the last one was not. */
    healthySince: timestampColumn('healthy_since'),
    /** Blocker of a waiting or skipped promotion; null after the release. */
    blocker: renamedText('obstacle', formerBlockers),
    /** Message about the blocker. */
    message: text('message'),
    /** Deployment that the promotion created. */
    deploymentId: text('deployment_id'),
  },
  (table) => [
    // A rule promotes a release to an instance only once, guaranteed by the database.
    uniqueIndex('promotions_once').on(table.promotionRuleId, table.sourceDeploymentId, table.moduleInstanceId),
    index('promotions_organization').on(table.organizationId, table.id),
    index('promotions_instance').on(table.moduleInstanceId),
    index('promotions_source').on(table.sourceDeploymentId),
  ],
)

export type PromotionRuleRow = typeof promotionRules.$inferSelect
export type PromotionRow = typeof promotions.$inferSelect
