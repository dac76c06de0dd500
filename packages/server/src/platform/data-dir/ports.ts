import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { replaceFile } from './replace-file.ts'

/**
 * Range of ports below those that systems use for outgoing connections (Linux from 32768), which therefore rarely
 * conflict.
 */
const range = { from: 20_000, below: 32_000 }

/** Returns loopback ports by name, stored in `ports.json`. A port that another process uses is replaced. */
export async function rememberPorts<Name extends string>(
  directory: string,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const file = join(directory, 'ports.json')
  const known = await readPorts(file)
  const ports = new Map(Object.entries(known))
  for (const name of names) {
    const port = ports.get(name)
    if (port === undefined || !(await isFree(port))) ports.set(name, await pickPort([...ports.values()]))
  }
  await replaceFile(file, `${JSON.stringify(Object.fromEntries(ports), null, 2)}\n`)
  return Object.fromEntries(names.map((name) => [name, ports.get(name)])) as Record<Name, number>
}

/** Reads the stored ports. A damaged file counts as empty, because only the choice of ports is lost. */
async function readPorts(file: string): Promise<Record<string, number>> {
  try {
    const entries = Object.entries(JSON.parse(await readFile(file, 'utf8')))
    return Object.fromEntries(entries.filter((entry): entry is [string, number] => isPort(entry[1])))
  } catch {
    return {}
  }
}

const isPort = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536

/** Returns a free port that is not in the list. */
export async function pickPort(taken: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(range.from, range.below)
    if (!taken.includes(port) && (await isFree(port))) return port
  }
  throw new Error(`No free port found between ${range.from} and ${range.below} on 127.0.0.1.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
