import type { Logger } from 'pino'
import type { Archive } from './archive/archive.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/settings.ts'
import type { Keys } from './crypto/keys.ts'
import type { DeleteExpiredRecords } from './db/forgetting.ts'
import type { Database } from './db/open.ts'
import type { Ownership } from './db/ownership.ts'
import type { Sweep } from './db/sweeps.ts'
import type { Engine } from './engine/client.ts'
import type { OverdueSource } from './engine/overdue.ts'
import type { Timers } from './engine/timers.ts'
import type { WakeUps } from './engine/wake-ups.ts'
import type { Services } from './engine/worker.ts'
import type { App } from './http/app.ts'
import type { OwnRequests } from './http/own-requests.ts'
import type { OpenPage } from './http/pagination.ts'
import type { Limits } from './limits/limits.ts'
import type { LogArea } from './log/areas.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Declarations, dependentsIn } from './records.ts'
import type { Spans } from './traces/present.ts'

/** Shared components of a process, from which each domain builds its own. */
export type Platform = {
  domains: readonly Domain[]
  config: Config
  /**
   * `db` can access every organization. docs/architecture.md lists the code that receives it, and a test checks the
   * list.
   */
  database: Pick<Database, 'db' | 'ofOrganization'>
  engine: Engine & { knowsWorker(): Promise<boolean | undefined> }
  keys: Keys
  clock: Clock
  log: Logger
  logs: Record<LogArea, Logger>
  metrics: Metrics
  spans: Spans | undefined
  limits: Limits
  wakeUps: WakeUps
  archive: Archive | undefined
  openPage: OpenPage
  ownRequests: OwnRequests
  /** Whether all organizations belong to one tenant. */
  hasOneTenant: boolean
  /** Reports whether the process expects requests: it is ready and not stopping. */
  isWanted(): boolean
  isClockRight(): boolean | undefined
  /** Schedules `close` for after the stop of the engine, whose handlers use the resource until then. */
  closeAfterEngine(close: () => unknown): void
}

/** Domain of the server: its routes, background work and extensions. `domains.ts` lists all domains. */
export type Domain = {
  records?: Declarations
  /** Runs before any domain adds routes, for hooks that apply to the operations of all domains. */
  prepareApp?(app: App): void | Promise<void>
  serve(app: App, platform: Platform): void | Promise<void>
  /** Values that the domain registers with lower domains, which cannot import it. */
  extensions?(platform: Platform): Extension[]
  /** Runs before any part of the worker role starts. */
  prepareWork?(platform: Platform): Promise<void>
  /** Returns the background work of the domain; `undo` registers functions that stop it with the role. */
  work?(platform: Platform, worker: WorkerContext): Work
  /** Returns the functions that delete rows whose retention period has ended. */
  forget?(config: Config): DeleteExpiredRecords[]
  /** Functions that delete rows every minute, for rows that are needed for minutes only. */
  forgetEachMinute?: DeleteExpiredRecords[]
}

export type WorkerContext = { own: Ownership; timers: Timers; undo(stop: () => unknown): void }

export type Work = {
  objects?: ((clock: Clock) => Services[number])[]
  /** Queries for messages that may be lost, so that the reconciler resends them. */
  overdue?: OverdueSource[]
  sweeps?: Sweep[]
  /** Starts periodic tasks after the durable objects are registered with the engine. */
  tasks?: (() => { stop(): unknown } | undefined)[]
}

/** Value that a process builds once, on first use. */
export type Part<T> = {
  (platform: Platform): T
  /** Replaces the value in a test. */
  provide(platform: Platform, value: T): void
}

/** Defines a lazily built value of a process, for state that several features or roles share. */
export function part<T>(build: (platform: Platform) => T): Part<T> {
  const values = new WeakMap<Platform, T>()
  const find = (platform: Platform): T => {
    if (!values.has(platform)) values.set(platform, build(platform))
    return values.get(platform) as T
  }
  return Object.assign(find, { provide: (platform: Platform, value: T) => void values.set(platform, value) })
}

/** Defines a lazily built value that the operations of an app share. */
export function appPart<T>(build: (app: App, platform: Platform) => T): (app: App, platform: Platform) => T {
  const values = new WeakMap<App, T>()
  return (app, platform) => {
    if (!values.has(app)) values.set(app, build(app, platform))
    return values.get(app) as T
  }
}

/** Value that a domain registers at an extension point of a lower domain. */
export type Extension = { point: object; value: unknown }

/**
 * Extension point of a domain, where higher domains register subscribers of its events or implementations of its
 * queries.
 */
export type ExtensionPoint<T> = {
  extend(value: T): Extension
  /** Returns all registered values, in the order of the domains. */
  all(platform: Platform): T[]
  /** Returns the registered value. Throws unless there is exactly one. */
  one(platform: Platform): T
}

export const declarationsOf = part((platform) => platform.domains.flatMap(({ records = [] }) => records))

export const findDependentsOf = part((platform) => dependentsIn(declarationsOf(platform)))

const extensionsOf = part((platform) => platform.domains.flatMap((domain) => domain.extensions?.(platform) ?? []))

export function extensionPoint<T>(name: string): ExtensionPoint<T> {
  const point: ExtensionPoint<T> = {
    extend: (value) => ({ point, value }),
    all: (platform) =>
      extensionsOf(platform).flatMap((extension) => (extension.point === point ? [extension.value as T] : [])),
    one(platform) {
      const [value, ...others] = point.all(platform)
      if (value !== undefined && others.length === 0) return value
      throw new Error(`Exactly one domain must extend "${name}". Check the extensions in the domain.ts files.`)
    },
  }
  return point
}

/** Returns the components of the process that most operations need. */
export const operationParts = ({ engine, database, openPage, clock, log }: Platform) => ({
  engine,
  ofOrganization: database.ofOrganization,
  openPage,
  clock: clock.now,
  log,
})
