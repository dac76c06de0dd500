import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Part, Role } from '../cluster/cluster.ts'
import type { Random } from '../crash/random.ts'

export type BlowKind = 'kill' | 'freeze' | 'cut' | 'delay' | 'failover'

/** What happened to whom, and when: milliseconds of `performance.now()`. */
export type Blow = { kind: BlowKind; target: string; at: number }

/** Milliseconds between two blows, of which several may be under way. */
const between = { from: 1_000, below: 5_000 }
/**
 * So long processes stand still: shorter than a lease of a runner (30 s), and both shorter and longer than the 3 s after
 * which a sweep takes a worker for late.
 */
const frozenMs = { from: 500, below: 9_000 }
const delayedMs = { from: 1_000, below: 8_000 }
const mostDelayMs = 400

/** How often what is struck, beside each other. */
const shares: [share: number, blow: 'part' | 'database' | 'line'][] = [
  [0.55, 'part'],
  [0.2, 'database'],
  [0.25, 'line'],
]
const roles: [Role, ...Role[]] = ['api', 'worker', 'worker', 'runner', 'engine', 'engine', 'cloud']

/** Strikes at random until the signal, then waits until all is thawed, led and started again. */
export async function strike(cluster: Cluster<unknown>, random: Random, signal: AbortSignal): Promise<Blow[]> {
  const blows: Blow[] = []
  const underWay = new Map<string, Promise<void>>()
  const begin = (kind: BlowKind, target: string, deed: () => Promise<unknown>): void => {
    if (underWay.has(target)) return // it has enough
    blows.push({ kind, target, at: performance.now() })
    if (process.env.STORM_LOG) console.log(`${new Date().toISOString()} ${kind} ${target}`)
    underWay.set(
      target,
      deed().then(() => void underWay.delete(target)),
    )
  }
  while (!signal.aborted) {
    await sleep(random.between(between.from, between.below), undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    const what = drawn(random)
    if (what === 'part') strikePart(cluster.parts, random, begin)
    if (what === 'line') strikeLine(cluster, random, begin)
    if (what === 'database') strikeDatabase(cluster, random, begin)
  }
  await Promise.all(underWay.values())
  return blows
}

type Begin = (kind: BlowKind, target: string, deed: () => Promise<unknown>) => void

function strikePart(parts: Part[], random: Random, begin: Begin): void {
  const role = random.pick(roles)
  const part = pickFrom(
    parts.filter((one) => one.role === role),
    random,
  )
  if (random.chance(0.6)) begin('kill', part.name, () => part.kill())
  else
    begin('freeze', part.name, async () => {
      part.freeze()
      await sleep(random.between(frozenMs.from, frozenMs.below))
      part.thaw()
    })
}

function strikeLine({ lines }: Cluster<unknown>, random: Random, begin: Begin): void {
  const [name, line] = pickFrom(Object.entries(lines), random)
  const share = random.pick([0.3, 1])
  if (random.chance(0.6)) begin('cut', name, async () => line.cut(() => random.chance(share)))
  else
    begin('delay', name, async () => {
      line.delay(random.between(20, mostDelayMs))
      await sleep(random.between(delayedMs.from, delayedMs.below))
      line.delay(0)
    })
}

/** One at a time: a pair of servers bears the loss of one. */
function strikeDatabase({ postgres }: Cluster<unknown>, random: Random, begin: Begin): void {
  const how = random.pick(['failover', 'failover', 'primary', 'standby', 'freeze'])
  if (how === 'failover') begin('failover', 'database', () => postgres.failOver())
  else if (how === 'primary') begin('kill', 'database', () => postgres.restart(postgres.primary))
  else if (how === 'standby') begin('kill', 'database', () => postgres.restart(postgres.standby))
  else
    begin('freeze', 'database', async () => {
      const thaw = await postgres.freezePrimary()
      await sleep(random.between(frozenMs.from, frozenMs.below))
      await thaw()
    })
}

function pickFrom<One>([first, ...others]: One[], random: Random): One {
  if (first === undefined) throw new Error('there is nothing to pick from')
  return random.pick([first, ...others])
}

function drawn(random: Random): 'part' | 'database' | 'line' {
  let rest = random.next()
  for (const [share, blow] of shares) {
    if (rest < share) return blow
    rest -= share
  }
  return 'line'
}
