import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** What a program has left for the runner to read. */
export type Result = { text: string } | { refused: string } | undefined

/**
 * Reads a file that a program has written, without being led elsewhere: a link to the runner's own token, a pipe that
 * nobody writes to, a device, or more than there is room for are refused. Undefined where there is none. What holds the
 * file must be a folder that the program could not replace: one that it was given as `writable`, not one below it.
 */
export async function readResult(file: string, mostBytes: number): Promise<Result> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  try {
    await using handle = await open(file, flags)
    const found = await handle.stat()
    if (!found.isFile()) return { refused: 'it is no regular file' }
    if (found.size > mostBytes) return { refused: `${found.size} bytes; at most ${mostBytes} are kept` }
    const piece = Buffer.alloc(found.size)
    const { bytesRead } = await handle.read(piece, 0, found.size, 0)
    return { text: piece.toString('utf8', 0, bytesRead) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP' || code === 'ENXIO') return { refused: 'it is no regular file' } // a link; a socket
    throw error
  }
}
