import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../testing/database.ts'
import { pgTable, sql, text } from './drizzle.ts'
import { type Db, openDatabase } from './open.ts'

async function open(): Promise<Db> {
  const { location, drop } = await createTestDatabase()
  onTestFinished(drop)
  const { db, close } = await openDatabase(location)
  onTestFinished(close)
  return db
}

test('a prepared statement answers each time as it does the first time, and as one that is not prepared', async () => {
  const db = await open()
  const columns = {
    text: sql`${sql.placeholder('text')}::text`,
    number: sql`42`,
    large: sql`9007199254740993`,
    yes: sql`true`,
    none: sql`null::jsonb`,
    json: sql`'{"a": [1, "b", null]}'::jsonb`,
    list: sql`array['a', 'b,c']`,
    moment: sql`timestamptz '2026-11-27T09:00:00.123Z' at time zone 'UTC'`,
  }
  await db.transaction(async (tx) => {
    const statement = tx.select(columns).from(sql`generate_series(1, 2)`).prepare('all_kinds')
    for (const text of ['ä "quoted" \\ text', '', 'once more']) {
      const row = {
        text,
        number: 42,
        large: '9007199254740993',
        yes: true,
        none: null,
        json: { a: [1, 'b', null] },
        list: ['a', 'b,c'],
        moment: '2026-11-27 09:00:00.123',
      }
      expect(await statement.execute({ text })).toEqual([row, row])
    }
    const [unprepared] = await tx.select({ ...columns, text: sql`'x'` }).from(sql`generate_series(1, 1)`)
    expect((await statement.execute({ text: 'x' }))[0]).toEqual(unprepared)
  })
})

test('it takes numbers, truth values, nulls, moments and lists', async () => {
  const db = await open()
  const given = {
    number: sql`${sql.placeholder('number')}::int`,
    yes: sql`${sql.placeholder('yes')}::boolean`,
    none: sql`${sql.placeholder('none')}::text`,
    moment: sql`extract(epoch from ${sql.placeholder('moment')}::timestamptz)::int`,
    isIn: sql`'b' = any(${sql.placeholder('list')})`,
  }
  await db.transaction(async (tx) => {
    const statement = tx.select(given).from(sql`generate_series(1, 1)`).prepare('all_values')
    const values = { number: -7, yes: false, none: null, moment: new Date(1_000), list: ['a', 'b'] }
    for (let time = 1; time <= 2; time += 1) {
      const [row] = await statement.execute({ ...values, moment: new Date(time * 1_000) })
      expect(row).toEqual({ number: -7, yes: false, none: null, moment: time, isIn: true })
    }
    // With a text in the place of the moment and of the list, the statement is the one that the connection knows.
    const [row] = await statement.execute({ ...values, moment: '1970-01-01T00:00:09Z', list: '{b}' })
    expect(row).toMatchObject({ moment: 9, isIn: true })
  })
})

test('a statement without result returns the number of written rows, and one without matches returns no rows', async () => {
  const db = await open()
  const kept = pgTable('kept', { name: text('name') })
  await db.transaction(async (tx) => {
    await tx.execute(sql`create temporary table kept (name text) on commit drop`)
    const find = tx.select().from(kept).prepare('find_kept')
    const keep = tx
      .insert(kept)
      .values({ name: sql.placeholder('name') })
      .prepare('keep')
    expect(await find.execute()).toEqual([])
    for (const name of ['a', 'b']) expect(await keep.execute({ name })).toMatchObject({ rowCount: 1, rows: [] })
    expect(await find.execute()).toEqual([{ name: 'a' }, { name: 'b' }])
  })
})

test('an error of the database has its code, and the next statement on the connection succeeds', async () => {
  const db = await open()
  const statement = db.select({ part: sql`12 / ${sql.placeholder('by')}::int` }).from(sql`generate_series(1, 1)`)
  const prepared = statement.prepare('divide')
  for (const by of [0, 4, 0, 3]) {
    const answer = await prepared.execute({ by }).catch((error: Error) => error)
    if (by === 0) expect(answer).toMatchObject({ cause: { code: '22012', severity: 'ERROR' } })
    else expect(answer).toEqual([{ part: 12 / by }])
  }
  const wrong = db.select({ none: sql`no_such_function()` }).from(sql`generate_series(1, 1)`).prepare('wrong')
  for (const _ of [1, 2]) await expect(wrong.execute()).rejects.toMatchObject({ cause: { code: '42883' } })
})

test('two statements cannot have one name', async () => {
  const db = await open()
  await db.transaction(async (tx) => {
    const named = (value: number) => tx.select({ n: sql`${sql.raw(String(value))}` }).from(sql`generate_series(1, 1)`)
    expect(await named(1).prepare('same').execute()).toEqual([{ n: 1 }])
    await expect(named(2).prepare('same').execute()).rejects.toMatchObject({
      cause: { message: 'two statements are named same' },
    })
    expect(await named(1).prepare('same').execute()).toEqual([{ n: 1 }])
  })
})

test('concurrent executions of a statement on one connection return their own results, as do later ones', async () => {
  const db = await open()
  const texts = ['a', 'b', 'c']
  const columns = { text: sql`${sql.placeholder('text')}::text`, number: sql`42` }
  await db.transaction(async (tx) => {
    const statement = tx.select(columns).from(sql`generate_series(1, 1)`).prepare('at_once')
    for (const _ of [1, 2]) {
      const answers = await Promise.all(texts.map((text) => statement.execute({ text })))
      expect(answers).toEqual(texts.map((text) => [{ text, number: 42 }]))
    }
    const kinds = { moment: sql`extract(epoch from ${sql.placeholder('moment')}::timestamptz)::int` }
    const other = tx.select(kinds).from(sql`generate_series(1, 1)`).prepare('at_once_of_two_kinds')
    const moments = ['1970-01-01T00:00:01Z', new Date(2_000), '1970-01-01T00:00:03Z'] // one is left to the driver
    const answers = await Promise.all(moments.map((moment) => other.execute({ moment })))
    expect(answers).toEqual([[{ moment: 1 }], [{ moment: 2 }], [{ moment: 3 }]])
  })
})

test('statements that wait behind a failing one are executed', async () => {
  const db = await open()
  const by = (number: number) => ({ by: number })
  await db.transaction(async (tx) => {
    const part = { part: sql`12 / ${sql.placeholder('by')}::int` }
    const divide = tx.select(part).from(sql`generate_series(1, 1)`).prepare('divide_at_once')
    const refused = tx.transaction(async () => {
      const answers = await Promise.allSettled([0, 4, 3].map((number) => divide.execute(by(number))))
      expect(answers).toMatchObject(['22012', '25P02', '25P02'].map((code) => ({ reason: { cause: { code } } })))
      throw new Error('back to before')
    })
    await expect(refused).rejects.toThrow('back to before')
    const answers = await Promise.all([4, 3].map((number) => divide.execute(by(number))))
    expect(answers).toEqual([[{ part: 3 }], [{ part: 4 }]])
  })
})

test("a statement fails after a change of its table's columns, and never returns wrong values", async () => {
  const db = await open()
  const changed = pgTable('changed', { name: text('name') })
  const work = db.transaction(async (tx) => {
    await tx.execute(sql`create temporary table changed (name text) on commit drop`)
    await tx.execute(sql`insert into changed values ('1')`)
    const find = tx.select().from(changed).prepare('find_changed')
    expect(await find.execute()).toEqual([{ name: '1' }])
    await tx.execute(sql`alter table changed add column more text default 'more'`)
    expect(await find.execute()).toEqual([{ name: '1' }])
    await tx.execute(sql`alter table changed alter column name type integer using name::integer`)
    await find.execute()
  })
  await expect(work).rejects.toMatchObject({ cause: { message: 'cached plan must not change result type' } })
})
