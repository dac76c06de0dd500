/** What a state file remembers of the clock: at wall-clock `wallMs` (offset included) the cloud stood at `cloudMs`. */
export interface ClockSetting {
  wallMs: number
  cloudMs: number
  speed: number
  offsetMs: number
  /** Where timestamps run as fast as cloud time: the moment when cloud time was 0 and timestamps were right. */
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
 * Two times side by side. *Cloud time* (milliseconds since the state began) runs `speed` times as fast as the wall and
 * is what every wait is measured in. *Timestamps* are wall-clock time plus the offset that `advance` adds up, so that a
 * deadline that was given out arrives when the reader's own clock says so. With an epoch they run as cloud time does,
 * for readers whose clock has the same speed and epoch.
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

  /** Cloud time as the wall has it, whatever moment is being lived. */
  reading(realMs = this.#wall()): number {
    const { wallMs, cloudMs, speed, offsetMs } = this.#setting
    return cloudMs + (realMs + offsetMs - wallMs) * speed
  }

  /** The moment that is being lived: while due things are caught up with, it is the one when each was due. */
  now(): number {
    return this.#held ?? this.reading()
  }

  /**
   * The timestamp (epoch milliseconds) of a moment in cloud time; of a past moment only while the speed is the same.
   */
  timestamp(cloudMs: number = this.now()): number {
    const { wallMs, cloudMs: base, speed, epochMs } = this.#setting
    if (epochMs !== undefined) return Math.round(epochMs + cloudMs)
    return Math.round(wallMs + (cloudMs - base) / speed)
  }

  /** Returns how much cloud time passes between two timestamps that are so many milliseconds apart. */
  cloudMsIn(timestampMs: number): number {
    const { speed, epochMs } = this.#setting
    return epochMs === undefined ? timestampMs * speed : timestampMs
  }

  /** Lives `work` as if it were `cloudMs`. */
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
    const realMs = this.#wall() // read once: a millisecond between two readings would move every deadline given out
    const cloudMs = this.reading(realMs) + jumpSeconds * 1000
    this.#setting = { ...this.#setting, wallMs: realMs + offsetMs, cloudMs, speed, offsetMs }
  }
}

/** How long until the wall clock reaches a moment in cloud time, in real milliseconds; 0 if it is past. */
export const realMsUntil = (clock: Clock, cloudMs: number) =>
  Math.max(0, (cloudMs - clock.reading()) / clock.setting.speed)
