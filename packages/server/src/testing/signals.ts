import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files in a shared folder with which a test releases waiting step programs, isolated or not. */
export type Signals = {
  /** Returns a shell command that waits for the signal. */
  await(name: string): string
  give(name: string): Promise<void>
  remove(): Promise<void>
}

/** Creates the folder. Call it before the test environment starts, because the runner mounts it as a tools folder. */
export async function openSignals(): Promise<Signals> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-signals-'))
  await chmod(folder, 0o755) // programs may run as another user
  process.env.SLUICE_RUNNER_TOOLS = folder
  return {
    await: (name) => `until [ -e '${join(folder, name)}' ]; do sleep 0.1; done`,
    give: (name) => writeFile(join(folder, name), ''),
    async remove() {
      delete process.env.SLUICE_RUNNER_TOOLS
      await rm(folder, { recursive: true, force: true })
    },
  }
}
