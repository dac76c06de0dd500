import { chmod, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rememberEncryptionKey } from './encryption-key.ts'
import { lockDirectory } from './lock.ts'
import { rememberPorts } from './ports.ts'

/** Where one Sluice process keeps what must outlive it. Held exclusively while it is open. */
export interface DataDir {
  /** Absolute. */
  path: string
  /** The path of something inside. */
  inside(name: string): string
  /** Loopback ports by name, the same at every start as long as nobody else takes them. */
  ports<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>>
  /** 32 bytes, generated at the first call and kept. */
  encryptionKey(): Promise<Buffer>
  close(): void
}

/** Creates the directory if need be and takes it; fails if another process has it. */
export async function openDataDir(path: string): Promise<DataDir> {
  const directory = resolve(path)
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const remedy = 'Choose another one with SLUICE_DATA_DIR.'
    throw new Error(`The data directory ${directory} cannot be made (${cause.code}). ${remedy}`, { cause })
  })
  const lock = await lockDirectory(directory)
  await chmod(directory, 0o700) // it may have been there before, and it holds keys
  return {
    path: directory,
    inside: (name) => join(directory, name),
    ports: (names) => rememberPorts(directory, names),
    encryptionKey: () => rememberEncryptionKey(directory),
    close: () => lock.release(),
  }
}
