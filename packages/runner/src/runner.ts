import { mkdir, readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Assignment,
  AttemptName,
  Beaten,
  Claimed,
  Hello,
  Pace,
  RunnerTools,
} from '@sluice/contract/runner-protocol'
import { protocolVersion, runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { type ApiAway, ApiRefusal, type CallOptions, untilHeard } from './api/call.ts'
import { Lease } from './api/lease.ts'
import { CarriedOut, type CarryOutParts } from './carry-out.ts'
import { usualStopPace } from './programs/process.ts'
import { clearAttempt } from './programs/programs.ts'

export type RunnerParts = Omit<CarryOutParts, 'stopPace' | 'lease'> & {
  runnerId: string
  /** Lets it claim. */
  token: string
  version: string
  /** Where it keeps what belongs to its attempts. No other runner uses it. */
  directory: string
  /** How many steps it carries out at a time. */
  capacity: number
  /** What whoever started it says of it. */
  labels: string[]
  /** The iac tools that it has. */
  tools?: RunnerTools
  /** Whether it was started for one attempt: it ends with that, and stopping it ends the attempt. */
  isForOne?: boolean
  stopPace?: CarryOutParts['stopPace']
  /** How often it asks what became of its attempts, where what the API says is not right. Milliseconds. */
  heartbeatMs?: number | undefined
}

export interface Runner {
  /** Resolves when it has ended by itself, as one for a single attempt does. */
  over: Promise<void>
  /**
   * Takes no more steps. Finishes those it has for up to `drainMs`, 0 by default, and interrupts what is not over by
   * then. Without time to drain, it lets go of them instead: their programs run on, and the next start takes them up.
   */
  stop(options?: StopOptions): Promise<void>
}

export type StopOptions = { drainMs?: number }

/** How long a claim waits at the API for steps that are ready. Milliseconds. */
const claimWaitMs = 20_000
/** Beyond that, for the way there and back. Milliseconds. */
const answerWithinMs = claimWaitMs + 20_000

/** More than can end while an answer is on its way. */
const mostOver = 10_000

/** A claim names no more. */
const maxHolds = 1_000

/** Whoever stops us has little patience, and the API may be gone already. Milliseconds. */
const leaveWithinMs = 1_000

/** Starts a runner. When this returns, the API knows it. */
export async function startRunner(parts: RunnerParts): Promise<Runner> {
  await mkdir(parts.directory, { recursive: true, mode: 0o700 })
  const loop = new Loop(parts)
  const over = loop.run(await loop.hello())
  return {
    over,
    async stop({ drainMs = 0 } = {}) {
      if (parts.isForOne) return loop.interrupt(over)
      if (drainMs > 0) await loop.drain(drainMs)
      const kept = loop.stop()
      await over
      await loop.leave(kept)
    },
  }
}

class Loop {
  readonly #parts: RunnerParts & CarryOutParts
  /** By the names of their directories. */
  readonly #attempts = new Map<string, CarriedOut>()
  /**
   * The names of those that ended last: one may be given twice, by a claim and by the end of the step before it, and
   * the later of the answers be the slower.
   */
  readonly #over = new Set<string>()
  /** Those whose end the API did not take. They are named in claims, so that their leases run out. */
  readonly #givenUp = new Set<AttemptName>()
  #hasClaimed = false
  readonly #draining = new AbortController()
  readonly #stopping = new AbortController()
  #room = Promise.withResolvers<void>()
  /** Resolved whenever an attempt is over. */
  #ended = Promise.withResolvers<void>()

  constructor(parts: RunnerParts) {
    this.#parts = { ...parts, lease: new Lease(), stopPace: parts.stopPace ?? usualStopPace }
  }

  /** Says who it is; an API that is not there yet is waited for. */
  async hello(): Promise<Pace> {
    const { runnerId, version, capacity, labels, isolation, tools } = this.#parts
    const machine = hostname()
    const told = { version, capacity, labels, machine, isolation: isolation.kind, ...(tools && { tools }) }
    const hello: Hello = { runnerId, protocol: protocolVersion, ...told }
    return this.#untilHeard(() => this.#call<Pace>(runnerPaths.hello, hello))
  }

  /** Lets go of what it has; the names of the attempts that it goes on with when it is back. */
  stop(): AttemptName[] {
    const kept = this.#held()
    this.#stopping.abort()
    for (const attempt of this.#attempts.values()) attempt.leave()
    this.#room.resolve()
    return kept
  }

  /** Takes no more steps, and resolves when those it has are over; `withinMs` later they are interrupted. */
  async drain(withinMs: number): Promise<void> {
    this.#draining.abort()
    for (const attempt of this.#attempts.values()) attempt.takeNoNext()
    await this.leave(this.#held()) // what a claim brings in this moment goes to another runner
    this.#parts.log.info(
      { steps: this.#attempts.size },
      'the runner takes no more steps, and finishes those that it has',
    )
    const interrupt = () => {
      for (const attempt of this.#attempts.values()) attempt.end('interrupted')
    }
    const timer = Number.isFinite(withinMs) ? setTimeout(interrupt, withinMs) : undefined
    // Where the API is away for too long, it counts the steps as lost, and there is nothing left to finish.
    while (this.#attempts.size > 0 && !this.#parts.lease.hasRunOut()) {
      await Promise.race([this.#ended.promise, this.#pause(1_000)])
    }
    clearTimeout(timer)
  }

  /** Ends what it has, tells how far that came, and is over: nobody goes on with it. */
  async interrupt(over: Promise<void>): Promise<void> {
    for (const attempt of this.#attempts.values()) attempt.end('interrupted')
    if (this.#attempts.size === 0) this.stop()
    await over
  }

  /**
   * Says that it goes. Where that is not heard, what it was given in its last moment waits for the end of its lease.
   */
  async leave(held: AttemptName[]): Promise<void> {
    if (!this.#hasClaimed) return // which attempts it has from its last start, only the first claim tells
    const { call, token, runnerId, log } = this.#parts
    const attempts = [...held, ...this.#givenUp].slice(0, maxHolds)
    await call(runnerPaths.leave, token, { runnerId, attempts }, { withinMs: leaveWithinMs }).catch((error) =>
      log.warn({ err: error }, 'the API did not hear that the runner goes'),
    )
  }

  /** Claims, and looks after what was claimed, until it is stopped. */
  async run({ heartbeatMs, leaseMs }: Pace): Promise<void> {
    this.#parts.lease.durationMs = leaseMs
    await Promise.all([this.#keepClaiming(), this.#keepBeating(this.#parts.heartbeatMs ?? heartbeatMs)])
  }

  async #keepClaiming(): Promise<void> {
    for (let isFirst = true; !this.#stopping.signal.aborted; isFirst = false) {
      if (this.#draining.signal.aborted) return
      try {
        // The first claim is answered with what it had when it ended.
        await this.#claim(isFirst)
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        if (this.#draining.signal.aborted) return
        if (this.#parts.isForOne && error instanceof ApiRefusal) return this.#endByItself(error)
        this.#parts.log.warn({ err: error }, 'the runner could not claim steps')
        await this.#pause(1_000)
      }
      // The API answers at once where the attempt could not be handed out yet.
      if (this.#parts.isForOne && this.#attempts.size === 0) await this.#pause(1_000)
      while (this.#free() <= 0 && !this.#stopping.signal.aborted) {
        this.#room = Promise.withResolvers()
        await this.#room.promise
      }
    }
  }

  /** Its attempt is over, or was never to be had. */
  #endByItself(refusal: ApiRefusal): void {
    this.#parts.log.info({ refusal: refusal.message }, 'there is nothing more to do')
    this.stop()
  }

  #free(): number {
    return this.#parts.capacity - this.#attempts.size
  }

  async #claim(isFirst: boolean): Promise<void> {
    const { runnerId } = this.#parts
    const claim = {
      runnerId,
      most: Math.max(0, this.#free()),
      holds: [...this.#held(), ...this.#givenUp].slice(0, maxHolds),
      waitMs: isFirst ? 0 : claimWaitMs,
    }
    const signal = AbortSignal.any([this.#stopping.signal, this.#draining.signal])
    const { attempts } = await this.#untilHeard(
      () => this.#call<Claimed>(runnerPaths.claim, claim, { withinMs: answerWithinMs, signal }),
      signal,
    )
    this.#hasClaimed = true
    if (isFirst) await this.#clear(new Set(attempts.map(directoryOf)))
    for (const assignment of attempts) this.#begin(assignment)
  }

  /** Ends what is left of attempts that are not ours any more. */
  async #clear(known: Set<string>): Promise<void> {
    const { directory, isolation, log, stopPace } = this.#parts
    const left = (await readdir(directory).catch(() => [])).filter((name) => !known.has(name))
    for (const name of left) {
      clearAttempt(join(directory, name), stopPace, isolation).catch((error) =>
        log.warn({ err: error, attempt: name }, 'what an old attempt of a step has left could not be removed'),
      )
    }
    if (known.size + left.length > 0) log.info({ takenUp: known.size, removed: left.length }, 'the runner is back')
  }

  #begin(assignment: Assignment): void {
    if (this.#stopping.signal.aborted) return // it was claimed in the last moment, and is taken up at the next start
    if (this.#draining.signal.aborted) return void this.leave(this.#held())
    const name = directoryOf(assignment)
    if (this.#attempts.has(name) || this.#over.has(name)) return
    const attempt = new CarriedOut(this.#parts, assignment, join(this.#parts.directory, name))
    this.#attempts.set(name, attempt)
    const goOn = (next: Assignment) => this.#begin(next)
    void attempt.run(goOn).then((isOver) => {
      this.#attempts.delete(name)
      if (isOver) this.#rememberOver(name)
      else if (!this.#stopping.signal.aborted) this.#giveUp(nameOf(assignment))
      this.#room.resolve()
      this.#ended.resolve()
      this.#ended = Promise.withResolvers()
      if (this.#parts.isForOne) this.stop()
    })
  }

  /** The names of the attempts in its hands. */
  #held(): AttemptName[] {
    return [...this.#attempts.values()].map(({ assignment }) => nameOf(assignment))
  }

  #giveUp(attempt: AttemptName): void {
    this.#givenUp.add(attempt)
    setTimeout(() => this.#givenUp.delete(attempt), 2 * this.#parts.lease.durationMs).unref()
  }

  #rememberOver(name: string): void {
    this.#over.add(name)
    const [oldest] = this.#over
    if (this.#over.size > mostOver && oldest !== undefined) this.#over.delete(oldest)
  }

  async #keepBeating(heartbeatMs: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(heartbeatMs)
      if (this.#attempts.size === 0 || this.#stopping.signal.aborted) continue
      try {
        await this.#beat()
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        this.#parts.log.warn({ err: error }, 'the runner could not say that it is alive')
      }
    }
  }

  async #beat(): Promise<void> {
    const heartbeat = { runnerId: this.#parts.runnerId, attempts: this.#held() }
    const { attempts: verdicts } = await this.#call<Beaten>(runnerPaths.heartbeat, heartbeat).catch((error) => {
      if (error instanceof ApiRefusal) this.#parts.lease.extend() // the API is there
      throw error
    })
    this.#parts.lease.extend()
    for (const { verdict, ...name } of verdicts) {
      const attempt = this.#attempts.get(directoryOf(name))
      if (verdict === 'lost') attempt?.end('lost')
      if (verdict === 'stop') attempt?.end('stopped')
    }
  }

  #call<Answer>(path: (typeof runnerPaths)[keyof typeof runnerPaths], body: object, options: CallOptions = {}) {
    const { call, token } = this.#parts
    return call<Answer>(path, token, body, { signal: this.#stopping.signal, ...options })
  }

  #untilHeard<T>(call: () => Promise<T>, signal = this.#stopping.signal): Promise<T> {
    let isAway = false
    return untilHeard(call, signal, (error: ApiAway) => {
      if (!isAway) this.#parts.log.warn({ err: error }, 'the API is waited for')
      isAway = true
    })
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}

const nameOf = ({ id, attemptEpoch }: AttemptName): AttemptName => ({ id, attemptEpoch })

/** The name of an attempt's directory. */
const directoryOf = ({ id, attemptEpoch }: AttemptName): string => `${id}-${attemptEpoch}`
