import { join } from 'node:path'
import type { Attempt } from '../attempt.ts'

/**
 * Who builds images: root of a sandbox, with a range of ids; or, where there is no sandbox, root, or the runner's
 * user with a range of ids in a namespace of its own.
 */
export type BuildsAs = 'sandbox' | 'root' | 'range'

/** Where the images of an attempt lie while it builds. */
export type Store = {
  root: string
  /** Overlays share what layers have in common; with `vfs`, which works everywhere, each has a copy of all below it. */
  driver: 'vfs' | 'overlay'
}

/** One that is gone with the attempt. */
export const storeOf = ({ folders }: Pick<Attempt, 'folders'>): Store => ({
  root: join(folders.apart, 'storage'),
  driver: 'vfs',
})

/** How buildah finds it. `run` is for what is known of one boot of the machine alone. */
export const inStore = ({ root, driver }: Store, run: string): string[] => [
  ...['--root', root, '--runroot', run, '--storage-driver', driver],
  // Else its folder is a place of a mount while it is open, which nobody can move or remove.
  ...(driver === 'overlay' ? ['--storage-opt', 'overlay.skip_mount_home=true'] : []),
]

/** Starts what follows with mounts of its own, which end with it, however it ends. */
export const inOwnMounts = (as: BuildsAs): [string, ...string[]] =>
  as === 'range' ? ['buildah', 'unshare'] : ['unshare', '--mount']
