/** Resource limits of one attempt. */
export type Limits = {
  /** Memory of all processes together with control groups; otherwise of each process, and watched for all. */
  memoryBytes: number
  /** Number of processes and threads together. */
  processes: number
  /** Number of processor cores. Enforced with control groups only. */
  cpus: number
  /** Disk usage of all folders together, and maximum size of a file. */
  diskBytes: number
  /** Number of files and folders in all folders together. */
  files: number
  /** Number of open files of a process. */
  openFiles: number
  /** Size of a repository that is checked out. */
  sourceBytes: number
}

const giB = 1024 ** 3

/** Enough to apply a large stack: the provider of a large cloud needs about 1 GiB and some twenty threads. */
export const defaultLimits: Omit<Limits, 'cpus'> = {
  memoryBytes: 4 * giB,
  processes: 1024,
  diskBytes: 10 * giB,
  files: 1_000_000,
  openFiles: 16_384,
  sourceBytes: giB, // configurations are small, but repositories may have other files
}

/** The runner's own hard limits, which cannot be raised. Infinity if there is none. */
export type HardLimits = {
  nproc: number
  nofile: number
  fsize: number
  data: number
  core: number
  sigpending: number
  msgqueue: number
}

/** Limits that the kernel counts per user across namespaces. Without them one attempt could exhaust them for others. */
const perUserLimits = { sigpending: 4_096, msgqueue: 65_536 }

/**
 * Returns the limits of each process as options of `prlimit`. `data` limits private writable memory. The address space
 * is no useful limit, because runtimes such as Go and V8 reserve far more than they use.
 */
export function createPrlimitOptions(limits: Limits, ceilings: HardLimits): string[] {
  const wanted: HardLimits = {
    nproc: limits.processes,
    nofile: limits.openFiles,
    fsize: limits.diskBytes,
    data: limits.memoryBytes,
    // 1, not 0: with 0 the kernel still pipes the dump to the program in `core_pattern`. core(5), read 2026-11-23.
    core: 1,
    ...perUserLimits,
  }
  return Object.entries(wanted).map(
    ([name, value]) => `--${name}=${Math.min(value, ceilings[name as keyof HardLimits])}`,
  )
}

const rows: Record<keyof HardLimits, RegExp> = {
  nproc: /^Max processes +\S+ +(\S+)/m,
  nofile: /^Max open files +\S+ +(\S+)/m,
  fsize: /^Max file size +\S+ +(\S+)/m,
  data: /^Max data size +\S+ +(\S+)/m,
  core: /^Max core file size +\S+ +(\S+)/m,
  sigpending: /^Max pending signals +\S+ +(\S+)/m,
  msgqueue: /^Max msgqueue size +\S+ +(\S+)/m,
}

/** Parses `/proc/<pid>/limits`. */
export function parseHardLimits(text: string): HardLimits {
  const hard = (name: keyof HardLimits): number => {
    const value = Number(rows[name].exec(text)?.[1])
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value // `unlimited`
  }
  return {
    nproc: hard('nproc'),
    nofile: hard('nofile'),
    fsize: hard('fsize'),
    data: hard('data'),
    core: hard('core'),
    sigpending: hard('sigpending'),
    msgqueue: hard('msgqueue'),
  }
}

/** Returns the limits of all processes together: values by the file of a control group (version 2). */
export const createCgroupValues = ({ memoryBytes, processes, cpus }: Limits): Record<string, string> => ({
  'memory.max': String(memoryBytes),
  'memory.swap.max': '0',
  'memory.oom.group': '1', // kill the whole program instead of one of its processes
  'pids.max': String(processes),
  'cpu.max': `${Math.round(cpus * 100_000)} 100000`, // microseconds of processor time in each 100 ms
})
