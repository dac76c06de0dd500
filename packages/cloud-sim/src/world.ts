import { Clock, type ClockSetting, newClockSetting, realMsUntil, type WallClock } from './clock.ts'
import { type Indexes, type Row, Store, Table } from './store.ts'
import { Timers } from './timers.ts'
import { defaultTiming, type Timing } from './timing.ts'
import { calm, type Weather } from './weather.ts'

/** Row with one of the settings: clock, timing or random faults. */
interface Setting extends Row {
  clock?: ClockSetting
  timing?: Timing
  weather?: Weather
}

/** Maximum number of due timers to process before requests get their turn. */
const timersPerTurn = 2_000

/** Defines a part of the state, which is created once per state on first use. */
export function defineState<T>(make: (world: World) => T): (world: World) => T {
  const made = new WeakMap<World, { kept: T }>()
  return (world) => {
    const there = made.get(world) ?? { kept: make(world) }
    made.set(world, there)
    return there.kept
  }
}

/**
 * State of the simulated cloud and its timed events. Due events are processed in order, each at its own time, before
 * anything else reads the state (`catchUp`).
 */
export class World {
  readonly store: Store
  readonly clock: Clock
  readonly #settings: Table<Setting>
  readonly #tables: { clear(): void }[] = []
  readonly #timers = new Timers()
  /** Whether no real time passes: events are processed only on `catchUp`. */
  readonly isManual: boolean
  #next: NodeJS.Timeout | undefined
  #nextAt: number | undefined
  readonly #closing = new AbortController()
  /** Aborted when the state is closed. */
  readonly closing: AbortSignal = this.#closing.signal

  /**
   * Opens the state. `parts` load the services' tables and register timers. With a `wall` clock, no real timers are
   * set.
   */
  constructor(
    stateFile: string,
    { speed, epochMs, wall }: { speed: number; epochMs?: number | undefined; wall?: WallClock },
    parts: Iterable<(world: World) => unknown>,
  ) {
    this.isManual = wall !== undefined
    this.store = new Store(stateFile, this.#timers)
    this.#settings = new Table<Setting>(this.store, 'setting')
    const clock = this.#settings.get('clock')?.clock
    this.clock = new Clock(clock ?? newClockSetting(speed, epochMs), wall)
    if (this.clock.setting.speed !== speed) this.clock.changeSpeed(speed)
    this.#saveClock()
    this.store.view.now = () => this.clock.now()
    for (const part of parts) part(this)
    this.#schedule()
  }

  /**
   * Adds a table that a reset empties. Rows of an eventual table become visible with a delay, see `Weather`. Rows of a
   * large table are not copied when read and must be saved with every change.
   */
  table<T extends Row>(
    kind: string,
    indexes: Indexes<T> = {},
    options: { isEventual?: boolean; isLarge?: boolean } = {},
  ): Table<T> {
    const table = new Table<T>(this.store, kind, indexes, options)
    this.#tables.push(table)
    return table
  }

  get timing(): Timing {
    return { ...defaultTiming, ...this.#settings.get('timing')?.timing }
  }

  changeTiming(changes: Partial<Timing>): void {
    this.#settings.save({ key: 'timing', timing: { ...this.timing, ...changes } })
  }

  get weather(): Weather {
    return this.#settings.get('weather')?.weather ?? calm
  }

  changeWeather(changes: Partial<Weather>): void {
    this.#settings.save({ key: 'weather', weather: { ...this.weather, ...changes } })
  }

  /** Runs `work` with eventual consistency: recent rows are invisible. */
  behind<T>(work: () => T): T {
    const { view } = this.store
    view.until = this.clock.now() - this.weather.consistencySeconds * 1000
    try {
      return work()
    } finally {
      view.until = Number.POSITIVE_INFINITY
    }
  }

  /** Returns the cloud time in `seconds`. */
  in(seconds: number): number {
    return this.clock.now() + seconds * 1000
  }

  /** Like `run`, but atomic: if `work` throws, it has changed nothing. */
  transact<T>(work: () => T): Promise<T> {
    return this.run(() => this.store.atomically(work))
  }

  /** Processes due events, then runs `work` and resolves once its changes are stored. */
  async run<T>(work: () => T): Promise<T> {
    this.catchUp()
    try {
      return work()
    } finally {
      this.#schedule()
      await this.store.commit()
    }
  }

  catchUp(limit = Number.POSITIVE_INFINITY): void {
    const until = this.clock.reading()
    for (let rung = 0; rung < limit; rung++) {
      const timer = this.#timers.takeDue(until)
      if (!timer) return
      this.clock.at(timer.at, () => timer.ring(timer.at))
    }
  }

  /** Returns the timestamp of the next due event, or undefined. */
  nextDueAt(): number | undefined {
    const at = this.#timers.nextAt()
    return at === undefined ? undefined : this.clock.timestamp(at)
  }

  advance(seconds: number): void {
    this.catchUp()
    this.clock.advance(seconds)
    this.#saveClock()
    this.catchUp()
  }

  changeSpeed(speed: number): void {
    this.catchUp()
    this.clock.changeSpeed(speed)
    this.#saveClock()
    this.#nextAt = undefined
  }

  /** Resets everything but the clock. */
  reset(): void {
    for (const table of this.#tables) table.clear()
    for (const key of ['timing', 'weather']) this.#settings.remove({ key })
    this.#timers.clear()
  }

  close(): void {
    this.#closing.abort()
    clearTimeout(this.#next)
    this.store.close()
  }

  #saveClock(): void {
    this.#settings.save({ key: 'clock', clock: this.clock.setting })
  }

  /** Sets the one real timer for the next due event. */
  #schedule(): void {
    const at = this.#timers.nextAt()
    if (this.isManual || this.closing.aborted || at === undefined || at === this.#nextAt) return
    clearTimeout(this.#next)
    this.#nextAt = at
    // setTimeout is limited to 2^31-1 ms; a later event is rescheduled then
    this.#next = setTimeout(() => this.#tick(), Math.min(Math.ceil(realMsUntil(this.clock, at)), 2 ** 31 - 1))
  }

  #tick(): void {
    this.#nextAt = undefined
    this.catchUp(timersPerTurn)
    void this.store.commit().catch((error: unknown) => {
      throw error // the state file is lost: crash rather than continue in memory
    })
    this.#schedule()
  }
}
