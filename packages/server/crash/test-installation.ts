import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Installation, type InstallationWishes, openInstallation } from './installation.ts'
import { ownEndsOf } from './load.ts'

/** Starts one for the present test. What a failed test leaves is kept for a look. */
export async function startInstallation<People>(wishes: InstallationWishes<People>): Promise<Installation<People>> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-installation-'))
  const installation = await openInstallation(directory, wishes)
  onTestFinished(async ({ task }) => {
    const ends = ownEndsOf(installation)
    await installation.stop()
    if (task.result?.state === 'fail') return console.log(`what the processes wrote: ${directory}`)
    expect(ends).toEqual([])
    await rm(directory, { recursive: true, force: true })
  })
  return installation
}
