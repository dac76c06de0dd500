import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { heldValue } from './held.ts'
import { type DefaultValueRow, defaultValueDefinitions, defaultValues } from './tables.ts'

/** Where something is that reads default values: always in a project, often in one of its environments. */
export type DefaultsPlace = { projectId: string; environmentId?: string | undefined }

/** The value that holds for a key in a place, as its row keeps it. */
export type NearestDefault = Pick<DefaultValueRow, 'held'> & { key: string }

/** The value of each key that has one: of the environment, else of the project, else of the organization. */
export async function nearestDefaults(
  db: Db,
  organizationId: string,
  { projectId, environmentId }: DefaultsPlace,
): Promise<NearestDefault[]> {
  const levels = [organizationId, projectId, ...(environmentId === undefined ? [] : [environmentId])]
  const rows = await db
    .select({ key: defaultValueDefinitions.key, parentId: defaultValues.parentId, held: defaultValues.held })
    .from(defaultValues)
    .innerJoin(defaultValueDefinitions, eq(defaultValueDefinitions.id, defaultValues.defaultValueDefinitionId))
    .where(and(eq(defaultValues.organizationId, organizationId), inArray(defaultValues.parentId, levels)))
  const farthestFirst = rows.toSorted((a, b) => levels.indexOf(a.parentId) - levels.indexOf(b.parentId))
  return [...new Map(farthestFirst.map(({ key, held }) => [key, { key, held }])).values()]
}

/**
 * The object that templates read as `defaults`. A sealed value is opened when it is read, and then told to `onSecret`:
 * whoever renders learns which secrets may be in the result.
 */
export function defaultsRoot(
  seal: Seal,
  nearest: readonly NearestDefault[],
  onSecret: (value: unknown) => void,
): Record<string, unknown> {
  const root = {}
  for (const { key, held } of nearest) {
    Object.defineProperty(root, key, {
      enumerable: true,
      get() {
        const value = heldValue(seal, { held })
        if ('sealed' in held) onSecret(value)
        return value
      },
    })
  }
  return root
}
