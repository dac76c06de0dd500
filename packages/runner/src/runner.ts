import { mkdir, readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AcquireAttemptsResponse,
  Assignment,
  AttemptName,
  HeartbeatResponse,
  RegisterRunner,
  RunnerIntervals,
  RunnerTools,
} from '@sluice/contract/runner-protocol'
import { protocolVersion, runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { ApiError, type ApiUnavailable, type CallOptions, retryUntilAnswered } from './api/call.ts'
import { Lease } from './api/lease.ts'
import { AttemptExecution, type AttemptExecutionParts } from './attempt-execution.ts'
import { defaultStopTimeouts } from './programs/process.ts'
import { removeAttempt } from './programs/programs.ts'

export type RunnerParts = Omit<AttemptExecutionParts, 'stopTimeouts' | 'lease'> & {
  runnerId: string
  /** Token to lease steps with. */
  token: string
  version: string
  /** Parent of the attempts' directories. No other runner uses it. */
  directory: string
  /** Maximum number of concurrent steps. */
  capacity: number
  /** Labels that the operator gave the runner. */
  labels: string[]
  /** Versions of the installed iac tools. */
  tools?: RunnerTools
  /** Whether the runner exits after one attempt. Stopping it ends the attempt. */
  isEphemeral?: boolean
  stopTimeouts?: AttemptExecutionParts['stopTimeouts']
  /** Heartbeat interval, if not the one that the API returns. */
  heartbeatMs?: number | undefined
}

export interface Runner {
  /** Resolves when the runner has ended without `stop`, as an ephemeral one does. */
  finished: Promise<void>
  /**
   * Leases no more steps. Finishes current steps for up to `drainMs`, 0 by default, then interrupts the rest. With a
   * `drainMs` of 0, detaches instead: programs keep running and the next start resumes them.
   */
  stop(options?: StopOptions): Promise<void>
}

export type StopOptions = { drainMs?: number }

/** How long the API may hold a claim open while no step is ready. */
const claimWaitMs = 20_000
/** Timeout of a claim: adds time for the network. */
const claimTimeoutMs = claimWaitMs + 20_000

/** More attempts than can end while a response is in transit. */
const maxFinished = 10_000

/** Maximum number of attempts in a claim. */
const maxHolds = 1_000

/** Short, because the supervisor may kill the runner soon and the API may already be down. */
const leaveTimeoutMs = 1_000

/** Starts a runner. Returns after the runner has registered with the API. */
export async function startRunner(parts: RunnerParts): Promise<Runner> {
  await mkdir(parts.directory, { recursive: true, mode: 0o700 })
  const loop = new RunnerLoop(parts)
  const finished = loop.run(await loop.register())
  return {
    finished,
    async stop({ drainMs = 0 } = {}) {
      if (parts.isEphemeral) return loop.interrupt(finished)
      if (drainMs > 0) await loop.drain(drainMs)
      const heldAttempts = loop.detachAll()
      await finished
      await loop.announceLeave(heldAttempts)
    },
  }
}

class RunnerLoop {
  readonly #parts: RunnerParts & AttemptExecutionParts
  /** By the name of the attempt's directory. */
  readonly #attempts = new Map<string, AttemptExecution>()
  /**
   * Names of recently finished attempts. A claim and the settlement of the step before can both return an attempt, and
   * the second response may arrive after the attempt has ended.
   */
  readonly #finished = new Set<string>()
  /** Attempts whose outcome the API did not accept. Claims list them, so that the API lets their leases expire. */
  readonly #unsettled = new Set<AttemptName>()
  #hasClaimed = false
  readonly #draining = new AbortController()
  readonly #stopping = new AbortController()
  #capacityFreed = Promise.withResolvers<void>()
  /** Resolved each time an attempt has ended. */
  #attemptEnded = Promise.withResolvers<void>()

  constructor(parts: RunnerParts) {
    this.#parts = { ...parts, lease: new Lease(), stopTimeouts: parts.stopTimeouts ?? defaultStopTimeouts }
  }

  /** Registers the runner; retries while the API is unavailable. */
  async register(): Promise<RunnerIntervals> {
    const { runnerId, version, capacity, labels, isolation, tools } = this.#parts
    const machine = hostname()
    const description = { version, capacity, labels, machine, isolation: isolation.kind, ...(tools && { tools }) }
    const hello: RegisterRunner = { runnerId, protocol: protocolVersion, ...description }
    return this.#retryUntilAnswered(() => this.#call<RunnerIntervals>(runnerPaths.hello, hello))
  }

  /** Detaches from all attempts. Returns their names; the next start resumes them. */
  detachAll(): AttemptName[] {
    const heldAttempts = this.#heldAttempts()
    this.#stopping.abort()
    for (const attempt of this.#attempts.values()) attempt.detach()
    this.#capacityFreed.resolve()
    return heldAttempts
  }

  /** Stops leasing steps and resolves when the current ones have ended. Interrupts them after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining.abort()
    for (const attempt of this.#attempts.values()) attempt.declineNextStep()
    await this.announceLeave(this.#heldAttempts()) // a step that a claim returns now goes to another runner
    this.#parts.log.info(
      { steps: this.#attempts.size },
      'draining: the runner leases no more steps and finishes its own',
    )
    const interrupt = () => {
      for (const attempt of this.#attempts.values()) attempt.end('interrupted')
    }
    const timer = Number.isFinite(timeoutMs) ? setTimeout(interrupt, timeoutMs) : undefined
    // If the API is unavailable for longer than a lease, it counts the steps as lost. Nothing is left to finish.
    while (this.#attempts.size > 0 && !this.#parts.lease.hasExpired()) {
      await Promise.race([this.#attemptEnded.promise, this.#pause(1_000)])
    }
    clearTimeout(timer)
  }

  /** Interrupts all attempts, reports their outcome, and ends. No runner resumes them. */
  async interrupt(finished: Promise<void>): Promise<void> {
    for (const attempt of this.#attempts.values()) attempt.end('interrupted')
    if (this.#attempts.size === 0) this.detachAll()
    await finished
  }

  /**
   * Tells the API that the runner leaves. If the call fails, steps leased at the last moment wait for their lease to
   * end.
   */
  async announceLeave(held: AttemptName[]): Promise<void> {
    if (!this.#hasClaimed) return // only the first claim returns the attempts of the last start
    const { call, token, runnerId, log } = this.#parts
    const attempts = [...held, ...this.#unsettled].slice(0, maxHolds)
    await call(runnerPaths.leave, token, { runnerId, attempts }, { timeoutMs: leaveTimeoutMs }).catch((error) =>
      log.warn({ err: error }, 'could not tell the API that the runner leaves'),
    )
  }

  /** Leases steps and sends heartbeats until the runner is stopped. */
  async run({ heartbeatMs, leaseMs }: RunnerIntervals): Promise<void> {
    this.#parts.lease.durationMs = leaseMs
    await Promise.all([this.#leaseLoop(), this.#heartbeatLoop(this.#parts.heartbeatMs ?? heartbeatMs)])
  }

  async #leaseLoop(): Promise<void> {
    for (let isFirst = true; !this.#stopping.signal.aborted; isFirst = false) {
      if (this.#draining.signal.aborted) return
      try {
        // The first claim returns the attempts that the runner had at its last exit.
        await this.#leaseSteps(isFirst)
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        if (this.#draining.signal.aborted) return
        if (this.#parts.isEphemeral && error instanceof ApiError) return this.#endEphemeral(error)
        this.#parts.log.warn({ err: error }, 'could not lease steps')
        await this.#pause(1_000)
      }
      // The API responds at once if the attempt of an ephemeral runner is not ready yet.
      if (this.#parts.isEphemeral && this.#attempts.size === 0) await this.#pause(1_000)
      while (this.#freeCapacity() <= 0 && !this.#stopping.signal.aborted) {
        this.#capacityFreed = Promise.withResolvers()
        await this.#capacityFreed.promise
      }
    }
  }

  /** Ends an ephemeral runner: its attempt is over or was never available. */
  #endEphemeral(error: ApiError): void {
    this.#parts.log.info({ reason: error.message }, 'the API has no step for this runner')
    this.detachAll()
  }

  #freeCapacity(): number {
    return this.#parts.capacity - this.#attempts.size
  }

  async #leaseSteps(isFirst: boolean): Promise<void> {
    const { runnerId } = this.#parts
    const claim = {
      runnerId,
      most: Math.max(0, this.#freeCapacity()),
      holds: [...this.#heldAttempts(), ...this.#unsettled].slice(0, maxHolds),
      waitMs: isFirst ? 0 : claimWaitMs,
    }
    const signal = AbortSignal.any([this.#stopping.signal, this.#draining.signal])
    const { attempts } = await this.#retryUntilAnswered(
      () => this.#call<AcquireAttemptsResponse>(runnerPaths.claim, claim, { timeoutMs: claimTimeoutMs, signal }),
      signal,
    )
    this.#hasClaimed = true
    if (isFirst) await this.#removeOldAttempts(new Set(attempts.map(toDirectoryName)))
    for (const assignment of attempts) this.#start(assignment)
  }

  /** Ends programs and removes files of attempts that are no longer ours. */
  async #removeOldAttempts(leased: Set<string>): Promise<void> {
    const { directory, isolation, log, stopTimeouts } = this.#parts
    const leftovers = (await readdir(directory).catch(() => [])).filter((name) => !leased.has(name))
    for (const name of leftovers) {
      removeAttempt(join(directory, name), stopTimeouts, isolation).catch((error) =>
        log.warn({ err: error, attempt: name }, 'could not remove the files of an old attempt'),
      )
    }
    if (leased.size + leftovers.length > 0)
      log.info({ takenUp: leased.size, removed: leftovers.length }, 'the runner has restarted')
  }

  #start(assignment: Assignment): void {
    if (this.#stopping.signal.aborted) return // leased at the last moment: the next start resumes it
    if (this.#draining.signal.aborted) return void this.announceLeave(this.#heldAttempts())
    const name = toDirectoryName(assignment)
    if (this.#attempts.has(name) || this.#finished.has(name)) return
    const attempt = new AttemptExecution(this.#parts, assignment, join(this.#parts.directory, name))
    this.#attempts.set(name, attempt)
    const onNextStep = (next: Assignment) => this.#start(next)
    void attempt.run(onNextStep).then((isOver) => {
      this.#attempts.delete(name)
      if (isOver) this.#rememberFinished(name)
      else if (!this.#stopping.signal.aborted) this.#markUnsettled(toAttemptName(assignment))
      this.#capacityFreed.resolve()
      this.#attemptEnded.resolve()
      this.#attemptEnded = Promise.withResolvers()
      if (this.#parts.isEphemeral) this.detachAll()
    })
  }

  /** Returns the names of the current attempts. */
  #heldAttempts(): AttemptName[] {
    return [...this.#attempts.values()].map(({ assignment }) => toAttemptName(assignment))
  }

  #markUnsettled(attempt: AttemptName): void {
    this.#unsettled.add(attempt)
    setTimeout(() => this.#unsettled.delete(attempt), 2 * this.#parts.lease.durationMs).unref()
  }

  #rememberFinished(name: string): void {
    this.#finished.add(name)
    const [oldest] = this.#finished
    if (this.#finished.size > maxFinished && oldest !== undefined) this.#finished.delete(oldest)
  }

  async #heartbeatLoop(heartbeatMs: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(heartbeatMs)
      if (this.#attempts.size === 0 || this.#stopping.signal.aborted) continue
      try {
        await this.#sendHeartbeat()
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        this.#parts.log.warn({ err: error }, 'could not send a heartbeat')
      }
    }
  }

  async #sendHeartbeat(): Promise<void> {
    const heartbeat = { runnerId: this.#parts.runnerId, attempts: this.#heldAttempts() }
    const { attempts: verdicts } = await this.#call<HeartbeatResponse>(runnerPaths.heartbeat, heartbeat).catch(
      (error) => {
        if (error instanceof ApiError) this.#parts.lease.extend() // the API is reachable
        throw error
      },
    )
    this.#parts.lease.extend()
    for (const { verdict, ...name } of verdicts) {
      const attempt = this.#attempts.get(toDirectoryName(name))
      if (verdict === 'lost') attempt?.end('lost')
      if (verdict === 'stop') attempt?.end('stopped')
    }
  }

  #call<Answer>(path: (typeof runnerPaths)[keyof typeof runnerPaths], body: object, options: CallOptions = {}) {
    const { call, token } = this.#parts
    return call<Answer>(path, token, body, { signal: this.#stopping.signal, ...options })
  }

  #retryUntilAnswered<T>(call: () => Promise<T>, signal = this.#stopping.signal): Promise<T> {
    let isAway = false
    return retryUntilAnswered(call, signal, (error: ApiUnavailable) => {
      if (!isAway) this.#parts.log.warn({ err: error }, 'the API is unavailable; retrying')
      isAway = true
    })
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}

const toAttemptName = ({ id, attemptEpoch }: AttemptName): AttemptName => ({ id, attemptEpoch })

/** Returns the name of an attempt's directory. */
const toDirectoryName = ({ id, attemptEpoch }: AttemptName): string => `${id}-${attemptEpoch}`
