import { closeSync, constants, fstatSync, lstatSync, openSync, read, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** A file that a program has written, or why it is not read; undefined if it does not exist. */
export type ReadResult = { content: Buffer } | { refused: string } | undefined

/**
 * Reads a file below a folder that programs have written to. Rejects links (also to a parent folder), pipes, devices
 * and files above `maxBytes`, because a program could otherwise make the runner read its own token or wait. While it
 * runs, no program may write to the folder or be able to replace it.
 */
export async function readResult(folder: string, path: string, maxBytes: number): Promise<ReadResult> {
  let opened: number | undefined
  try {
    const root = realpathSync.native(folder)
    const file = resolve(root, path)
    if (realpathSync.native(dirname(file)) !== dirname(file)) return { refused: 'its path contains a link' }
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined // the usual case: faster than an exception
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = fstatSync(opened)
    if (!found.isFile()) return { refused: 'it is not a regular file' }
    if (found.size > maxBytes) return { refused: `${found.size} bytes exceed the maximum of ${maxBytes}` }
    const piece = Buffer.alloc(found.size)
    const { bytesRead } = await readPiece(opened, piece, 0, found.size, 0) // asynchronous: a plan can have 100 MB
    return { content: piece.subarray(0, bytesRead) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP' || code === 'ENXIO') return { refused: 'it is not a regular file' } // a link or a socket
    throw error
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

const readPiece = promisify(read)
