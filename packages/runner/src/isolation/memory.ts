import { readFile } from 'node:fs/promises'

/** What processes have in memory: of their own, and shared with one another. Bytes. */
export type Memory = { own: number; shared: number }

/**
 * Returns what processes have in memory, as far as that can be beyond `enough`. Pages that several processes share
 * count for each at first, which is cheap; only where that is too much, each process counts with its part of them.
 */
export async function memoryOf(pids: readonly number[], enough: number): Promise<Memory> {
  const most = await sumOf(pids, 'status', ['RssAnon', 'RssShmem'])
  return most.own + most.shared <= enough ? most : sumOf(pids, 'smaps_rollup', ['Pss_Anon', 'Pss_Shmem'])
}

async function sumOf(pids: readonly number[], file: string, [own, shared]: [string, string]): Promise<Memory> {
  const sum: Memory = { own: 0, shared: 0 }
  for (const pid of pids) {
    const fields = fieldsIn(await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')) // it is gone
    sum.own += fields[own] ?? 0
    sum.shared += fields[shared] ?? 0
  }
  return sum
}

/** What such a file says in kB, in bytes. */
const fieldsIn = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/^(\w+):\s+(\d+) kB$/gm), ([, name = '', kB]) => [name, Number(kB) * 1024]),
  )
