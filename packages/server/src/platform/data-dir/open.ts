import { chmod, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rememberEncryptionKey } from './encryption-key.ts'
import { lockDirectory } from './lock.ts'
import { rememberPorts } from './ports.ts'

/** Directory for the durable data of one process, which locks it while it is open. */
export interface DataDir {
  /** Absolute path. */
  path: string
  /** Returns the path of a file in the directory. */
  inside(name: string): string
  /** Returns loopback ports by name, the same at every start unless another process uses them. */
  ports<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>>
  /** Returns the encryption key of 32 bytes, generated at the first call. */
  encryptionKey(): Promise<Buffer>
  close(): void
}

/** Creates the directory if necessary and locks it. Fails if another process uses it. */
export async function openDataDir(path: string): Promise<DataDir> {
  const directory = resolve(path)
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const remedy = 'Choose another one with SLUICE_DATA_DIR.'
    throw new Error(`The data directory ${directory} cannot be made (${cause.code}). ${remedy}`, { cause })
  })
  const lock = await lockDirectory(directory)
  await chmod(directory, 0o700) // it may have existed before, and contains keys
  return {
    path: directory,
    inside: (name) => join(directory, name),
    ports: (names) => rememberPorts(directory, names),
    encryptionKey: () => rememberEncryptionKey(directory),
    close: () => lock.release(),
  }
}
