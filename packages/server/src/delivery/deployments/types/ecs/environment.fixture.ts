import type { TaskDefinitionRecord } from '@sluice/contract'
import { expect } from 'vitest'
import type { Command, EcsStrategy } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { mustMeasure } from '../../analysis/state.ts'
import { isFinal } from '../../execution/machine.ts'
import { later } from '../../execution/state.ts'
import { ModelWorld, pace } from '../model-environment.fixture.ts'
import { applyMeasurements } from './analysis.ts'
import { commandAt, onCommandNotFound, onCommandObserved, onCommandStarted, onCommandStopRequested } from './command.ts'
import { ecs } from './deployment-type.ts'
import {
  type EcsCloudAction,
  onDefinitionNotFound,
  onLocated,
  onPrepared,
  onRegistered,
  onStopRequested,
  onUpdateAccepted,
  onUpdateNotFound,
} from './machine.ts'
import { ModelCloud } from './model-cloud.fixture.ts'
import { onObserved, onPauseContinued } from './observe.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

export const releaseOf = (strategy: EcsStrategy): EcsRelease => ({
  type: 'cloud:ecs',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  clusterArn: 'arn:aws:ecs:eu-west-1:111122223333:cluster/c',
  serviceArn: 'arn:aws:ecs:eu-west-1:111122223333:service/c/web',
  taskDefinition: { register: { family: 'web' } },
  strategy,
  timeoutSeconds: 1_800,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
})

/** Model of a row, the cloud, and a worker that may crash at any point. */
export class World extends ModelWorld<EcsState, EcsCloudAction> {
  readonly cloud: ModelCloud
  seenHooks = new Set<string>()
  /** Requests that were sent and have not arrived yet. */
  #onItsWay: { arrivesAt: Date; arrive: () => void }[] = []

  constructor(release: EcsRelease) {
    super(ecs, release)
    this.cloud = new ModelCloud(release)
  }

  /**
   * Handles one message. `diesBefore`: the worker crashes and the save is lost; with `effect`, the effect in the cloud
   * is lost, too, and with `arrival` it comes late.
   */
  advance(diesBefore?: 'effect' | 'arrival' | 'save'): void {
    const action = this.nextInCloud()
    if (!action || diesBefore === 'effect') return
    if (diesBefore === 'arrival') {
      this.send(action)
      return
    }
    const next = this.carryOut(action)
    if (diesBefore === 'save') return
    this.save(next)
    for (const hook of this.row.progress.hooks) this.seenHooks.add(hook.hookId)
  }

  /**
   * Delays a request that changes the cloud by up to 25 s: it is sent after at most 15 s, and times out after 10 more.
   */
  send(action: EcsCloudAction): void {
    const { id, progress } = this.row
    const arrivesAt = later(this.now, 25_000)
    if (action.do === 'register') this.#onItsWay.push({ arrivesAt, arrive: () => this.cloud.register(id) })
    if (action.do === 'update') {
      this.#onItsWay.push({ arrivesAt, arrive: () => this.cloud.update(progress.taskDefinitionArn ?? '') })
    }
  }

  override pass(ms: number): void {
    super.pass(ms)
    const arrived = this.#onItsWay.filter(({ arrivesAt }) => arrivesAt <= this.now)
    this.#onItsWay = this.#onItsWay.filter((one) => !arrived.includes(one))
    for (const { arrive } of arrived) arrive()
  }

  carryOut(action: EcsCloudAction): EcsState {
    const { row, cloud, now } = this
    const { taskDefinitionArn = '', primaryBefore } = row.progress
    switch (action.do) {
      case 'prepare':
        return onPrepared(row, { primary: cloud.primary, isSettled: true }, pace, now)
      case 'register':
        return onRegistered(row, definitionOf(cloud.register(row.id)), now)
      case 'find-definition': {
        const done = cloud.taskDefinitions.indexOf(row.id)
        return done < 0
          ? onDefinitionNotFound(row, pace, now)
          : onRegistered(row, definitionOf(`arn:td/web:${done + 2}`), now)
      }
      case 'update':
        return onUpdateAccepted(row, cloud.update(taskDefinitionArn), pace, now)
      case 'find': {
        const isDone = cloud.primary.id !== primaryBefore?.id && cloud.primary.taskDefinitionArn === taskDefinitionArn
        return isDone ? onUpdateAccepted(row, cloud.primary.id, pace, now) : onUpdateNotFound(row, pace, now)
      }
      case 'locate':
        return onLocated(row, 'arn:sd/1', now)
      case 'observe':
        return this.look()
      case 'measure': {
        const seen = this.look()
        if (!mustMeasure(seen, now)) return seen
        const { check: outcome } = cloud
        return applyMeasurements(seen, [{ check: 'errors', outcome, message: 'measured' }], now)
      }
      case 'continue': {
        const isWaiting = cloud.awaiting()?.hookId === action.hookId
        const seen = this.look()
        if (!isWaiting || seen.status !== 'IN_PROGRESS') return seen
        expect(cloud.continue(action.hookId)).toBe(true)
        return onPauseContinued(seen, action.hookId, now)
      }
      case 'stop':
        cloud.stop()
        return onStopRequested(row, now)
      case 'run-command': {
        const { name } = commandAt(row)
        if (cloud.commands.has(name)) expect(action.look, 'a command that may run is looked for').toBe(true)
        return onCommandStarted(row, cloud.run(name), now)
      }
      case 'find-command': {
        const found = cloud.commands.get(commandAt(row).name)
        return found ? onCommandStarted(row, found.arn, now) : onCommandNotFound(row, pace, now)
      }
      case 'watch-command': {
        const seen = cloud.commandOf(row.progress.command?.taskArn ?? '')
        const task = seen && present({ hasEnded: seen.hasEnded, exitCode: seen.exitCode, reason: 'it ended' })
        return onCommandObserved(row, task, pace, now)
      }
      case 'stop-command': {
        const running = cloud.commandOf(row.progress.command?.taskArn ?? '')
        if (running) running.isStopping = true
        return onCommandStopRequested(row, now)
      }
    }
  }

  look(): EcsState {
    return onObserved(this.row, { snapshot: this.cloud.snapshot(this.now.getTime()) }, pace, this.now)
  }
}

const definitionOf = (arn: string): TaskDefinitionRecord => ({ arn, revision: 2, definition: {} })

export const command: Command = { container: 'web', overrides: {}, timeoutSeconds: 600 }

/** Runs without users until the deployment has ended, at most for a day, with checks measured up to every second. */
export function runOut(world: World): void {
  const patience = later(world.now, 86_400_000)
  for (let turns = 0; !isFinal(world.row.status) && world.now < patience && turns < 100_000; turns++) {
    world.start()
    world.advance()
    world.cloud.expire(world.now.getTime())
    world.cloud.step(world.now.getTime())
    world.passToWakeUp()
  }
}

/** Runs the worker and the cloud in turns until the deployment is at `step`. */
export function advanceToStep(world: World, step: EcsState['progress']['step']): void {
  world.start()
  for (let turn = 0; turn < 10 && world.row.progress.step !== step; turn++) world.advance()
  expect(world.row.progress.step).toBe(step)
}
