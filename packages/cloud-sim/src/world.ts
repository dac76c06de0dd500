import { Clock, type ClockSetting, newClockSetting, realMsUntil, type WallClock } from './clock.ts'
import { type Indexes, type Row, Store, Table } from './store.ts'
import { Timers } from './timers.ts'
import { defaultTiming, type Timing } from './timing.ts'
import { calm, type Weather } from './weather.ts'

/** Settings that are one row each: the clock, the timing and the weather. */
interface Setting extends Row {
  clock?: ClockSetting
  timing?: Timing
  weather?: Weather
}

/** No more due timers at one go than this; then requests have their turn. */
const timersPerTurn = 2_000

/** What a part of the simulation keeps in a world: made when it is first asked for, once for each world. */
export function state<T>(make: (world: World) => T): (world: World) => T {
  const made = new WeakMap<World, { kept: T }>()
  return (world) => {
    const there = made.get(world) ?? { kept: make(world) }
    made.set(world, there)
    return there.kept
  }
}

/**
 * Everything the simulated cloud knows, and its passing of time. What is due happens in order, each thing at the moment
 * when it was due, before anything else looks at the world (`catchUp`).
 */
export class World {
  readonly store: Store
  readonly clock: Clock
  readonly #settings: Table<Setting>
  readonly #tables: { clear(): void }[] = []
  readonly #timers = new Timers()
  /** Whether no real time passes: due things happen only when the owner of its wall clock catches up with them. */
  readonly isManual: boolean
  #next: NodeJS.Timeout | undefined
  #nextAt: number | undefined
  readonly #closing = new AbortController()
  /** Aborted when the world closes. */
  readonly closing: AbortSignal = this.#closing.signal

  /**
   * `parts` load what the services keep, and begin to wait for what is due. With a `wall` clock of its own the world
   * sets no real timers.
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
   * A table that a reset empties. What is made in an eventual one may take its time to be seen: see `Weather`. Rows of
   * a large one are not copied when they are read: they are changed only together with their save.
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

  /** Lets `work` see only what has had the time to get around. */
  behind<T>(work: () => T): T {
    const { view } = this.store
    view.until = this.clock.now() - this.weather.consistencySeconds * 1000
    try {
      return work()
    } finally {
      view.until = Number.POSITIVE_INFINITY
    }
  }

  /** Cloud time `seconds` from now. */
  in(seconds: number): number {
    return this.clock.now() + seconds * 1000
  }

  /** The same as `run`, but if `work` throws, it has changed nothing. */
  transact<T>(work: () => T): Promise<T> {
    return this.run(() => this.store.atomically(work))
  }

  /** Brings the world to the present, then runs `work` in it and commits: the promise resolves with work on disk. */
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

  /** The timestamp of the next moment at which something is due; undefined if nothing is. */
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

  /** Forgets everything but the clock. */
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

  /** Sets the one real timer for the earliest thing that is due. */
  #schedule(): void {
    const at = this.#timers.nextAt()
    if (this.isManual || this.closing.aborted || at === undefined || at === this.#nextAt) return
    clearTimeout(this.#next)
    this.#nextAt = at
    // setTimeout holds at most 2^31-1 ms; a later moment is looked at again then
    this.#next = setTimeout(() => this.#tick(), Math.min(Math.ceil(realMsUntil(this.clock, at)), 2 ** 31 - 1))
  }

  #tick(): void {
    this.#nextAt = undefined
    this.catchUp(timersPerTurn)
    void this.store.commit().catch((error: unknown) => {
      throw error // the state file is lost: better to fall over than to go on in memory
    })
    this.#schedule()
  }
}
