import { readFile } from 'node:fs/promises'

/** Private and shared memory of processes in bytes. */
export type Memory = { own: number; shared: number }

/**
 * Returns the memory of processes. The result is exact only above `enough`. First counts shared pages once per process,
 * which is cheap. If that exceeds `enough`, counts each process's share of them.
 */
export async function measureMemory(pids: readonly number[], enough: number): Promise<Memory> {
  const most = await sumFields(pids, 'status', ['RssAnon', 'RssShmem'])
  return most.own + most.shared <= enough ? most : sumFields(pids, 'smaps_rollup', ['Pss_Anon', 'Pss_Shmem'])
}

async function sumFields(pids: readonly number[], file: string, [own, shared]: [string, string]): Promise<Memory> {
  const sum: Memory = { own: 0, shared: 0 }
  for (const pid of pids) {
    const fields = parseFields(await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')) // process has exited
    sum.own += fields[own] ?? 0
    sum.shared += fields[shared] ?? 0
  }
  return sum
}

/** Parses fields in kB. Returns them in bytes. */
const parseFields = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/^(\w+):\s+(\d+) kB$/gm), ([, name = '', kB]) => [name, Number(kB) * 1024]),
  )
