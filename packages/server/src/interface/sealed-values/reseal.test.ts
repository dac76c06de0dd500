import { createCipheriv, randomBytes } from 'node:crypto'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { createKeys, type Keys } from '../../platform/crypto/keys.ts'
import { expectKnownKeys } from '../../platform/crypto/known-keys.ts'
import { createSealContext, type SealedColumn } from '../../platform/crypto/place.ts'
import { createSeal } from '../../platform/crypto/seal.ts'
import { getTableName, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { idempotentAnswers } from '../idempotency/tables.ts'
import { sealedColumns } from './columns.ts'
import { reseal } from './reseal.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const before = createKeys([first])
const rotating = createKeys([second, first])
const after = createKeys([second])

const named = sealedColumns.map((sealed) => ({
  name: `${getTableName(sealed.column.table)}.${sealed.column.name}`,
  sealed,
}))

let database: Database
let db: Db
beforeAll(async () => {
  database = await openTestDatabase()
  db = database.db
  for (const one of [await createOneOfEverything(db), await createOneOfEverything(db)]) {
    const { organizationId } = one
    const request = { actorId: 'mem_1', operationId: 'x', key: 'k', requestHash: '', status: 201, body: '' }
    await db.insert(idempotentAnswers).values({ id: `idem_${organizationId}`, organizationId, ...request })
  }
})
afterAll(() => database?.close())

test('every encrypted column is in the list', async () => {
  const found: unknown[] = []
  const source = join(import.meta.dirname, '../..')
  for await (const file of glob('**/tables.ts', { cwd: source })) {
    const exported: Record<string, unknown> = await import(join(source, file))
    found.push(...Object.values(exported).filter(isSealedColumn))
  }
  expect(found).toHaveLength(sealedColumns.length)
  expect(new Set(found)).toEqual(new Set(sealedColumns))
})

const isSealedColumn = (value: unknown): value is SealedColumn =>
  typeof value === 'object' && value !== null && 'purpose' in value && 'column' in value && 'row' in value

test(
  'an encrypted value of another organization cannot be decrypted',
  everyCase(named, async ({ sealed }) => {
    const rows = await write(sealed, before, (place, seal) => seal.close(place, 'secret'))
    const seal = createSeal(before.secretsFor(sealed.purpose))
    const [mine, theirs] = rows
    if (!mine || !theirs) throw new Error('there are not two rows')
    await swap(sealed, mine.id, theirs.id)
    for (const { place, text } of await read(sealed)) expect(() => seal.open(place, text)).toThrow('changed or moved')
    await swap(sealed, mine.id, theirs.id)
    for (const { place, text } of await read(sealed)) expect(seal.open(place, text)).toBe('secret')
  }),
)

describe('encrypting again', () => {
  test('leaves nothing that needs the old key, including older formats', async () => {
    await expectKnownKeys(db, before)
    for (const { sealed } of named) {
      const [old] = before.secretsFor(sealed.purpose)
      await write(sealed, before, (place, seal) =>
        place.includes('"default_values"') ? seal.close(place, 'x') : v1(old, 'x'),
      )
    }
    await expectKnownKeys(db, rotating)
    const told: string[] = []
    const all = await reseal({ db, keys: rotating }, ({ column, done, total }) =>
      told.push(`${column} ${done}/${total}`),
    )
    expect(all).toEqual(named.map(({ name }) => ({ column: name, done: 2, total: 2, unreadable: 0 })))
    expect(told).toContain('stacks.sealed_outputs 2/2')
    await expectKnownKeys(db, after)
    for (const { sealed } of named) {
      const seal = createSeal(after.secretsFor(sealed.purpose))
      for (const { place, text } of await read(sealed)) expect(seal.open(place, text)).toBe('x')
    }
    const again = await reseal({ db, keys: after })
    expect(again.every(({ done, total }) => done === 0 && total === 0)).toBe(true)
  })

  test('resumes after an interruption, and skips values that no key decrypts', async () => {
    const [{ sealed }] = named.filter(({ name }) => name === 'default_values.held') as [(typeof named)[number]]
    await write(sealed, after, (place, seal) => seal.close(place, 'y'))
    const [one] = await read(sealed)
    await put(sealed, one?.id ?? '', createSeal([randomBytes(32)]).close(one?.place ?? '', 'lost'))
    const interrupted = reseal({ db, keys: createKeys([first, second]) }, () => {
      throw new Error('killed')
    })
    await expect(interrupted).rejects.toThrow('killed')
    const [progress] = await reseal({ db, keys: createKeys([first, second]) })
    expect(progress).toEqual({ column: 'default_values.held', done: 0, total: 1, unreadable: 1 })
  })
})

type Row = { id: string; place: string; text: string }

async function read(sealed: SealedColumn): Promise<Row[]> {
  const { column, row, key } = sealed
  const text = key === undefined ? sql`${column}` : sql`${column} ->> ${key}::text`
  const parts = sql.join(
    row.map((part) => sql`${part}`),
    sql`, `,
  )
  const found = await rowsOf<{ id: string; organization: string; parts: string[]; text: string | null }>(
    sql`select id, organization_id as organization, json_build_array(${parts}) as parts, ${text} as text
        from ${column.table} order by id`,
  )
  return found.map(({ id, organization, parts, text }) => ({
    id,
    place: createSealContext(sealed, organization, ...parts),
    text: text ?? '',
  }))
}

async function write(
  sealed: SealedColumn,
  keys: Keys,
  close: (place: string, seal: ReturnType<typeof createSeal>) => string,
): Promise<Row[]> {
  const seal = createSeal(keys.secretsFor(sealed.purpose))
  for (const { id, place } of await read(sealed)) await put(sealed, id, close(place, seal))
  return read(sealed)
}

const put = ({ column, key }: SealedColumn, id: string, text: string) => {
  const value = key === undefined ? sql`${text}` : sql`jsonb_build_object(${key}::text, ${text}::text)`
  return db.execute(sql`update ${column.table} set ${sql.identifier(column.name)} = ${value} where id = ${id}`)
}

const swap = ({ column }: SealedColumn, one: string, other: string) => {
  const name = sql.identifier(column.name)
  return db.execute(sql`update ${column.table} mine set ${name} = theirs.${name} from ${column.table} theirs
    where (mine.id = ${one} and theirs.id = ${other}) or (mine.id = ${other} and theirs.id = ${one})`)
}

async function rowsOf<Found>(statement: SQL): Promise<Found[]> {
  const { rows } = (await db.execute(statement)) as unknown as { rows: Found[] }
  return rows
}

/** Encrypts as versions before 0.3.0 did. */
function v1(secret: Buffer, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  return ['v1', ...[iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join('.')
}
