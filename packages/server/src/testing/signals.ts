import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How a test tells programs of steps to go on: by files in a folder that they see, isolated or not. */
export type Signals = {
  /** For a shell: waits until the signal is given. */
  await(name: string): string
  give(name: string): Promise<void>
  remove(): Promise<void>
}

/** To be called before the world starts, whose runner takes the folder for one of tools. */
export async function openSignals(): Promise<Signals> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-signals-'))
  await chmod(folder, 0o755) // programs may be another user
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
