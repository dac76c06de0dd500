import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryLater } from '../../execution/attempts.ts'
import { isFinal } from '../../execution/machine.ts'
import { ModelWorld, pace } from '../model-environment.fixture.ts'
import { staticSite } from './deployment-type.ts'
import {
  nextAction,
  onInvalidationsCreated,
  onInvalidationsObserved,
  onPageRemoved,
  onPrepared,
  onPromoted,
  onRejected,
  onRestored,
  openInvalidations,
  type StaticAction,
  type StaticCloudAction,
  selectDirectoriesToRemove,
} from './machine.ts'
import type { StaticRelease } from './release.ts'
import type { SiteRelease } from './retention.ts'
import type { StaticState } from './state.ts'

const own = 'mi_1'

const releaseOf = (invalidationPaths: string[], keepReleases: number | undefined): StaticRelease => ({
  type: 'cloud:static',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  bucket: 'site',
  prefix: 'r/3',
  distributions: [{ id: 'E1', arn: 'arn:aws:cloudfront::111122223333:distribution/E1' }],
  keyValueStoreArn: 'arn:aws:cloudfront::111122223333:key-value-store/1',
  invalidationPaths,
  ...(keepReleases !== undefined && { keepReleases }),
  timeoutSeconds: 1_800,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
})

type Trouble = 'none' | 'dies before it sends' | 'dies before it saves' | 'is heard late' | 'throttled' | 'refused'

/** Model of a row, the store and the caches, and a worker that may crash at any point. */
class World extends ModelWorld<StaticState, StaticCloudAction> {
  active: string | undefined
  version = 0
  /** Changes that were sent and have not arrived yet. */
  onItsWay: { value: string | undefined; version: number; until: number }[] = []
  invalidations = new Map<string, 'InProgress' | 'Completed'>()
  directories = new Map([
    ['r/1', 2],
    ['r/2', 1],
    ['r/3', 1],
  ])
  /** Directory that another actor set, with the time at which Sluice learned of it. */
  byHand: string | undefined

  constructor(release: StaticRelease, active: string | undefined) {
    super(staticSite, release)
    this.active = active
  }

  history(): SiteRelease[] {
    return [...this.directories.keys()].map((prefix) => ({
      moduleInstanceId: own,
      prefix,
      status: 'SUCCESS',
      removedPrefixes: [],
    }))
  }

  override pass(ms: number): void {
    super.pass(ms)
    const heard = this.onItsWay.filter(({ until }) => until <= this.now.getTime())
    this.onItsWay = this.onItsWay.filter((one) => !heard.includes(one))
    for (const { value, version } of heard) this.write(value, version)
  }

  write(value: string | undefined, version: number): boolean {
    if (version !== this.version) return false
    this.active = value
    this.version += 1
    return true
  }

  /** Handles one message. */
  advance(trouble: Trouble): void {
    const action = this.nextInCloud()
    if (!action || trouble === 'dies before it sends') return
    const next = this.outcomeOf(action, trouble)
    if (next && trouble !== 'dies before it saves') this.save(next)
  }

  outcomeOf(action: StaticCloudAction, trouble: Trouble): StaticState | undefined {
    if (trouble === 'throttled') return retryLater(this.row, 'Rate exceeded', pace, this.now)
    const no = { name: 'AccessDenied', message: 'no' }
    if (trouble === 'refused') return onRejected(this.row, no, action, pace, this.now)
    return this.carryOut(action, trouble === 'is heard late')
  }

  carryOut(action: StaticCloudAction, isLate: boolean): StaticState | undefined {
    const { row, now, active, version } = this
    const { previousPrefix, promotedAt } = row.data
    const send = (value: string | undefined) => {
      // Up to 25 s: sent after at most 15 s, times out after 10 more.
      if (isLate) this.onItsWay.push({ value, version, until: now.getTime() + 25_000 })
      else expect(this.write(value, version)).toBe(true)
    }
    switch (action.do) {
      case 'prepare':
        return onPrepared(
          row,
          { hasFiles: true, ...(active !== undefined && { active }), distributions: [], uncompressing: [] },
          [],
          now,
        )
      case 'promote':
        if (active === row.release.prefix) return onPromoted(row, { verdict: 'set' }, now)
        if (active !== previousPrefix) return onPromoted(row, { verdict: 'changed', active }, now)
        send(row.release.prefix)
        return isLate ? undefined : onPromoted(row, { verdict: 'set' }, now)
      case 'restore':
        if (active === previousPrefix) return onRestored(row, { verdict: 'as-before' }, pace, now)
        if (active !== row.release.prefix) return onRestored(row, { verdict: 'changed', active }, pace, now)
        if (promotedAt === undefined) return onRestored(row, { verdict: 'ours' }, pace, now)
        send(previousPrefix)
        return isLate ? undefined : onRestored(row, { verdict: 'put-back' }, pace, now)
      case 'invalidate': {
        const invalidationId = row.status === 'ROLLING_BACK' ? 'I-rollback' : 'I-release'
        const status = this.invalidations.get(invalidationId) ?? 'InProgress'
        this.invalidations.set(invalidationId, status)
        return onInvalidationsCreated(row, [{ distributionId: 'E1', invalidationId, status }], now)
      }
      case 'wait': {
        const seen = openInvalidations(row).map((one) => ({
          ...one,
          status: this.invalidations.get(one.invalidationId) ?? 'InProgress',
        }))
        return onInvalidationsObserved(row, seen, pace, now)
      }
      case 'retain':
        return selectDirectoriesToRemove(row, own, this.history(), now)
      case 'remove': {
        if (active === action.prefix) return onPageRemoved(row, { verdict: 'active' }, now)
        const left = this.directories.get(action.prefix) ?? 0
        expect(action.prefix).not.toBe(active)
        if (left <= 1) this.directories.delete(action.prefix)
        else this.directories.set(action.prefix, left - 1)
        return onPageRemoved(row, { verdict: 'removed', objectCount: Math.min(left, 1), isEmpty: left <= 1 }, now)
      }
    }
  }
}

type Command =
  | { do: 'advance'; trouble: Trouble }
  | { do: 'pass'; seconds: number }
  | { do: 'complete' }
  | { do: 'cancel' }
  | { do: 'by hand'; value: string }

const troubles: Trouble[] = ['dies before it sends', 'dies before it saves', 'is heard late', 'throttled', 'refused']
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Command>({ do: 'advance', trouble: 'none' }) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(...troubles).map((trouble): Command => ({ do: 'advance', trouble })),
    },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }).map((seconds): Command => ({ do: 'pass', seconds })) },
    { weight: 1, arbitrary: fc.constant<Command>({ do: 'pass', seconds: 2_000 }) },
    { weight: 2, arbitrary: fc.constant<Command>({ do: 'complete' }) },
    { weight: 1, arbitrary: fc.constant<Command>({ do: 'cancel' }) },
    { weight: 1, arbitrary: fc.constantFrom('x/1', 'x/2').map((value): Command => ({ do: 'by hand', value })) },
  ),
  { maxLength: 40 },
)

function obey(world: World, command: Command): void {
  if (command.do === 'advance') world.advance(command.trouble)
  if (command.do === 'pass') world.pass(command.seconds * 1_000)
  if (command.do === 'complete') {
    for (const id of world.invalidations.keys()) world.invalidations.set(id, 'Completed')
  }
  if (command.do === 'cancel') world.cancel()
  if (command.do === 'by hand') {
    world.byHand = command.value
    world.active = command.value
    world.version += 1
  }
}

/** Runs with a working cloud until the release has ended. Nothing in flight arrives after the end. */
function settle(world: World): void {
  for (let turns = 0; !isFinal(world.row.status); turns++) {
    if (turns > 300) throw new Error(`it does not end: ${JSON.stringify(world.row.progress)}`)
    obey(world, { do: 'complete' })
    obey(world, { do: 'advance', trouble: 'none' })
    world.pass(1_000)
  }
}

const wishes = fc.record({
  paths: fc.constantFrom<string[]>([], ['/*']),
  keep: fc.constantFrom(undefined, 1, 2),
  before: fc.constantFrom(undefined, 'r/2', 'r/3'),
})

test('a deployment always ends, and serves the directory that it reports', () => {
  fc.assert(
    fc.property(wishes, commands, ({ paths, keep, before }, story) => {
      const world = new World(releaseOf(paths, keep), before)
      world.start()
      for (const command of story) obey(world, command)
      settle(world)
      const served = world.active
      world.pass(60_000)
      expect(world.active, 'nothing comes after the end').toBe(served)

      const { status, error, data } = world.row
      if (world.byHand !== undefined) expect(['r/3', before, world.byHand, 'x/1', 'x/2']).toContain(world.active)
      else if (status === 'SUCCESS') expect(world.active).toBe('r/3')
      else if (status !== 'ERROR') expect(world.active).toBe(before)
      if (error?.code.endsWith('TARGET_CHANGED')) expect(world.active).toBe(world.byHand)
      expect(world.directories.has(world.active ?? 'r/3') || world.active?.startsWith('x/')).toBe(true)
      expect((data.events ?? []).map(({ currentStep }) => currentStep)).toEqual(
        (data.events ?? []).map(({ currentStep }) => currentStep).sort((a, b) => a - b),
      )
    }),
    { numRuns: 2_000 },
  )
})

test("another actor's change is never overwritten", () => {
  fc.assert(
    fc.property(wishes, commands, commands, ({ paths, keep, before }, first, then) => {
      const world = new World(releaseOf(paths, keep), before)
      world.start()
      for (const command of first) obey(world, command)
      obey(world, { do: 'by hand', value: 'x/9' })
      for (const command of then.filter((one) => one.do !== 'by hand')) obey(world, command)
      settle(world)
      world.pass(60_000)
      // Only a release that first polled after the change takes it for the previous directory, and replaces it.
      if (world.row.data.previousPrefix !== 'x/9') expect(world.active).toBe('x/9')
    }),
    { numRuns: 2_000 },
  )
})

test('without errors each step is executed once, in order', () => {
  const world = new World(releaseOf(['/*'], 2), 'r/2')
  world.start()
  const taken: StaticAction['do'][] = []
  while (!isFinal(world.row.status)) {
    taken.push(nextAction(world.row, world.now).do)
    world.advance('none')
    obey(world, { do: 'complete' })
  }
  expect(taken).toEqual(['prepare', 'promote', 'invalidate', 'wait', 'retain', 'remove', 'remove'])
  expect(world.row.data.removedPrefixes).toMatchObject([{ prefix: 'r/1', objectCount: 2 }])
  expect(world.row.data.events?.map(({ stepCode }) => stepCode)).toEqual([
    'INIT',
    'PROMOTE',
    'INVALIDATE',
    'CLEAN_UP',
    'COMPLETED',
  ])
})
