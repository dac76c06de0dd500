import { hasTemplate } from '@sluice/expressions'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { type AnyPgColumn, and, eq, inArray, type PgTable } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { pipelines } from '../pipelines/tables.ts'
import { type Draft, draftOf } from './config/draft.ts'
import { configPlace } from './config/faults.ts'

type Json = Record<string, unknown>

/** Records that a config can refer to by id. */
const resources = {
  code_source_id: { what: 'code source', table: codeSources },
  pipeline_id: { what: 'pipeline', table: pipelines },
  stack_id: { what: 'stack', table: stacks },
  module_instance_id: { what: 'module instance', table: moduleInstances },
  execution_environment_id: { what: 'execution environment', table: executionEnvironments },
  cloud_account_id: { what: 'cloud account', table: cloudAccounts },
} as const satisfies Record<string, { what: string; table: PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn } }>

type Field = keyof typeof resources
type Reference = { path: string; field: Field; id: string }

/**
 * Returns one error for each id in a config that the organization does not have. Ids from templates are not known yet.
 */
export async function missingReferences(
  db: Db,
  organizationId: string,
  pipelineId: string,
  config: Json,
): Promise<string[]> {
  const draft = draftOf(config, configPlace)
  const byField = Map.groupBy(referencesIn(draft), ({ field }) => field)
  const known = new Map<Field, Set<string>>()
  for (const [field, references] of byField) {
    const ids = references.map(({ id }) => id)
    known.set(field, await knownIds(db, organizationId, field, ids))
  }
  const missing = [...byField.values()].flat().filter(({ field, id }) => !known.get(field)?.has(id))
  return [
    ...missing.map(
      ({ path, field, id }) => `${path}: expected a ${resources[field].what} of this organization, there is no ${id}`,
    ),
    ...selfTriggers(draft, pipelineId),
  ]
}

function referencesIn({ triggers, steps }: Draft): Reference[] {
  return [
    ...triggers.flatMap(({ place, written }) => referencesOf(written, place)),
    ...steps.flatMap(({ place, written, with: given }) => [
      ...referencesOf({ execution_environment_id: written.execution_environment_id }, place),
      ...referencesOf(given, `${place}.with`),
      ...referencesOf((given.source ?? {}) as Json, `${place}.with.source`),
    ]),
  ]
}

const referencesOf = (holder: Json, place: string): Reference[] =>
  (Object.keys(resources) as Field[]).flatMap((field) => {
    const id = holder[field]
    return typeof id === 'string' && id !== '' && !hasTemplate(id) ? [{ path: `${place}.${field}`, field, id }] : []
  })

async function knownIds(db: Db, organizationId: string, field: Field, ids: string[]): Promise<Set<string>> {
  const { table } = resources[field]
  const rows = await db
    .select({ id: table.id })
    .from(table as PgTable)
    .where(and(eq(table.organizationId, organizationId), inArray(table.id, ids)))
  return new Set(rows.map(({ id }) => id))
}

/** Returns errors for triggers that wait for their own pipeline, which would run forever. */
const selfTriggers = ({ triggers }: Draft, pipelineId: string): string[] =>
  triggers
    .filter(({ written }) => written.type === 'pipeline' && written.pipeline_id === pipelineId)
    .map(({ place }) => `${place}.pipeline_id: expected another pipeline, this one would start itself for ever`)
