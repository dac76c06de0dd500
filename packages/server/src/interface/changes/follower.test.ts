import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Follower } from './follower.ts'
import { idOf, type Position, parsePosition } from './position.ts'
import type { NotedChange } from './store.ts'

/** Model of a database with concurrent transactions, and a client that reconnects. */
class Story {
  #nextId = 1n
  readonly #running: { id: bigint; made: NotedChange[] }[] = []
  readonly #visible: NotedChange[] = []
  /** Visible changes that the client has not received. */
  readonly untold = new Set<NotedChange>()
  /** Changes that the current connection received, as text. */
  #toldNow: string[] = []
  #lastEventId: string | undefined
  #follower: Follower | undefined

  begin() {
    this.#running.push({ id: this.#nextId++, made: [] })
  }

  change(record: number, which: number) {
    const transaction = this.#running[which % Math.max(this.#running.length, 1)]
    if (!transaction) return
    const id = `dep_${record}`
    if (transaction.made.some((one) => one.id === id)) return // a record changes once in a transaction
    const changedAt = '2026-01-01T00:00:00.000Z'
    const named = { organizationId: 'org_1', resource: 'deployments', belongsTo: {} } as const
    transaction.made.push({ ...named, id, changedAt, transactionId: transaction.id })
  }

  commit(which: number) {
    const [over] = this.#running.splice(which % Math.max(this.#running.length, 1), 1)
    for (const one of over?.made ?? []) {
      this.#visible.push(one)
      this.untold.add(one)
    }
  }

  connect() {
    this.#toldNow = []
    const present = this.#present()
    const from = parsePosition(this.#lastEventId, present)
    this.#follower = new Follower('org_1', present, from)
  }

  disconnect() {
    this.#follower = undefined
  }

  look() {
    const { since } = this.#follower ?? {}
    if (since === undefined) return
    const noted = this.#visible.filter(({ transactionId }) => transactionId >= since)
    this.#follower?.take(noted, this.#present())
  }

  tell() {
    const news = this.#follower?.news()
    if (!news) return
    this.#lastEventId = idOf(news.position)
    if (news.isReset) this.untold.clear()
    for (const { id } of news.changes) {
      for (const one of this.untold) if (one.id === id) this.untold.delete(one)
      this.#toldNow.push(id)
    }
  }

  /** Returns how often the current connection received a record. */
  toldOf = (record: number): number => this.#toldNow.filter((id) => id === `dep_${record}`).length

  /** Returns the position as the database does: the oldest active transaction, or the next one. */
  #present(): Position {
    const ids = this.#running.map(({ id }) => id)
    return { transactionId: ids.reduce((least, id) => (id < least ? id : least), this.#nextId), atMs: 1 }
  }
}

const number = fc.nat(5)
const step = fc.oneof(
  fc.constant((story: Story) => story.begin()),
  fc.tuple(number, number).map(
    ([record, which]) =>
      (story: Story) =>
        story.change(record, which),
  ),
  number.map((which) => (story: Story) => story.commit(which)),
  fc.constant((story: Story) => story.connect()),
  fc.constant((story: Story) => story.disconnect()),
  fc.constant((story: Story) => story.look()),
  fc.constant((story: Story) => story.tell()),
)

test('the client receives every change, in any order of transactions and with any number of reconnections', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const story = new Story()
      for (const take of steps) take(story)
      story.connect()
      story.look()
      story.tell()
      expect([...story.untold]).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('a change is sent once although a long transaction keeps it above the position', () => {
  const story = new Story()
  story.connect()
  story.tell()
  story.begin()
  story.begin()
  story.change(1, 1)
  story.commit(1)
  for (let times = 0; times < 3; times += 1) {
    story.look()
    story.tell()
  }
  expect(story.toldOf(1)).toBe(1)
})
