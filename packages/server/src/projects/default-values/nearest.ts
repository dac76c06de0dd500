import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { fromStored } from './stored-values.ts'
import { type DefaultValueRow, defaultValueDefinitions, defaultValues } from './tables.ts'

/** Scope in which default values are read: a project, or one of its environments. */
export type DefaultsPlace = { projectId: string; environmentId?: string | undefined }

/** Stored value that applies to a key in a scope. */
export type NearestDefault = Pick<DefaultValueRow, 'id' | 'organizationId' | 'held'> & { key: string }

const ofLevels = prepared((db) =>
  db
    .select({
      key: defaultValueDefinitions.key,
      id: defaultValues.id,
      organizationId: defaultValues.organizationId,
      parentId: defaultValues.parentId,
      held: defaultValues.held,
    })
    .from(defaultValues)
    .innerJoin(defaultValueDefinitions, eq(defaultValueDefinitions.id, defaultValues.defaultValueDefinitionId))
    .where(
      and(
        eq(defaultValues.organizationId, sql.placeholder('organizationId')),
        sql`${defaultValues.parentId} = any(${sql.placeholder('levels')}::text[])`,
      ),
    )
    .prepare('find_nearest_defaults'),
)

/** Returns the value of each key: of the environment, otherwise of the project, otherwise of the organization. */
export async function nearestDefaults(
  db: Db,
  organizationId: string,
  { projectId, environmentId }: DefaultsPlace,
): Promise<NearestDefault[]> {
  const levels = [organizationId, projectId, ...(environmentId === undefined ? [] : [environmentId])]
  const rows = await ofLevels(db).execute({ organizationId, levels })
  const farthestFirst = rows.toSorted((a, b) => levels.indexOf(a.parentId) - levels.indexOf(b.parentId))
  return [...new Map(farthestFirst.map(({ parentId: _, ...nearest }) => [nearest.key, nearest])).values()]
}

/** Callbacks before a sensitive value is decrypted, and with the decrypted value. */
export type SecretReader = { reads: (name: string) => void; opened: (value: unknown) => void }

/**
 * Returns the object that templates read as `defaults`. Sensitive values are decrypted on access, so that the renderer
 * can reject the access and learns which secrets the result may contain.
 */
export function defaultsRoot(
  seal: Seal,
  nearest: readonly NearestDefault[],
  { reads, opened }: SecretReader,
): Record<string, unknown> {
  const root = {}
  for (const { key, ...row } of nearest) {
    Object.defineProperty(root, key, {
      enumerable: true,
      get() {
        if (!('sealed' in row.held)) return row.held.value
        reads(`defaults.${key}`)
        const value = fromStored(seal, row)
        opened(value)
        return value
      },
    })
  }
  return root
}
