import type { Limits } from './limits.ts'
import type { Tenancy } from './permission.ts'
import type { Watched, WatchedLimit } from './watch.ts'

export type { Result } from './read-result.ts'

/** What the operator asks for; `auto` takes bubblewrap where it works. */
export type IsolationWish = 'auto' | 'bubblewrap' | 'none'

/** What the operator asks for of the network; `auto` is a network of their own where that works. */
export type NetworkWish = 'auto' | 'own' | 'host'

export type IsolationSettings = {
  wish: IsolationWish
  network: NetworkWish
  limits: Limits
  /** Of the API. */
  url: string
  /** Folders beside those of the system that programs may read: where tools are. Absolute. */
  toolFolders: readonly string[]
  /**
   * Addresses on this machine's loopback (`127.0.0.1:4600`) that programs may call: the API, and what the operator
   * lists.
   */
  endpoints: readonly string[]
  /** Where the runner keeps its attempts. */
  directory: string
}

/** One program of an attempt. Paths are absolute, and the same inside and outside. */
export type Program = {
  /** Whose it is. */
  organizationId: string
  /** What no other attempt is called: programs of one share what others do not. */
  attempt: string
  argv: readonly [string, ...string[]]
  cwd: string
  /** All of its environment. */
  env: Readonly<Record<string, string>>
  /** A folder of the runner's for what is written down about this program; the program does not see it. */
  records: string
  /** The only folders that it may write to. */
  writable: readonly string[]
  /** What it finds at `/tmp`. One of the attempt's, so that it is on disk, counted, and gone with it. */
  temporary: string
  /** Files and folders that it may read beside the system's, such as a plug-in cache that Sluice has filled. */
  readOnly: readonly string[]
  /**
   * Whether it is root over a range of ids inside, as what builds images must be; only where `withoutRange` is not
   * said.
   */
  isRootInside?: boolean
}

/** What to start instead of the program: same exit code, same signals, same output. */
export type Wrapped = {
  argv: [string, ...string[]]
  /** `argv` is `/bin/sh`, a script and its arguments: a shell may read that itself instead of starting another. */
  isScript?: true
  cwd: string
  env: Record<string, string>
}

/** How programs of this machine's attempts are started, and what they are kept from. */
export interface Isolation {
  kind: 'bubblewrap' | 'none'
  /** `own`: neither the machine's loopback nor link-local addresses, except for the endpoints. */
  network: 'own' | 'host'
  /** What a person should know of it, for the log at the start and for the refusal of a step. */
  notes: readonly string[]
  /** What keeps it from starting programs that are root inside; undefined where it can. */
  withoutRange: string | undefined
  /**
   * Makes ready what a program needs, and says how to start it. Once for a program: one that runs on after a restart of
   * the runner needs nothing more.
   */
  wrap(program: Program): Promise<Wrapped>
  /** Why a program must not run here, for the error of its step; undefined where it may. */
  refusal(tenancy: Tenancy): string | undefined
  /**
   * Removes what `wrap` has made and ends what the program may have left running. May be called again, by any later
   * process.
   */
  release(records: string): Promise<void>
  /** Ends what is kept for programs to come. Programs that run on keep what they have. */
  close(): void
  /** Whether programs find this file: by its path, and where that leads. */
  sees(file: string, program: Pick<Program, 'writable' | 'readOnly'>): Promise<boolean>
  /** The address under which programs reach what the runner reaches at `url`. */
  addressOf(url: string): string
  /** The same of the name or address of a host. */
  hostOf(host: string): string
  /** Where a program finds the folder that it was given as `temporary`. */
  temporaryAt(folder: string): string
  /** Answers when a program has used up what it may, with what it was; undefined when it was `over` before. */
  watch(watched: Watched, over: AbortSignal): Promise<WatchedLimit | undefined>
}
