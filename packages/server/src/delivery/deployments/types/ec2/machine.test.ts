import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordAttempt } from '../../execution/attempts.ts'
import { isFinal } from '../../execution/machine.ts'
import { later } from '../../execution/state.ts'
import { ModelWorld, pace } from '../model-environment.fixture.ts'
import { awaitCredential, credentialInFlightMs, onCredentialDeleted, onCredentialStored } from './credential.ts'
import { ec2 } from './deployment-type.ts'
import { onRejected } from './endings.ts'
import {
  type Ec2CloudAction,
  errorsLeft,
  nextAction,
  onCommandNotFound,
  onCommandSent,
  onPrepared,
  onPublished,
  onStopRequested,
} from './machine.ts'
import { ModelGroup } from './model-group.fixture.ts'
import { departedInstances, onObserved } from './observe.ts'
import { selectNextWave } from './poll.ts'
import { type Ec2Release, groupReleaseOf } from './release.ts'
import type { Ec2State } from './state.ts'
import { releaseOfWave, waveOf } from './wave.ts'

const before = { deploymentId: 'dep_0', runtime: 'container' as const, imageUri: 'web:1' }

/** Events that happen while the release is completing, by turn. */
type Late = { launchAt?: number; cancelAt?: number }

type Setting = Late & {
  size: number
  errorsMax: string
  automaticRollback: boolean
  hasBefore: boolean
  failures: number
  /** Whether the release is in a private repository for which instances need a credential. */
  isPrivate: boolean
}

/** One instance without a previous release. */
const plain: Setting = {
  size: 1,
  errorsMax: '0',
  automaticRollback: false,
  hasBefore: false,
  failures: 0,
  isPrivate: false,
}

const source = { repo: 'https://git.example/acme/web' }

const releaseOf = ({ errorsMax, automaticRollback, isPrivate }: Setting): Ec2Release => ({
  type: 'cloud:ec2',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  autoScalingGroupName: 'workers',
  definition: isPrivate
    ? { runtime: 'manual', commands: ['./run'], source }
    : { runtime: 'container', imageUri: 'web:2' },
  concurrencyMax: '1',
  errorsMax,
  automaticRollback,
  timeoutSeconds: 86_400,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
})

/** Model of a row, a group, and a worker that may crash at any point. */
class World extends ModelWorld<Ec2State, Ec2CloudAction> {
  readonly group: ModelGroup
  /** Times at which writes of the credential without a response take effect. */
  #onTheirWay: Date[] = []

  constructor(setting: Setting) {
    super(ec2, releaseOf(setting))
    this.group = new ModelGroup(setting.size, setting.hasBefore ? before : undefined)
    this.group.failures = setting.failures
  }

  /** Applies the requests that were in flight until now. */
  arrive(now: Date): void {
    if (this.#onTheirWay.some((at) => at <= now)) this.group.hasCredential = true
    this.#onTheirWay = this.#onTheirWay.filter((at) => at > now)
  }

  /**
   * Handles one message. `diesBefore`: the worker crashes and the save is lost; with `effect`, the effect in the cloud
   * is lost, too.
   */
  advance(diesBefore?: 'effect' | 'save'): void {
    this.arrive(this.now)
    const action = this.nextInCloud()
    if (!action) return
    if (diesBefore === 'effect') {
      if (action.do === 'lend') this.#onTheirWay.push(later(this.now, 25_000))
      return
    }
    const next = this.carryOut(action)
    if (diesBefore !== 'save') this.save(next)
  }

  carryOut(action: Ec2CloudAction): Ec2State {
    const { row, group, now } = this
    const { wave, back } = row.progress
    const comment = `${row.id} ${wave?.number}`
    switch (action.do) {
      case 'prepare':
        return onPrepared(
          row,
          {
            arn: 'arn:asg',
            accountNumber: '111122223333',
            members: group.members(),
            ...(group.current && { current: group.current }),
          },
          now,
        )
      case 'look':
        return selectNextWave(row, group.members(), pace, now)
      case 'lend':
        group.hasCredential = true
        return onCredentialStored(row, later(now, 60_000), now)
      case 'withdraw':
        if (credentialInFlightMs(row, now) > 0) return awaitCredential(row, now)
        group.hasCredential = false
        return onCredentialDeleted(row, now)
      case 'send': {
        expect(wave?.freshUntil !== undefined && group.hasCredential).toBe(
          releaseOfWave(row, waveOf(row)).source !== undefined,
        )
        expect(group.find(comment), 'a command is sent once').toBeUndefined()
        const isReturn = wave?.purpose === 'return'
        const release = isReturn ? row.data.previousRelease : groupReleaseOf(row.id, row.release)
        if (!wave || !release) throw new Error('there is nothing to send')
        const errorsMax = isReturn ? wave.instanceIds.length : errorsLeft(row)
        return onCommandSent(row, group.send(comment, release, wave.instanceIds, errorsMax), now)
      }
      case 'find': {
        const found = group.find(comment)
        return found === undefined ? onCommandNotFound(row, pace, now) : onCommandSent(row, found, now)
      }
      case 'observe': {
        const command = group.snapshot(wave?.commandId ?? '')
        const members = group.members().map(({ instanceId }) => instanceId)
        const left = departedInstances(command, members)
        if (left.length > 0) group.cancel(command.commandId, left)
        return onObserved(row, command, members, pace, now)
      }
      case 'stop':
        group.cancel(wave?.commandId ?? '')
        return onStopRequested(row, now)
      case 'publish':
        group.current = back ? row.data.previousRelease : groupReleaseOf(row.id, row.release)
        return onPublished(row, group.members(), now)
    }
  }

  /** Runs until the release has ended, without further crashes. */
  settle({ launchAt, cancelAt }: Late): void {
    for (let turn = 0; turn < 2_000 && !isFinal(this.row.status); turn++) {
      if (turn === launchAt) this.group.launch()
      if (turn === cancelAt) this.cancel()
      this.start()
      this.advance()
      this.group.step()
      this.passToWakeUp()
    }
  }
}

const late = fc.integer({ min: 0, max: 30 })
const settings: fc.Arbitrary<Setting> = fc.record(
  {
    size: fc.integer({ min: 0, max: 6 }),
    errorsMax: fc.constantFrom('0', '1', '50%'),
    automaticRollback: fc.boolean(),
    hasBefore: fc.boolean(),
    failures: fc.constantFrom(0, 0, 1, 3),
    isPrivate: fc.boolean(),
    launchAt: late,
    cancelAt: late,
  },
  { requiredKeys: ['size', 'errorsMax', 'automaticRollback', 'hasBefore', 'failures', 'isPrivate'] },
)

type Move = { name: string; weight: number; run: (world: World) => void }
const moveList: Move[] = [
  { name: 'advance', weight: 10, run: (world) => world.advance() },
  { name: 'step', weight: 8, run: (world) => world.group.step() },
  { name: 'die before the effect', weight: 2, run: (world) => world.advance('effect') },
  { name: 'die before the save', weight: 2, run: (world) => world.advance('save') },
  { name: 'start', weight: 3, run: (world) => world.start() },
  { name: 'launch', weight: 1, run: (world) => world.group.launch() },
  { name: 'terminate', weight: 1, run: (world) => world.group.terminate() },
  { name: 'cancel', weight: 1, run: (world) => world.cancel() },
  { name: 'time passes', weight: 3, run: (world) => world.pass(45_000) },
  { name: 'trouble', weight: 1, run: (world) => world.trouble() },
]
const moves = fc.array(fc.oneof(...moveList.map(({ weight, ...move }) => ({ weight, arbitrary: fc.constant(move) }))), {
  maxLength: 80,
})
const named = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(', ')

function played(setting: Setting, list: readonly Pick<Move, 'run'>[]): World {
  const world = new World(setting)
  for (const move of list) move.run(world)
  world.settle(setting)
  return world
}

test('a release always ends, and no command is sent twice', () => {
  fc.assert(
    fc.property(settings, moves, (setting, list) => {
      const { row, group } = played(setting, list)
      expect(isFinal(row.status), `${row.status} after ${named(list)}`).toBe(true)
      expect(row.error === null, row.status).toBe(row.status === 'SUCCESS')
      const comments = group.commands.map(({ comment }) => comment)
      expect(new Set(comments).size).toBe(comments.length)
    }),
    { numRuns: 2_000 },
  )
})

test('every instance runs a successful release, except those that may fail', () => {
  fc.assert(
    fc.property(settings, moves, (setting, list) => {
      const { row, group } = played(setting, list)
      if (row.status !== 'SUCCESS') return
      const others = [...group.instances.values()].filter(({ runs }) => runs !== row.id)
      expect(others.length, named(list)).toBeLessThanOrEqual(row.data.errorsMax ?? 0)
      expect(group.current?.deploymentId).toBe(row.id)
    }),
    { numRuns: 2_000 },
  )
})

test('no instance runs a release that was rolled back, including instances that start later', () => {
  fc.assert(
    fc.property(settings, moves, (setting, list) => {
      const { row, group } = played(setting, list)
      const isBack = row.status === 'ROLLED_BACK' || row.data.automaticRollback?.status === 'SUCCESS'
      if (!isBack) return
      const released = [...group.instances.values()].filter(({ runs }) => runs === row.id)
      expect(released, named(list)).toEqual([])
      expect(group.current?.deploymentId).not.toBe(row.id)
    }),
    { numRuns: 2_000 },
  )
})

test('a group without an earlier release is not reported as rolled back', () => {
  const world = new World({ ...plain, size: 2 })
  world.group.terminate()
  world.start()
  world.advance()
  world.advance()
  world.group.terminate()
  world.settle({ cancelAt: 4 })
  expect(world.group.current?.deploymentId).toBe('dep_1')
  expect(world.row).toMatchObject({
    status: 'ERROR',
    error: { message: 'No earlier release is known to which the group could be returned.' },
  })
})

test('no credential remains', () => {
  fc.assert(
    fc.property(settings, moves, (setting, list) => {
      const world = played({ ...setting, isPrivate: true }, list)
      world.arrive(later(world.now, 3_600_000))
      expect(world.group.hasCredential, named(list)).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

test('a credential whose write was interrupted is deleted once it must have arrived, also if a later one was throttled', () => {
  const world = new World({ ...plain, isPrivate: true })
  world.start()
  while (world.row.progress.step !== 'lend') world.advance()
  world.advance('effect')
  world.trouble()
  world.settle({ cancelAt: 0 })
  expect(world.row.status).toBe('CANCELLED')
  world.arrive(later(world.now, 3_600_000))
  expect(world.group.hasCredential).toBe(false)
})

test('a credential that is about to expire is renewed while the command is running', () => {
  const world = new World({ ...plain, size: 2, isPrivate: true })
  world.start()
  while (world.row.progress.step !== 'observe') world.advance()
  expect(nextAction(world.row, world.now)).toEqual({ do: 'observe' })
  world.now = later(world.now, 60_000)
  expect(nextAction(world.row, world.now)).toEqual({ do: 'lend' })
  world.advance()
  expect(nextAction(world.row, world.now)).toEqual({ do: 'observe' })
})

test('a rejected write of a credential is an error that leaves nothing to delete', () => {
  const world = new World({ ...plain, automaticRollback: true, hasBefore: true, isPrivate: true })
  world.start()
  while (world.row.progress.step !== 'lend') world.advance()
  const no = { name: 'AccessDeniedException', message: 'not allowed' }
  const over = onRejected(recordAttempt(world.row, world.now), no, { do: 'lend' }, pace, world.now)
  expect(over).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Deployments:CLOUD_REFUSED' } })
})

test('a rejected deletion of a credential is reported and does not change the result of the release', () => {
  const world = new World({ ...plain, isPrivate: true })
  world.start()
  while (world.row.progress.step !== 'withdraw') {
    world.advance()
    world.group.step()
  }
  const no = { name: 'AccessDeniedException', message: 'not allowed' }
  world.save(onRejected(world.row, no, { do: 'withdraw' }, pace, world.now))
  world.now = later(world.now, 5 * 60_000)
  world.advance()
  expect(world.row.status).toBe('SUCCESS')
  expect(world.row.data.events?.at(-1)?.message).toContain('/sluice/workers/credentials/dep_1 could not be deleted')
})

test('a failure triggers an automatic rollback if configured, and the deployment stays failed', () => {
  fc.assert(
    fc.property(settings, ({ launchAt: _, cancelAt: __, ...usual }) => {
      const setting = { ...usual, size: usual.size + 1, failures: 10, errorsMax: '0' }
      const { row } = played(setting, [])
      expect(row.status).toBe('ERROR')
      expect(row.error?.code).toBe('Sluice:Deployments:INSTANCES_FAILED')
      const isTriggered = setting.automaticRollback && setting.hasBefore
      expect(row.data.automaticRollback?.decision).toBe(isTriggered ? 'TRIGGERED' : 'CONSIDERED')
    }),
  )
})

test('a permanent error ends the release before the first command, and is retried for a while after it', () => {
  const world = new World({ ...plain, hasBefore: true })
  world.start()
  const no = { name: 'AccessDeniedException', message: 'not allowed' }
  expect(onRejected(world.row, no, { do: 'prepare' }, pace, world.now).status).toBe('ERROR')
  while (world.row.progress.step !== 'observe') world.advance()
  let row = world.row
  for (let times = 0; times < 25; times++) row = onRejected(row, no, { do: 'observe' }, pace, world.now)
  expect(row.status).toBe('IN_PROGRESS')
  expect(onRejected(row, no, { do: 'observe' }, pace, world.now).status).toBe('ERROR')
})
