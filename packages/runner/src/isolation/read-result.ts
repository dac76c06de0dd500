import { closeSync, constants, fstatSync, lstatSync, openSync, read, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** What a program has left for the runner to read; `refused` says why it is not read. */
export type Result = { content: Buffer } | { refused: string } | undefined

/**
 * Reads a file at `path` below a folder that programs have written to, without being led elsewhere: a link to the
 * runner's own token, also on the way, a pipe that nobody writes to, a device, or more than there is room for are
 * refused. Undefined where there is none. No program that can write there may be running, and none may be able to
 * replace the folder itself.
 */
export async function readResult(folder: string, path: string, mostBytes: number): Promise<Result> {
  let opened: number | undefined
  try {
    const root = realpathSync.native(folder)
    const file = resolve(root, path)
    if (realpathSync.native(dirname(file)) !== dirname(file)) return { refused: 'the way to it leads elsewhere' }
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined // as a rule: sooner than by an error
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = fstatSync(opened)
    if (!found.isFile()) return { refused: 'it is no regular file' }
    if (found.size > mostBytes) return { refused: `${found.size} bytes; at most ${mostBytes} are kept` }
    const piece = Buffer.alloc(found.size)
    const { bytesRead } = await readPiece(opened, piece, 0, found.size, 0) // may be a plan of a hundred megabytes
    return { content: piece.subarray(0, bytesRead) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP' || code === 'ENXIO') return { refused: 'it is no regular file' } // a link; a socket
    throw error
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

const readPiece = promisify(read)
