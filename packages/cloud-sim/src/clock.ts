/** Persisted clock: at wall clock time `wallMs`, including the offset, cloud time was `cloudMs`. */
export interface ClockSetting {
  wallMs: number
  cloudMs: number
  speed: number
  offsetMs: number
  /** Time at which cloud time was 0, if timestamps run as fast as cloud time. */
  epochMs?: number
}

/** Returns the wall-clock time in epoch milliseconds. */
export type WallClock = () => number

export const newClockSetting = (speed: number, epochMs?: number): ClockSetting => ({
  wallMs: epochMs ?? Date.now(),
  cloudMs: 0,
  speed,
  offsetMs: 0,
  ...(epochMs !== undefined && { epochMs }),
})

/**
 * Clock with two times. *Cloud time* (milliseconds since the state was created) runs at `speed` times real time and
 * measures all durations. *Timestamps* are wall clock time plus the offset of `advance`, so that deadlines in responses
 * match the reader's clock. With an epoch, timestamps run like cloud time, for readers whose clock has the same speed
 * and epoch.
 */
export class Clock {
  #setting: ClockSetting
  readonly #wall: WallClock
  #held: number | undefined

  constructor(setting: ClockSetting, wall: WallClock = Date.now) {
    this.#setting = setting
    this.#wall = wall
  }

  get setting(): ClockSetting {
    return this.#setting
  }

  /** Returns the current cloud time, ignoring any event that is being replayed. */
  reading(realMs = this.#wall()): number {
    const { wallMs, cloudMs, speed, offsetMs } = this.#setting
    return cloudMs + (realMs + offsetMs - wallMs) * speed
  }

  /** Returns the current cloud time. While overdue events are processed, it is the time at which each was due. */
  now(): number {
    return this.#held ?? this.reading()
  }

  /**
   * Returns the timestamp of a cloud time, in epoch milliseconds. Past times are correct only while the speed is
   * unchanged.
   */
  timestamp(cloudMs: number = this.now()): number {
    const { wallMs, cloudMs: base, speed, epochMs } = this.#setting
    if (epochMs !== undefined) return Math.round(epochMs + cloudMs)
    return Math.round(wallMs + (cloudMs - base) / speed)
  }

  /** Converts a difference of timestamps to cloud time, in milliseconds. */
  cloudMsIn(timestampMs: number): number {
    const { speed, epochMs } = this.#setting
    return epochMs === undefined ? timestampMs * speed : timestampMs
  }

  /** Runs `work` with the given cloud time as the current time. */
  at(cloudMs: number, work: () => void): void {
    const before = this.#held
    this.#held = cloudMs
    try {
      work()
    } finally {
      this.#held = before
    }
  }

  advance(cloudSeconds: number): void {
    this.#rebase(
      this.#setting.speed,
      this.#setting.offsetMs + (cloudSeconds * 1000) / this.#setting.speed,
      cloudSeconds,
    )
  }

  changeSpeed(speed: number): void {
    this.#rebase(speed, this.#setting.offsetMs, 0)
  }

  #rebase(speed: number, offsetMs: number, jumpSeconds: number): void {
    const realMs = this.#wall() // read once, because a difference would shift every deadline in earlier responses
    const cloudMs = this.reading(realMs) + jumpSeconds * 1000
    this.#setting = { ...this.#setting, wallMs: realMs + offsetMs, cloudMs, speed, offsetMs }
  }
}

/** Returns the real milliseconds until a cloud time; 0 if it is past. */
export const realMsUntil = (clock: Clock, cloudMs: number) =>
  Math.max(0, (cloudMs - clock.reading()) / clock.setting.speed)
