import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { heldValue } from './held.ts'
import { type DefaultValueRow, defaultValueDefinitions, defaultValues } from './tables.ts'

/** Where something is that reads default values: always in a project, often in one of its environments. */
export type DefaultsPlace = { projectId: string; environmentId?: string | undefined }

/** The value that holds for a key in a place, as its row keeps it. */
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

/** The value of each key that has one: of the environment, else of the project, else of the organization. */
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

/** Is told of a sealed value before it is opened, and of what it is. */
export type SecretReader = { reads: (name: string) => void; opened: (value: unknown) => void }

/**
 * The object that templates read as `defaults`. A sealed value is opened when it is read: whoever renders decides
 * whether it may be, and learns which secrets may be in the result.
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
        const value = heldValue(seal, row)
        opened(value)
        return value
      },
    })
  }
  return root
}
