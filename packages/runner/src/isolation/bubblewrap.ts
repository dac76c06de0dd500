import { dirname } from 'node:path'
import type { Program } from './isolation.ts'

/** What every program sees of this machine, read-only. */
export type System = {
  /** Where bubblewrap and the programs that it needs are. */
  bwrap: string
  /** Folders of the system, `/usr` first. */
  folders: readonly string[]
  /** Names that the system has beside them: `/bin` is `usr/bin` nowadays. */
  links: Readonly<Record<string, string>>
  /** What programs find at `/etc`: see etc.ts. */
  etc: string
  /** What of `/etc` is bound over that as it is. */
  fromEtc: readonly string[]
  toolFolders: readonly string[]
}

/** Who a program is inside, whoever it is outside: see the folder etc. */
const userId = '1000'
/** Of `/dev/shm`, which is memory that no limit of a process counts. Bytes. */
const sharedMemoryBytes = 64 * 1024 * 1024

type ToSee = Pick<Program, 'cwd' | 'env' | 'writable' | 'temporary' | 'readOnly' | 'isRootInside'>

/**
 * The options of bubblewrap: a world that has nothing in it but what stands here. All of them are given to it in a
 * file, as the environment is among them, which nobody on this machine should read from a command line, and which must
 * not reach bubblewrap itself: `LD_PRELOAD` would run code of a tenant's outside.
 */
export function bubblewrapOptions(system: System, program: ToSee, hasFilter = false): string[] {
  const { folders, links, etc, fromEtc, toolFolders } = system
  return [
    ...namespaces,
    ...(program.isRootInside ? rootInside : nobodyInside),
    ...folders.flatMap((path) => ['--ro-bind', path, path]),
    ...Object.entries(links).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--ro-bind', etc, '/etc'],
    ...fromEtc.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(program.isRootInside ? placesOfRoot(etc) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--bind', program.temporary, '/tmp'],
    ...toolFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    // Shorter paths first: what lies in another folder goes over it, and read-only over writable.
    ...byLength(program.writable).flatMap((path) => ['--bind', path, path]),
    ...byLength(program.readOnly).flatMap((path) => ['--ro-bind', path, path]),
    ...(hasFilter ? ['--seccomp', '6'] : []), // its file, see scripts/launch.sh
    ...['--remount-ro', '/'], // last: the folders above are made in it
    ...['--chdir', program.cwd],
    '--clearenv',
    ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}

/**
 * No `--new-session`: the runner gives each program a session without a terminal, whose process group must stay one, so
 * that SIGINT reaches the program. No network here: it is entered before.
 */
const namespaces = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  ...['--hostname', 'sluice'],
  ...['--cap-drop', 'ALL'],
]

const nobodyInside = ['--unshare-user', '--disable-userns', '--uid', userId, '--gid', userId]

/**
 * The sandbox is made in the user namespace of the network, and the program enters the one below it (file 8, see
 * scripts/enter-network.sh) when all is done. So its mounts, its processes and its host's name belong to a namespace
 * that it has no rights in: what is read-only stays so, also in a namespace of mounts that it makes for itself. Of the
 * rights of root it has those that unpacking layers, and running a program as root in them, takes.
 */
const rootInside = [
  ...['--userns2', '8'],
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_ADMIN', 'SYS_CHROOT'],
].flatMap((word) => (/^[A-Z]/.test(word) ? ['--cap-add', `CAP_${word}`] : [word]))

/** What buildah wants to find: who it is, an empty `/sys` to show to others, and a place for large files. */
const placesOfRoot = (etc: string): string[] => [
  ...['passwd', 'group'].flatMap((name) => ['--ro-bind', `${etc}/${name}-of-root`, `/etc/${name}`]),
  ...['--dir', '/sys', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
]

const byLength = (paths: readonly string[]): string[] => paths.toSorted((a, b) => a.length - b.length)

/** What the runner hides from its own user's programs on the way into the sandbox, and what it lets through. */
export type Passage = { hidden: readonly string[]; writable: readonly string[]; readOnly: readonly string[] }

/**
 * Of a runner that is root: programs become `user` before anything else. Folders that only root may enter (a data
 * directory, as a rule) are covered, and of what is in them there is only what the program needs.
 */
export const becomeArguments = (bwrap: string, { hidden, writable, readOnly }: Passage, user: number): string[] => [
  bwrap,
  '--die-with-parent',
  ...['--dev-bind', '/', '/'],
  ...hidden.flatMap((path) => ['--tmpfs', path]),
  ...foldersBetween(hidden, [...writable, ...readOnly]).flatMap((path) => ['--perms', '0755', '--dir', path]),
  ...byLength(writable).flatMap((path) => ['--bind', path, path]),
  ...byLength(readOnly).flatMap((path) => ['--ro-bind', path, path]),
  ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
  '--',
  'setpriv',
  ...[`--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
  '--',
]

/** The folders in those that are hidden which lead to `paths`: bubblewrap would make them for root alone. */
function foldersBetween(hidden: readonly string[], paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let folder = dirname(path); hidden.some((root) => folder.startsWith(`${root}/`)); folder = dirname(folder)) {
      folders.add(folder)
    }
  }
  return byLength([...folders])
}
