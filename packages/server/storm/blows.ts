import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Lines, Part, Role } from '../cluster/cluster.ts'
import { Random } from '../crash/random.ts'

export type BlowKind = 'kill' | 'freeze' | 'cut' | 'delay' | 'failover' | 'loss'

/** Injected fault with its target and time, in milliseconds of `performance.now()`. */
export type Blow = { kind: BlowKind; target: string; at: number }

/** Time without faults at the beginning, in milliseconds, to measure the undisturbed speed. */
const calmMs = 12_000
/** Time between two faults, in milliseconds. Faults can overlap. */
const between = { from: 1_000, below: 5_000 }
/**
 * Duration of a freeze, in milliseconds: shorter and longer than the 3 s after which a sweep considers a worker late.
 */
const frozenMs = { from: 500, below: 9_000 }
/**
 * Duration of a long freeze, in milliseconds: longer than the 15 s for which a worker trusts what it has read, and both
 * shorter and longer than the lease of a runner (30 s).
 */
const longFrozenMs = { from: 16_000, below: 40_000 }
const delayedMs = { from: 1_000, below: 8_000 }
const delayMs = { from: 20, below: 400 }

/** Fault to inject: into a process of a role, the database, or connections. */
type Card =
  | { kind: 'kill' | 'freeze'; at: Role | 'primary' }
  | { kind: 'kill'; at: 'standby' }
  | { kind: 'failover' }
  /** Loss of the standby with its disk. */
  | { kind: 'loss' }
  | { kind: 'cut' | 'delay' }

/** Faults of one round. The seed determines their order. */
const deck: Card[] = [
  { kind: 'kill', at: 'api' },
  { kind: 'kill', at: 'worker' },
  { kind: 'kill', at: 'worker' },
  { kind: 'kill', at: 'runner' },
  { kind: 'kill', at: 'engine' },
  { kind: 'kill', at: 'engine' },
  { kind: 'kill', at: 'cloud' },
  { kind: 'kill', at: 'primary' },
  { kind: 'kill', at: 'standby' },
  { kind: 'freeze', at: 'api' },
  { kind: 'freeze', at: 'worker' },
  { kind: 'freeze', at: 'worker' },
  { kind: 'freeze', at: 'runner' },
  { kind: 'freeze', at: 'engine' },
  { kind: 'freeze', at: 'cloud' },
  { kind: 'freeze', at: 'primary' },
  { kind: 'failover' },
  { kind: 'failover' },
  { kind: 'loss' },
  { kind: 'cut' },
  { kind: 'cut' },
  { kind: 'cut' },
  { kind: 'delay' },
  { kind: 'delay' },
]

/**
 * Injects faults until the signal, then waits until all processes have recovered. The seed determines targets, order
 * and times. A target that has not recovered is skipped.
 */
export async function injectFaults(cluster: Cluster<unknown>, seed: number, signal: AbortSignal): Promise<Blow[]> {
  const blows: Blow[] = []
  const inProgress = new Map<string, Promise<void>>()
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  await pause(calmMs)
  for (let number = 0; ; number += 1) {
    // One generator per fault, so that faults do not depend on the outcome of others.
    const random = new Random(seed * 1_000_003 + number)
    await pause(random.between(between.from, between.below))
    if (signal.aborted) break
    const card = cardAt(seed, number)
    const { target, deed } = aimed(cluster, card, random, pause)
    if (inProgress.has(target)) continue
    blows.push({ kind: card.kind, target, at: performance.now() })
    inProgress.set(
      target,
      deed().then(() => void inProgress.delete(target)),
    )
  }
  await Promise.all(inProgress.values())
  return blows
}

/** Returns the fault at a position. The order is shuffled for each round. */
function cardAt(seed: number, number: number): Card {
  const random = new Random(seed + Math.floor(number / deck.length))
  const shuffled = deck.map((card) => ({ card, place: random.next() })).toSorted((a, b) => a.place - b.place)
  return shuffled[number % deck.length]?.card ?? { kind: 'failover' }
}

type Aimed = { target: string; deed: () => Promise<unknown> }
type Pause = (ms: number) => Promise<unknown>

function aimed({ parts, lines, postgres }: Cluster<unknown>, card: Card, random: Random, pause: Pause): Aimed {
  const at = 'at' in card ? card.at : undefined
  if (card.kind === 'cut' || card.kind === 'delay') return atLine(lines, card.kind, random, pause)
  if ((card.kind === 'kill' || card.kind === 'freeze') && at !== 'primary' && at !== 'standby') {
    const struck = parts.filter(({ role }) => role === at)
    return atPart(pickFrom(struck, random), card.kind, random, pause)
  }
  // One at a time, because a pair of servers tolerates the loss of one.
  const isStillFirst = random.chance(0.5)
  const stillMs = random.between(frozenMs.from, frozenMs.below)
  const deeds = {
    /** Kills the primary, or freezes it until the standby replaces it. */
    async failover() {
      if (isStillFirst) {
        await postgres.freezePrimary()
        await pause(stillMs)
      }
      await postgres.failOver()
    },
    loss: () => postgres.loseStandby(),
    kill: () => postgres.restart(at === 'standby' ? postgres.standby : postgres.primary),
    async freeze() {
      const thaw = await postgres.freezePrimary()
      await pause(stillMs)
      await thaw()
    },
  }
  return { target: 'database', deed: deeds[card.kind] }
}

function atPart(part: Part, kind: 'kill' | 'freeze', random: Random, pause: Pause): Aimed {
  if (kind === 'kill') return { target: part.name, deed: () => part.kill() }
  const { from, below } = random.chance(0.15) ? longFrozenMs : frozenMs
  const stillMs = random.between(from, below)
  return {
    target: part.name,
    async deed() {
      part.freeze()
      await pause(stillMs)
      part.thaw()
    },
  }
}

function atLine(lines: Lines, kind: 'cut' | 'delay', random: Random, pause: Pause): Aimed {
  const [target, line] = pickFrom(Object.entries(lines), random)
  const share = random.pick([0.3, 1])
  if (kind === 'cut') return { target, deed: async () => line.cut(() => random.chance(share)) }
  const ms = random.between(delayMs.from, delayMs.below)
  const forMs = random.between(delayedMs.from, delayedMs.below)
  return {
    target,
    async deed() {
      line.delay(ms)
      await pause(forMs)
      line.delay(0)
    },
  }
}

function pickFrom<One>([first, ...others]: One[], random: Random): One {
  if (first === undefined) throw new Error('there is nothing to pick from')
  return random.pick([first, ...others])
}
