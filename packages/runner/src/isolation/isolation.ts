import type { Limits } from './limits.ts'
import type { Tenancy } from './tenancy.ts'
import type { ExceededLimit, WatchedProgram } from './watch.ts'

export type { ReadResult as Result } from './read-result.ts'

/** The operator's setting; `auto` uses bubblewrap if it works. */
export type IsolationMode = 'auto' | 'bubblewrap' | 'none'

/** The operator's setting for the network; `auto` uses private networks if they work. */
export type NetworkMode = 'auto' | 'own' | 'host'

export type IsolationSettings = {
  mode: IsolationMode
  network: NetworkMode
  limits: Limits
  /** URL of the API. */
  url: string
  /** Folders of tools that programs can read in addition to the system's. Absolute paths. */
  toolFolders: readonly string[]
  /**
   * Addresses on this machine's loopback (`127.0.0.1:4600`) that programs can connect to: the API and those that the
   * operator lists.
   */
  endpoints: readonly string[]
  /** Data directory of the isolation. */
  directory: string
}

/** A program of an attempt. Paths are absolute and equal inside and outside of the sandbox. */
export type Program = {
  organizationId: string
  /** Unique name of the attempt. Programs of one attempt share a user and a network. */
  attempt: string
  argv: readonly [string, ...string[]]
  cwd: string
  /** The whole environment. */
  env: Readonly<Record<string, string>>
  /** Folder for the runner's data about this program, which the program cannot see. */
  records: string
  /** The only folders that the program can write to. */
  writable: readonly string[]
  /** Folder that the program sees as `/tmp`. It belongs to the attempt, so that its size counts and it is removed. */
  temporary: string
  /** Files and folders that the program can read in addition to the system's, such as a plugin cache. */
  readOnly: readonly string[]
  /**
   * Whether the program is root over a range of IDs in the sandbox, for image builds. Impossible with an
   * `idRangeProblem`.
   */
  isRootInSandbox?: boolean
}

/** The command to start instead of a program. It has the same exit code, signals and output. */
export type WrappedCommand = {
  argv: [string, ...string[]]
  /**
   * Whether `argv` is `/bin/sh`, a script and arguments. A shell can then source the script instead of starting
   * another.
   */
  isScript?: true
  cwd: string
  env: Record<string, string>
}

/** Starts programs of attempts isolated from the machine and each other. */
export interface Isolation {
  kind: 'bubblewrap' | 'none'
  /** `own`: no access to the machine's loopback or link-local addresses, except for the endpoints. */
  network: 'own' | 'host'
  /** What the operator should know, for the log at the start and the error of a step that must not run. */
  notes: readonly string[]
  /** Why programs cannot be root in their sandbox; undefined if they can. */
  idRangeProblem: string | undefined
  /**
   * Prepares a program and returns the command to start. Call it once per program, not again after a restart of the
   * runner while the program runs.
   */
  wrap(program: Program): Promise<WrappedCommand>
  /** Returns why programs must not run here, for the error of the step; undefined if they may. */
  checkTenancy(tenancy: Tenancy): string | undefined
  /**
   * Ends the program's remaining processes and removes what `wrap` created. Idempotent, also in a later runner process.
   */
  release(records: string): Promise<void>
  /** Closes idle resources. Running programs keep theirs. */
  close(): void
  /** Returns whether a program can see this file, both at its path and at the target of a link. */
  isVisible(file: string, program: Pick<Program, 'writable' | 'readOnly'>): Promise<boolean>
  /** Returns the URL with which programs reach what the runner reaches at `url`. */
  rewriteUrl(url: string): string
  /** Returns the same for a host name or address. */
  rewriteHost(host: string): string
  /** Returns the path at which a program sees its `temporary` folder. */
  temporaryPathFor(folder: string): string
  /** Resolves with the limit that a program exceeds; with undefined once `finished` is aborted. */
  watch(program: WatchedProgram, finished: AbortSignal): Promise<ExceededLimit | undefined>
}
