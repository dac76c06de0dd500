import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StepType } from '../pipeline-versions/config/schema.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { CarriedOut, type CarryOutParts } from './carry-out.ts'
import { attemptsOf, claimSteps, extendLeases, lookAfter, noteLockedStacks } from './claim.ts'
import { usualStopPace } from './process.ts'
import { clearAttempt } from './programs.ts'

export type RunnerPace = {
  /** How often it looks for steps and for what became of those it has, where nobody tells it. */
  lookMs: number
  /** How often it says that it is alive. */
  heartbeatMs: number
  /** How long after that it is taken for dead. */
  leaseMs: number
}

const usualPace: RunnerPace = { lookMs: 500, heartbeatMs: 5_000, leaseMs: 30_000 }

export type RunnerParts = Omit<CarryOutParts, 'stopPace'> & {
  runnerId: string
  /** Where it keeps what belongs to its attempts. No other runner uses it. */
  directory: string
  /** How many steps it carries out at a time. */
  capacity: number
  pace?: RunnerPace
  stopPace?: CarryOutParts['stopPace']
}

export interface Runner {
  /** Makes it look for steps at once. */
  poke(): void
  /** Takes no more steps and lets go of those it has. Their programs run on; the next start takes them up again. */
  stop(): Promise<void>
}

/** Starts a runner. When this returns, the attempts that it had before are its own again. */
export async function startRunner(parts: RunnerParts): Promise<Runner> {
  const loop = new Loop(parts)
  await loop.takeUp()
  const over = loop.run()
  return {
    poke: () => loop.poke(),
    async stop() {
      loop.stop()
      await over
    },
  }
}

class Loop {
  readonly #parts: RunnerParts & CarryOutParts
  readonly #pace: RunnerPace
  readonly #stepTypes: StepType[]
  /** By the names of their directories. */
  readonly #attempts = new Map<string, CarriedOut>()
  #poked = Promise.withResolvers<void>()
  #isStopping = false
  #lookDueMs = 0
  #heartbeatDueMs = 0

  constructor(parts: RunnerParts) {
    this.#parts = { ...parts, stopPace: parts.stopPace ?? usualStopPace }
    this.#pace = parts.pace ?? usualPace
    this.#stepTypes = Object.keys(parts.works) as StepType[]
  }

  poke(): void {
    this.#poked.resolve()
  }

  stop(): void {
    this.#isStopping = true
    for (const attempt of this.#attempts.values()) attempt.leave()
    this.poke()
  }

  /** Goes on with the attempts that it had when it ended, and ends what is left of others. */
  async takeUp(): Promise<void> {
    const { db, runnerId, directory, stopPace, log } = this.#parts
    const steps = await attemptsOf(db, runnerId)
    await this.#extendLeases(steps.map(({ id }) => id))
    const known = new Set(steps.map(nameOf))
    const left = (await readdir(directory).catch(() => [])).filter((name) => !known.has(name))
    for (const name of left) {
      clearAttempt(join(directory, name), stopPace).catch((error) =>
        log.warn({ err: error, attempt: name }, 'what an old attempt of a step has left could not be removed'),
      )
    }
    for (const step of steps) this.#begin(step)
    if (steps.length + left.length > 0) log.info({ takenUp: steps.length, removed: left.length }, 'the runner is back')
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#poked = Promise.withResolvers()
      try {
        await this.#look()
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'the runner could not look for steps')
      }
      if (!this.#isStopping) await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    const timer = setTimeout(() => this.poke(), Math.max(0, this.#lookDueMs - performance.now()))
    await this.#poked.promise
    clearTimeout(timer)
  }

  async #look(): Promise<void> {
    const { db, capacity } = this.#parts
    // A poke is about steps that are ready, or about an attempt that has ended and made room.
    const isDue = performance.now() >= this.#lookDueMs
    if (isDue) this.#lookDueMs = performance.now() + this.#pace.lookMs
    if (isDue && this.#attempts.size > 0) await this.#lookAfterAttempts()
    if (performance.now() >= this.#heartbeatDueMs) {
      // By name: a step whose claim was granted while the answer was lost is nobody's, and its lease is to run out.
      await this.#extendLeases([...this.#attempts.values()].map(({ key }) => key.id))
    }
    const free = capacity - this.#attempts.size
    if (free > 0 && !this.#isStopping) await this.#claim(free)
    if (isDue) await noteLockedStacks(db, this.#stepTypes)
  }

  async #lookAfterAttempts(): Promise<void> {
    const { db, runnerId } = this.#parts
    const attempts = [...this.#attempts.values()]
    const held = await lookAfter(db, runnerId)
    for (const attempt of attempts) {
      const seen = held.find(
        ({ id, attemptEpoch }) => id === attempt.key.id && attemptEpoch === attempt.key.attemptEpoch,
      )
      if (!seen) attempt.end('lost')
      else if (seen.isToStop) attempt.end('stopped')
    }
  }

  async #extendLeases(ids: string[]): Promise<void> {
    const { db, runnerId, clock } = this.#parts
    if (ids.length > 0) await extendLeases(db, runnerId, ids, this.#leaseUntil(clock()))
    this.#heartbeatDueMs = performance.now() + this.#pace.heartbeatMs
  }

  async #claim(most: number): Promise<void> {
    const { db, runnerId, clock } = this.#parts
    const now = clock()
    const claimant = { runnerId, stepTypes: this.#stepTypes, leaseUntil: this.#leaseUntil(now), now }
    for (const step of await claimSteps(db, claimant, most)) this.#begin(step)
  }

  #leaseUntil(now: Date): Date {
    return new Date(now.getTime() + this.#pace.leaseMs)
  }

  #begin(step: PipelineStepExecutionRow): void {
    if (this.#isStopping) return // it was claimed in the last moment, and is taken up at the next start
    const name = nameOf(step)
    const attempt = new CarriedOut(this.#parts, step, join(this.#parts.directory, name))
    this.#attempts.set(name, attempt)
    void attempt.run().then(() => {
      this.#attempts.delete(name)
      this.poke()
    })
  }
}

/** The name of an attempt's directory. */
const nameOf = ({ id, attemptEpoch }: PipelineStepExecutionRow): string => `${id}-${attemptEpoch}`
