import type { Scope } from './auth/access.ts'
import { type AnyPgColumn, and, eq, inArray, type PgTable, type SQL } from './db/drizzle.ts'
import type { Db } from './db/open.ts'
import { withAllScopesVisible } from './db/organization.ts'
import type { FindScopes } from './http/rights.ts'
import type { IdPrefix } from './ids.ts'

type RecordTable = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn; givenId?: AnyPgColumn }

/** Returns the scopes of records; `organization` for records outside of projects. */
export type FindRecordScopes = (db: Db, organizationId: string, ids: string[]) => Promise<(Scope | 'organization')[]>

/** Declaration of a record type for features that apply to all types, such as permissions and dependents. */
export type RecordDeclaration = {
  /** Name of the collection in paths of the API. */
  collection: string
  prefix: IdPrefix
  /** Display name of the record type in messages. */
  label: string
  table: RecordTable
  /** Returns the scopes of records in which the caller needs the permission. */
  places?: FindRecordScopes
  /** Collections whose records cannot be deleted while rows of this type refer to them, by a column or a condition. */
  dependsOn?: Readonly<Record<string, AnyPgColumn | ((id: string) => SQL | undefined)>>
}

/** Scopes of something that requests name but that is not a record, such as the parent of a default value. */
export type PlaceDeclaration = { collection: string; places: FindRecordScopes }

export type Declarations = readonly (RecordDeclaration | PlaceDeclaration)[]

export const isRecord = (one: Declarations[number]): one is RecordDeclaration => 'table' in one

/** Creates the function that returns the scopes of the records that a request names. */
export function scopesIn(declarations: Declarations): FindScopes {
  const finders = new Map(declarations.map(({ collection, places }) => [collection, places]))
  return async (db, organizationId, named) => {
    const found = named.map(({ record, ids }) => {
      const find = finders.get(record)
      if (find) return find(db, organizationId, ids)
      throw new Error(`No domain declares the places of ${record}. Add them to the records.ts of its domain.`)
    })
    return (await Promise.all(found)).flat()
  }
}

/** Returns the dependents that prevent the deletion of a record, a line each. */
export type FindDependents = (collection: string, tx: Db, organizationId: string, id: string) => Promise<string[]>

const maxLines = 20

/**
 * Creates the function that returns dependents: up to 20 lines such as `module instance web (mi_…)`. A dependent that
 * is hidden from the caller also prevents the deletion, but is not named.
 */
export const dependentsIn =
  (declarations: Declarations): FindDependents =>
  async (collection, tx, organizationId, id) => {
    const rows = declarations.filter(isRecord).flatMap(({ label, table, dependsOn = {} }) => {
      const reference = dependsOn[collection]
      if (reference === undefined) return []
      const refers = typeof reference === 'function' ? reference(id) : eq(reference, id)
      return [{ label, table, where: and(eq(table.organizationId, organizationId), refers) }]
    })
    const lines = await linesOf(tx, rows)
    if (lines.length > 0) return lines
    const hidden = await withAllScopesVisible(tx, (unhidden) => linesOf(unhidden, rows))
    return hidden.length > 0 ? ['something that you do not see'] : []
  }

type Rows = Pick<RecordDeclaration, 'label' | 'table'> & { where: SQL | undefined }

async function linesOf(tx: Db, all: Rows[]): Promise<string[]> {
  const lines: string[] = []
  for (const { label, table, where } of all) {
    if (lines.length === maxLines) break
    const { id, givenId = id } = table
    const rows = await tx
      .select({ id, givenId })
      .from(table as PgTable)
      .where(where)
      .orderBy(id)
      .limit(maxLines - lines.length)
    lines.push(...rows.map((row) => `${label} ${row.givenId === row.id ? row.id : `${row.givenId} (${row.id})`}`))
  }
  return lines
}

type PlacedTable = RecordTable & { projectId?: AnyPgColumn; environmentId?: AnyPgColumn }
type PlacedRow = { projectId: string | null; environmentId?: string | null }

/** Creates a function that reads the scopes of rows from their project and environment columns. */
export const scopesFromColumns =
  (
    table: PlacedTable,
    { projectId = table.projectId, environmentId = table.environmentId }: Partial<PlacedTable> = {},
  ): FindRecordScopes =>
  async (db, organizationId, ids) => {
    const columns = { ...(projectId && { projectId }), ...(environmentId && { environmentId }) }
    const rows = await db
      .select(columns)
      .from(table as PgTable)
      .where(isAmong(table, organizationId, ids))
    return (rows as PlacedRow[]).map(({ projectId, environmentId }) =>
      projectId === null ? 'organization' : { projectId, environmentId: environmentId ?? undefined },
    )
  }

/** Creates a function that returns the scopes of the records that a column refers to. */
export const scopesOfReferences =
  (table: RecordTable, column: AnyPgColumn, find: FindRecordScopes): FindRecordScopes =>
  async (db, organizationId, ids) => {
    const rows = await db
      .select({ referred: column })
      .from(table as PgTable)
      .where(isAmong(table, organizationId, ids))
    const referred = (rows as { referred: string | null }[]).flatMap((row) => row.referred ?? [])
    return find(db, organizationId, referred)
  }

/** Combines the scopes that several functions return. */
export const combinedScopes =
  (...finders: FindRecordScopes[]): FindRecordScopes =>
  async (...asked) =>
    (await Promise.all(finders.map((find) => find(...asked)))).flat()

const isAmong = (table: RecordTable, organizationId: string, ids: string[]) =>
  and(eq(table.organizationId, organizationId), inArray(table.id, ids))
